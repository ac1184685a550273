from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import count_place
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    brokers = len(context.topology.cluster.brokers or ())
    if brokers < 2:
        return
    for topic in context.topology.topics.values():
        if topic.partitions % brokers == 0 or topic.partitions == 1:
            continue  # a single partition is a choice, not an oversight
        expected = -(-topic.partitions // brokers) * brokers
        yield Problem(
            f"{topic.name}: {topic.partitions} partitions do not spread evenly over {brokers} brokers;"
            f" expected a multiple of {brokers}, such as {expected}",
            count_place(context.topology, topic, "partitions"),
            topic.name,
            f"create the topic with {expected} partitions",
        )


RULE = Rule(
    id="KT209",
    name="uneven-partitions",
    severity=Severity.ADVICE,
    summary="The number of partitions is not a multiple of the number of brokers.",
    why="""\
Each partition has one leader, which does its work. When partitions do not divide by brokers, some broker leads one more
than the others and reaches its limit first.""",
    fix="Create topics with a multiple of the number of brokers. Do not add partitions to a keyed topic only for this.",
    requirements=("R4", "R13"),
    check=check,
    good=(
        """\
version: 1
cluster: {brokers: 3}
topics:
  orders: {partitions: 6, replication: 3}
  ledger: {partitions: 1, replication: 3}
""",
    ),
    bad=(
        Bad(
            "version: 1\ncluster: {brokers: 3}\ntopics:\n  orders: {partitions: 7, replication: 3}\n",
            line=4,
            column=24,
        ),
    ),
)
