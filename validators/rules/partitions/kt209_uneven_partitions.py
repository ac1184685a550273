from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, on_cluster
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.topic_purposes import purpose_of

DOCS = """\
# KT209: uneven-partitions

The number of partitions is not a multiple of the number of brokers.

Each partition has one leader, which does its work. If the partitions do not divide evenly, some brokers lead one
more than the others and reach their limit first. The rule skips topics whose partitions a tool or framework chooses, by
their names: Connect creates `connect-offsets` with 25 partitions and `connect-status` with 5.

Fix: Create topics with a multiple of the number of brokers. Do not add partitions to a keyed topic only for this.
"""


def check(context: Context) -> Iterator[Problem]:
    brokers = len(context.topology.cluster.brokers or ())
    if brokers < 2:
        return
    for topic in context.topology.topics.values():
        if topic.partitions % brokers == 0 or topic.partitions == 1:
            continue  # a single partition is a choice, not an oversight
        if purpose_of(topic.name) is not None:
            continue
        expected = -(-topic.partitions // brokers) * brokers
        yield Problem(
            f"{topic.name}: {topic.partitions} partitions do not spread evenly over {brokers} brokers;"
            f" expected a multiple of {brokers}, such as {expected}",
            count_place(context.topology, topic, "partitions"),
            topic.name,
            f"create the topic with {expected} partitions",
        )


GOOD = (
    on_cluster("brokers: 3", ORDERS + "  ledger: {partitions: 1, replication: 3}\n"),
    on_cluster("brokers: 3", ORDERS + "  connect-offsets: {partitions: 25, replication: 3}\n"),
)
BAD = (
    Bad("version: 1\ncluster: {brokers: 3}\ntopics:\n  orders: {partitions: 7, replication: 3}\n", line=4, column=24),
)

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, requirements=("R4", "R13"))
