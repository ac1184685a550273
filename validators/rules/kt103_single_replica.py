from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import count_place
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.replication == 1:
            yield Problem(
                f"{topic.name}: replication is 1, so a lost disk loses its records and a stopped broker stops it;"
                " expected 3",
                count_place(context.topology, topic, "replication"),
                topic.name,
                "set replication to 3, and min.insync.replicas to 2",
            )


RULE = Rule(
    id="KT103",
    name="single-replica",
    severity=Severity.ERROR,
    summary="A topic with one replica.",
    why="""\
The only copy lies on one disk of one broker. When the broker restarts, part of the topic can be neither read nor
written; when the disk fails, the records are gone.""",
    fix="Set `replication` to 3. On a cluster for development, turn the rule off in that environment.",
    requirements=("R2",),
    check=check,
    good=("version: 1\ntopics:\n  orders: {partitions: 6, replication: 3}\n",),
    bad=(
        Bad("version: 1\ntopics:\n  orders: {partitions: 6, replication: 1}\n", line=3, column=40),
        Bad(
            """\
version: 1
profiles:
  event: {replication: 1}
topics:
  orders: {profile: event, partitions: 6}
""",
            line=3,
            column=24,
        ),
        Bad(
            """\
version: 1
cluster: {defaults: {default.replication.factor: 1}}
topics:
  orders: {partitions: 6}
""",
            line=2,
            column=50,
        ),
    ),
)
