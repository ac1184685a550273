from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.internal_topics import EVERY_TOPIC, INTERNAL_TOPICS
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.helpers import cluster_name
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT706: weak-internal-topics

Kafka's internal topics have fewer than three replicas, or need all of them.

All groups store their offsets in one internal topic, and all transactions their state in another. If a partition of
these is lost or unavailable, groups start over or stop, however well their own topics are replicated. The topic for
offsets has no minimum of its own: it takes `min.insync.replicas` of the brokers, and one that is not below
`offsets.topic.replication.factor` is an error, because no group can commit while a broker is down.

Fix: Set `offsets.topic.replication.factor` and `transaction.state.log.replication.factor` to 3 on the brokers,
and `min.insync.replicas` to 2.
"""


def check(context: Context) -> Iterator[Problem]:
    name = cluster_name(context.topology)
    wanted = min(3, len(context.topology.cluster.brokers or range(3)))  # KT701 reports fewer than three brokers
    for topic in INTERNAL_TOPICS:
        replication_key = topic.replication
        replication = context.settings.broker(replication_key)
        if replication is None or replication.number is None:
            continue  # this version of Kafka has no such topic
        if replication.number < wanted:
            yield Problem(
                f"{name}: {replication_key} is {replication.number}; expected at least {wanted}",
                replication.place.location,
                name,
                f"set {replication_key} to {wanted} on the brokers, and raise the replication of the topic if it"
                " already exists",
            )
        min_isr = context.settings.broker(topic.min_isr)
        if min_isr is None or min_isr.number is None or not min_isr.is_declared:
            continue
        most = max(1, replication.number - 1)
        caps = context.settings.catalogue.version.startswith("4.")  # these brokers ask for no more than all replicas
        if min_isr.number > most and not (caps and replication.number == 1):
            stops = caps or min_isr.number == replication.number
            when = "losing one broker stops it" if stops else "it cannot be written"
            yield Problem(
                f"{name}: {topic.min_isr} is {min_isr.number}, and {topic.name} has"
                f" {counted(replication.number, 'replica')}, so {when}: {topic.effect}; expected at most {most}",
                min_isr.place.location,
                name,
                f"set {topic.min_isr} to {most} on the brokers, and on the topics that need more",
                severity=Severity.ERROR if topic.min_isr == EVERY_TOPIC else None,
            )


GOOD = (
    "version: 1\ncluster: {brokers: 3}\n",
    "version: 1\ncluster: {brokers: 1, defaults: {offsets.topic.replication.factor: 1}}\n",
    "version: 1\ncluster:\n  defaults: {offsets.topic.replication.factor: 3, min.insync.replicas: 2}\n",
    "version: 1\ncluster:\n  brokers: 1\n  defaults: {offsets.topic.replication.factor: 1, min.insync.replicas: 2}\n",
)
BAD = (
    Bad("version: 1\ncluster:\n  defaults: {offsets.topic.replication.factor: 1}\n", line=3, column=48),
    Bad("version: 1\ncluster:\n  defaults: {transaction.state.log.replication.factor: 2}\n", line=3, column=56),
    Bad("version: 1\ncluster:\n  defaults: {transaction.state.log.min.isr: 3}\n", line=3, column=45),
    Bad("version: 1\ncluster:\n  defaults: {min.insync.replicas: 3}\n", line=3, column=35),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R2", "R35"))
