from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.names import is_kafkas_own
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT007: reserved-name

A topic has the name of one of Kafka's own topics, such as `__consumer_offsets`.

Brokers create `__consumer_offsets`, `__transaction_state`, `__share_group_state`, `__cluster_metadata` and
`__remote_log_metadata` themselves and store offsets, transactions, share groups and tiered storage in them. Changing
their partitions or cleanup policy destroys that state. Other names that start with `__` are free: tools such as
Debezium and Cruise Control use them.

Fix: Leave Kafka's topics to Kafka, and choose another name for your own.
"""


def check(context: Context) -> Iterator[Problem]:
    for name, topic in context.topology.topics.items():
        if is_kafkas_own(name):
            yield Problem(
                f"{name}: Kafka keeps its own state in the topic of this name; expected another name",
                topic.name_place(),
                name,
                "remove the topic, or choose another name",
            )


GOOD = (
    "version: 1\ntopics:\n  offsets: {partitions: 6, replication: 3}\n",
    """\
version: 1
topics:
  __debezium-heartbeat.shop: {partitions: 1, replication: 3}
  __CruiseControlMetrics: {partitions: 12, replication: 3}
""",
)
BAD = (Bad("version: 1\ntopics:\n  __consumer_offsets:\n    partitions: 50\n    replication: 3\n", line=3, column=3),)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R35",), judges_parts=True)
