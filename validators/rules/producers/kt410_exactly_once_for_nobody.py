from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.promises import needs_committed
from kafka_topology.topology.model.declared import ShareGroup, StreamsApplication
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import (
    CHECKOUT,
    CHECKOUT_EXACTLY_ONCE,
    EXACTLY_ONCE,
    ORDERS,
    PACKERS,
    changed,
    on_cluster,
)
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Writer

DOCS = """\
# KT410: exactly-once-for-nobody

A producer writes in transactions, but no reader waits for them to complete.

Transactions cost latency, a round trip to the coordinator each, and markers in every partition. Only readers with
`isolation.level: read_committed` benefit: all others also see open and aborted transactions. The one remaining
benefit, no duplicates from retries, comes for free with an idempotent at-least-once producer. KT415 and KT507 report
readers that should read committed records and do not: this rule is for writers without such readers.

An application that reads, processes and writes needs its transactions whoever reads its topics: they hold the offsets
that it commits, and the state of Kafka Streams. The rule says nothing about Kafka Streams, nor about a producer whose
group, with the same principal or name, is exactly-once as well.

Fix: Declare `delivery: at-least-once`, or set `isolation.level: read_committed` in the readers.
"""


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        if writer.delivery != "exactly-once" or isinstance(writer.declared, StreamsApplication):
            continue  # transactions of Kafka Streams also keep its state and the offsets that it commits
        if _commits_offsets(context, writer) or not _readers_are_known(context, writer):
            continue
        readers = {reader.name: reader for topic in writer.topics for reader in context.index.clients.readers_of(topic)}
        shared = [group for topic in writer.topics for group in context.index.share_groups_of(topic)]
        # KT415 and KT507 report those that should read committed records and do not.
        if any(r.reads_committed or needs_committed(r.delivery, in_transactions=True) for r in readers.values()):
            continue
        if any(map(_reads_committed, shared)):
            continue
        who = f"none of its readers ({', '.join(sorted(readers))})" if readers else "nobody"
        yield Problem(
            f"{writer.name}: delivery is exactly-once, but {who} reads with isolation.level read_committed; expected"
            " at-least-once, or such a reader",
            writer.declared.place("delivery"),
            writer.name,
            "declare `delivery: at-least-once` (still idempotent), or set the readers to read_committed",
        )


def _reads_committed(group: ShareGroup) -> bool:
    return group.group_config.get("share.isolation.level") == "read_committed"


def _commits_offsets(context: Context, writer: Writer) -> bool:
    """Whether a group with its principal or name reads exactly once: its offsets are in the writer's transactions."""
    principals = frozenset(writer.declared.principals)
    return any(
        reader.delivery == "exactly-once"
        and (reader.name == writer.name or not principals.isdisjoint(reader.declared.principals))
        for reader in context.index.clients.readers
    )


def _readers_are_known(context: Context, writer: Writer) -> bool:
    """A public topic may have readers that other teams declare."""
    topics = context.topology.topics
    return all(
        context.index.clients.readers_of(name)
        or context.index.share_groups_of(name)
        or (name in topics and topics[name].visibility == "private")
        for name in writer.topics
    )


COUNTING = """\
version: 1
topics:
  payments: {partitions: 6, replication: 3}
  balances: {partitions: 6, replication: 3}
streams:
  counting: {reads: [payments], writes: [balances], delivery: exactly-once}
consumerGroups:
  dashboard: {topics: [balances], delivery: at-most-once}
"""
COPYING = """\
version: 1
topics:
  payments: {partitions: 6, replication: 3}
  balances: {partitions: 6, replication: 3}
producers:
  copying: {principal: "User:copying", topics: [balances], delivery: exactly-once, transactionalId: copying-}
consumerGroups:
  copying-reader: {principal: "User:copying", topics: [payments], delivery: exactly-once}
  dashboard: {topics: [balances], delivery: at-most-once}
"""

GOOD = (
    COUNTING,
    COPYING,
    on_cluster(
        'kafka: "4.2"', PACKERS + "    groupConfig: {share.isolation.level: read_committed}\n" + CHECKOUT_EXACTLY_ONCE
    ),
    ORDERS
    + CHECKOUT_EXACTLY_ONCE
    + """\
consumerGroups:
  billing: {topics: [orders], delivery: exactly-once, config: {isolation.level: read_committed}}
""",
    ORDERS
    + CHECKOUT_EXACTLY_ONCE
    + """\
consumerGroups:
  billing: {topics: [orders], delivery: exactly-once}
""",
    ORDERS + CHECKOUT_EXACTLY_ONCE + "consumerGroups:\n  billing: {topics: [orders]}\n",
    """\
version: 1
topics:
  orders: {visibility: public, partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], delivery: exactly-once, transactionalId: checkout-}
""",
)
BAD = (
    Bad(
        ORDERS + CHECKOUT + EXACTLY_ONCE + "consumerGroups:\n  billing: {topics: [orders], delivery: at-most-once}\n",
        line=7,
        column=15,
    ),
    Bad(changed(COPYING, {"[payments], delivery: exactly-once": "[payments]"}), line=6, column=70),
)

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, requirements=("R18",))
