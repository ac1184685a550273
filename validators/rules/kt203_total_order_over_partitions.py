from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..helpers import count_place
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.ordering == "total" and topic.partitions > 1:
            yield Problem(
                f"{topic.name}: ordering is total over {topic.partitions} partitions; expected exactly 1 partition",
                count_place(context.topology, topic, "partitions"),
                topic.name,
                "set partitions to 1 on a new topic; or make the ordering per-key, with a key",
                (Related(topic.place("ordering").location, "total order is declared here"),),
            )


RULE = Rule(
    id="KT203",
    name="total-order-over-partitions",
    severity=Severity.ERROR,
    summary="Total order over more than one partition.",
    why="""\
Kafka keeps order within a partition only. Readers of two partitions see their records in any mixture, so a topic is
totally ordered only when it has exactly one.""",
    fix="Use one partition, or find the key whose records need an order, and declare `ordering: per-key`.",
    requirements=("R8",),
    check=check,
    good=(
        "version: 1\ntopics:\n  ledger: {partitions: 1, replication: 3, ordering: total}\n",
        "version: 1\ntopics:\n  ledger: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid}}\n",
    ),
    bad=(
        Bad("version: 1\ntopics:\n  ledger: {partitions: 6, replication: 3, ordering: total}\n", line=3, column=24),
        Bad(
            """\
version: 1
profiles:
  event: {partitions: 6, replication: 3}
topics:
  ledger: {profile: event, ordering: total}
""",
            line=3,
            column=23,
        ),
    ),
)
