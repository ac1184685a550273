from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import ORDERS, changed, on_cluster
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule
from kafka_topology.validators.facts.topic_purposes import purpose_of

_FEW_KEYS: Final = 1000

DOCS = """\
# KT210: unusual-partition-count

A topic has far fewer or far more partitions than usual, and no declared load explains it.

Too few partitions limit every group that will ever read the topic, and adding more later moves keys. Too many cost
memory, files and time at every failover. Twice the number of brokers is a common start; a declared peak is better. Up
to four times fewer or more is a choice that nobody has to explain. So is a single partition for a topic whose
`key.distinct` is at most a thousand, such as reference data. The rule skips topics that a tool or framework keeps for
itself, by their names: changelogs, repartition topics, heartbeats, dead letters, and the state of MirrorMaker, Connect
(whose `connect-configs` must have one partition) and schema registries.

Fix: Declare `throughput.peak`, or start with two partitions per broker.
"""


def check(context: Context) -> Iterator[Problem]:
    brokers = len(context.topology.cluster.brokers or ())
    if not brokers:
        return
    usual, factor = 2 * brokers, max(context.number("factor"), 1)
    for topic in context.topology.topics.values():
        if usual <= topic.partitions * factor and topic.partitions <= usual * factor:
            continue
        if topic.ordering == "total" or (topic.throughput is not None and topic.throughput.peak is not None):
            continue  # the order or the load determines the number
        if purpose_of(topic.name) is not None or _has_few_keys(topic):
            continue
        yield Problem(
            f"{topic.name}: {counted(topic.partitions, 'partition')} on {counted(brokers, 'broker')}, with no"
            f" declared peak; expected about {usual}, 2 per broker",
            count_place(context.topology, topic, "partitions"),
            topic.name,
            "declare throughput.peak, which determines the partitions, or start with 2 per broker",
        )


def _has_few_keys(topic: Topic) -> bool:
    """Whether a single partition is enough: reference data, which is read as a whole."""
    distinct = topic.key.distinct if topic.key is not None else None
    return topic.partitions == 1 and distinct is not None and distinct <= _FEW_KEYS


EXAMPLE = "version: 1\ncluster: {brokers: 3}\ntopics:\n  orders: {partitions: 60, replication: 3}\n"

OPTIONS = (Option("factor", 4, "How many times fewer or more than two per broker still counts as usual."),)
GOOD = (
    on_cluster(
        "brokers: 3",
        ORDERS
        + """\
  views: {partitions: 24, replication: 3}
  currencies: {partitions: 1, replication: 3, key: {type: string, distinct: 180}}
  clicks: {partitions: 60, replication: 3, throughput: {peak: 500MB/s}}
  ledger: {partitions: 1, replication: 3, ordering: total}
  __debezium-heartbeat.shop: {partitions: 1, replication: 3}
  orders-dlt: {partitions: 1, replication: 3}
  shop-connect-configs: {partitions: 1, replication: 3}
""",
    ),
)
BAD = (Bad(EXAMPLE, line=4, column=24), Bad(changed(EXAMPLE, {"partitions: 60": "partitions: 1"}), line=4, column=24))

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, options=OPTIONS, requirements=("R4", "R6"))
