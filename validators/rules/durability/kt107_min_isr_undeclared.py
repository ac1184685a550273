from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, ORDERS_BLOCK, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import has_min_isr
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT107: min-isr-undeclared

`min.insync.replicas` comes from a broker default that is not declared.

What the topic survives then depends on a broker's configuration file that no review sees. With Kafka's own default
of 1, `acks=all` is as weak as `acks=1` at the worst moment.

With eligible leader replicas, which new clusters have from Kafka 4.1 on (KIP-966), the brokers' files no longer count:
the cluster itself keeps one value, at first the one that the controllers' files had when it was created. Read it with
`kafka-configs --describe --entity-type brokers --entity-default`, and change it with `--alter`. Kafka refuses to remove
it, and refuses a value for a single broker.

Redpanda waits for the majority of the replicas instead, so the rule does not apply there.

Fix: Set `min.insync.replicas` on the topic or its profile, or declare the brokers' value under `cluster.defaults`.
"""

KEY = "min.insync.replicas"


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    if KEY in cluster.defaults or not has_min_isr(cluster):
        return
    kafkas = " (Kafka's is 1)" if cluster.distribution == "apache" else ""
    for topic in context.topology.topics.values():
        if KEY not in topic.config and topic.replication > 1 and not _nobody_waits(context, topic):
            expected = max(topic.replication - 1, 1)
            yield Problem(
                f"{topic.name}: {KEY} comes from the brokers, whose default is not declared{kafkas};"
                f" expected {expected} with {topic.replication} replicas",
                topic.place(),
                topic.name,
                f"set {KEY} to {expected} on the topic or its profile, or declare the brokers' value under"
                " cluster.defaults",
            )


def _nobody_waits(context: Context, topic: Topic) -> bool:
    """Then the value protects nothing: KT108 reports one above 1."""
    writers = context.index.clients.writers_of(topic.name)
    return bool(writers) and all(writer.needs_no_replicas for writer in writers)


GOOD = (
    ORDERS_BLOCK + "producers:\n  tracker: {topics: [orders], delivery: at-most-once, config: {acks: 1}}\n",
    orders_with("config: {min.insync.replicas: 2}"),
    on_cluster("defaults: {min.insync.replicas: 2}", ORDERS),
    on_cluster("brokers: 3, distribution: redpanda", ORDERS),
)
BAD = (Bad(ORDERS_BLOCK, line=3, column=3), Bad(on_cluster("distribution: msk", ORDERS_BLOCK), line=4, column=3))

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R1",))
