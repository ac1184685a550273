from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.share_groups import possible_share_groups
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import CHECKOUT, CHECKOUT_EXACTLY_ONCE, PACKERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT560: share-group-reads-uncommitted

A share group reads a topic that is written in transactions, and does not skip aborted records.

The brokers decide for the whole group: with `share.isolation.level: read_uncommitted`, Kafka's default, its consumers
also get records of transactions that are open or were aborted.

Fix: Set `share.isolation.level: read_committed` in the `groupConfig` of the share group.
"""

_KEY = "share.isolation.level"


def check(context: Context) -> Iterator[Problem]:
    transactional = {
        topic: writer for writer in context.index.clients.writers if writer.in_transactions for topic in writer.topics
    }
    for name, group in possible_share_groups(context.topology).items():
        topic = next((each for each in group.topics if each in transactional), None)
        if topic is None or group.group_config.get(_KEY) == "read_committed":
            continue
        writer = transactional[topic]
        yield Problem(
            f"{name}: {_KEY} is {group.group_config.get(_KEY, 'read_uncommitted by default')}, but {writer.name} writes"
            f" {topic} in transactions; expected read_committed",
            group.place("groupConfig", _KEY) if _KEY in group.group_config else group.name_place(),
            name,
            f"set {_KEY} to read_committed",
            related=(Related(writer.in_transactions_place.location, f"{writer.name} writes in transactions"),),
        )


GOOD = (
    on_cluster(
        'kafka: "4.2"', PACKERS + "    groupConfig: {share.isolation.level: read_committed}\n" + CHECKOUT_EXACTLY_ONCE
    ),
)
BAD = (
    Bad(on_cluster('kafka: "4.2"', PACKERS + CHECKOUT_EXACTLY_ONCE), line=6, column=3),
    Bad(on_cluster('kafka: "4.2"', PACKERS + CHECKOUT + "    transactionalId: checkout-\n"), line=6, column=3),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD)
