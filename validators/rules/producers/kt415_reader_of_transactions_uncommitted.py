from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.promises import needs_committed
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import BILLING, CHECKOUT, CHECKOUT_EXACTLY_ONCE, ORDERS
from kafka_topology.validators.engine.helpers import problem_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT415: reader-of-transactions-uncommitted

A reader of a topic that is written in transactions does not wait for committed transactions.

An aborted transaction stays in the log: only a reader with `isolation.level: read_committed` skips it. Kafka's default
is `read_uncommitted`, which delivers aborted records and then their repetition, as if both were valid. Every producer
with a transactional id writes in transactions, whatever delivery it declares. A reader that declares `delivery:
at-most-once` asks for no such promise, so the rule skips it.

Fix: Set `isolation.level: read_committed` in every reader of a topic that is written in transactions.
"""


def check(context: Context) -> Iterator[Problem]:
    transactional = {
        topic: writer for writer in context.index.clients.writers if writer.in_transactions for topic in writer.topics
    }
    if not transactional:
        return
    for reader in context.index.clients.readers:
        topic = next((name for name in reader.topics if name in transactional), None)
        if topic is None or reader.delivery == "exactly-once" or reader.reads_committed:
            continue  # KT507 reports a reader that promises exactly-once itself
        if not needs_committed(reader.delivery, in_transactions=True):
            continue
        isolation = reader.isolation
        if isolation is None:
            continue
        writer = transactional[topic]
        yield problem_with(
            isolation,
            reader,
            f"{isolation.name} is {isolation.value}, but {writer.name} writes {topic} in"
            " transactions; expected read_committed",
            f"set {isolation.name} to read_committed, so that {reader.name} does not see aborted records",
            edit="read_committed",
            related=(Related(writer.in_transactions_place.location, f"{writer.name} writes in transactions"),),
        )


GOOD = (
    ORDERS
    + CHECKOUT_EXACTLY_ONCE
    + """\
consumerGroups:
  billing: {topics: [orders], config: {isolation.level: read_committed}}
  shipping: {topics: [orders], library: librdkafka, config: {isolation.level: READ_COMMITTED}}
  dashboard: {topics: [orders], delivery: at-most-once}
streams:
  copying: {reads: [orders], config: {processing.guarantee: exactly_once_v2}}
""",
)
BAD = (
    Bad(ORDERS + CHECKOUT_EXACTLY_ONCE + BILLING + "    delivery: at-least-once\n", line=7, column=3),
    Bad(
        ORDERS
        + CHECKOUT_EXACTLY_ONCE
        + """\
streams:
  copying:
    reads: [orders]
    config: {consumer.isolation.level: read_uncommitted}
""",
        line=9,
        column=40,
    ),
    Bad(ORDERS + CHECKOUT + "    transactionalId: checkout-\n" + BILLING, line=9, column=3),
    Bad(ORDERS + CHECKOUT + "    config: {transactional.id: checkout-1}\n" + BILLING, line=9, column=3),
    Bad(
        ORDERS + CHECKOUT + "    library: sarama\n    config: {Producer.Transaction.ID: a}\n" + BILLING,
        line=10,
        column=3,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R18",))
