from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import count_place
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.replication == 2:
            yield Problem(
                f"{topic.name}: replication is 2, so it is either safe or available when a broker is lost, never both;"
                " expected 3",
                count_place(context.topology, topic, "replication"),
                topic.name,
                "set replication to 3, and min.insync.replicas to 2",
            )


RULE = Rule(
    id="KT105",
    name="two-replicas",
    severity=Severity.WARNING,
    summary="A topic with two replicas.",
    why="""\
With two replicas, `min.insync.replicas` is either 2, and one stopped broker stops every safe writer, or 1, and an
acknowledged record may be on one disk only. Three replicas with 2 in sync bear one lost broker without either.""",
    fix="Set `replication` to 3.",
    requirements=("R2",),
    check=check,
    good=("version: 1\ntopics:\n  orders: {partitions: 6, replication: 3}\n",),
    bad=(
        Bad("version: 1\ntopics:\n  orders: {partitions: 6, replication: 2}\n", line=3, column=40),
        Bad(
            """\
version: 1
profiles:
  event: {replication: 2}
topics:
  orders: {profile: event, partitions: 6}
""",
            line=3,
            column=24,
        ),
    ),
)
