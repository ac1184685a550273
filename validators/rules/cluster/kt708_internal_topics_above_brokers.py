from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.internal_topics import INTERNAL_TOPICS
from kafka_topology.topology.kafka.share_groups import possible_share_groups
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.helpers import cluster_name, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT708: internal-topics-above-brokers

Kafka's internal topics, or those of Kafka Streams, ask for more replicas than there are brokers.

Kafka creates the topics for offsets, transactions and share groups when they are first needed. With fewer brokers than
replicas, it cannot: groups find no coordinator, transactional producers time out, and the brokers' logs repeat
INVALID_REPLICATION_FACTOR. Kafka's default is 3, and the file that Kafka ships for a single broker sets 1. If the value
is not declared, the finding is advice: for offsets, and for transactions and share groups if somebody uses them.

Fix: Declare what the brokers set, at most the number of brokers.
"""

INTERNAL = tuple(topic.replication for topic in INTERNAL_TOPICS)


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    brokers = len(cluster.brokers or ())
    if not brokers:
        return
    name = cluster_name(context.topology)
    used = _used(context)
    reminded = False
    related = (Related(cluster.place("brokers").location, "the brokers are declared here"),)
    for key in INTERNAL:
        setting = context.settings.broker(key)
        if setting is None or setting.number is None or setting.number <= brokers:
            continue
        is_default = not setting.is_declared
        if is_default and (reminded or key not in used):
            continue  # one reminder is enough
        reminded = reminded or is_default
        yield Problem(
            f"{name}: {key} is {shown(setting)} on a cluster of {counted(brokers, 'broker')}, so Kafka cannot create"
            f" its own topic; expected at most {brokers}",
            cluster.place("brokers") if is_default else setting.place.location,
            name,
            f"set {key} to {brokers} on the brokers, and declare it under cluster.defaults",
            () if is_default else related,
            severity=Severity.ADVICE if is_default else None,
        )
    for application in context.topology.streams.values():
        own = context.settings.internal_replication(application)
        if own is not None and own.number is not None and own.number > brokers:
            yield Problem(
                f"{application.application_id}: {own.name} is {own.number} on a cluster of"
                f" {counted(brokers, 'broker')}, so Streams cannot create its internal topics; expected at most"
                f" {brokers}",
                own.place,
                application.application_id,
                f"set {own.name} to {brokers} or less",
                related,
            )


def _used(context: Context) -> frozenset[str]:
    """The settings of the topics that Kafka creates for what is declared. Every cluster gets that for offsets."""
    offsets, transactions, shares = INTERNAL
    writes = any(each.in_transactions for each in context.index.clients.senders)
    return frozenset((offsets, *([transactions] * writes), *([shares] * bool(possible_share_groups(context.topology)))))


GOOD = (
    "version: 1\ncluster: {brokers: 3}\n",
    "version: 1\ncluster: {brokers: 1, defaults: {offsets.topic.replication.factor: 1}}\n",
)
BAD = (
    Bad("version: 1\ncluster: {brokers: 3, defaults: {offsets.topic.replication.factor: 5}}\n", line=2, column=68),
    Bad("version: 1\ncluster: {brokers: 2}\n", line=2, column=20),
    Bad(
        """\
version: 1
cluster: {brokers: 3}
topics:
  orders: {partitions: 6, replication: 3}
streams:
  summing: {reads: [orders], config: {replication.factor: 5}}
""",
        line=6,
        column=59,
    ),
    Bad(
        """\
version: 1
cluster: {brokers: 3}
topics:
  orders: {partitions: 6, replication: 3}
streams:
  summing: {reads: [orders], internalTopics: {replication: 9}}
""",
        line=6,
        column=60,
    ),
    Bad(
        "version: 1\ncluster: {brokers: 1, defaults: {offsets.topic.replication.factor: 1}}\n"
        "topics: {orders: {partitions: 3, replication: 1}}\n"
        "producers: {teller: {topics: [orders], transactionalId: teller-}}\n",
        line=2,
        column=20,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R2", "R35"))
