from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import library_of
from kafka_topology.topology.kafka.clients.libraries.librdkafka import LIBRDKAFKA
from kafka_topology.topology.kafka.effective import Setting
from kafka_topology.topology.model.declared import Producer
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration, kafka_true
from kafka_topology.validators.engine.examples import CHECKOUT, EXACTLY_ONCE, ORDERS, changed
from kafka_topology.validators.engine.helpers import place_of, related, shown
from kafka_topology.validators.engine.in_library import refused_by
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Writer

DOCS = """\
# KT420: transaction-ends-before-delivery

`transaction.timeout.ms` is below `delivery.timeout.ms`.

The coordinator aborts a transaction that is open for longer than `transaction.timeout.ms`, and raises the producer's
epoch. The producer meanwhile retries its records until `delivery.timeout.ms`, in vain: when a broker answers again, it
refuses them with InvalidProducerEpochException. A short failure of a broker, which a retry would have survived, then
ends the transaction. Kafka's own defaults, 1 and 2 minutes, have this gap too; the rule reports it if the file sets one
of them. Kafka Streams handles it itself. librdkafka lowers its own default to the transaction's timeout, and does not
start with a `message.timeout.ms` above it: there it is an error. Even its transaction must last for one attempt.

Fix: Set `delivery.timeout.ms` to `transaction.timeout.ms` or less, and above `linger.ms` + `request.timeout.ms`.
"""

TRANSACTION, DELIVERY = "transaction.timeout.ms", "delivery.timeout.ms"


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        if not isinstance(writer.declared, Producer) or writer.transactional_id is None:
            continue
        longest, delivered = writer.number(TRANSACTION), writer.number(DELIVERY)
        if longest is None or delivered is None or longest >= delivered:
            continue
        transaction, delivery = writer.setting(TRANSACTION), writer.setting(DELIVERY)
        if transaction is None or delivery is None or not (transaction.is_declared or delivery.is_declared):
            continue
        if kafka_true(writer.value("transaction.two.phase.commit.enable")):
            continue  # such transactions do not expire
        refused = refused_by(writer.declared, "KT420")
        attempt = (writer.number("linger.ms") or 0) + (writer.number("request.timeout.ms") or 0)
        if library_of(writer.declared) is LIBRDKAFKA and refused is None:
            if longest < attempt:
                yield _before_one_attempt(writer, transaction, attempt)
            continue  # its default follows the transaction
        effect = (
            f"which {refused} refuses to start with"
            if refused
            else "so the transaction is aborted while its records are still being sent"
        )
        at, other = (transaction, delivery) if transaction.is_declared else (delivery, transaction)
        yield Problem(
            f"{writer.name}: {TRANSACTION} is {shown(transaction)}, below {DELIVERY} of {shown(delivery)},"
            f" {effect}; expected at least {format_duration(delivered)}",
            place_of(at, writer.declared),
            writer.name,
            _fix(longest, delivered, attempt),
            related(other, f"{other.name} is set here"),
            severity=Severity.ERROR if refused else None,
        )


def _before_one_attempt(writer: Writer, transaction: Setting, attempt: int) -> Problem:
    return Problem(
        f"{writer.name}: {TRANSACTION} is {shown(transaction)}, so a transaction is aborted before one attempt to send"
        f" is over; expected at least {format_duration(attempt)}, linger.ms + request.timeout.ms",
        place_of(transaction, writer.declared),
        writer.name,
        f"raise {TRANSACTION} to {format_duration(attempt)} or more",
    )


def _fix(longest: int, delivered: int, one_attempt: int) -> str:
    raising = f"raise {TRANSACTION} to {format_duration(delivered)}"
    if longest < one_attempt:
        return raising  # KT405 reports a delivery timeout below that
    return f"lower {DELIVERY} to {format_duration(longest)}, or {raising}"


EXAMPLE = ORDERS + CHECKOUT + EXACTLY_ONCE + "    config: {transaction.timeout.ms: 1m, delivery.timeout.ms: 1m}\n"

IN_C = ORDERS + CHECKOUT + EXACTLY_ONCE + "    library: librdkafka\n    config: {transaction.timeout.ms: 40s}\n"

GOOD = (EXAMPLE, ORDERS + CHECKOUT + EXACTLY_ONCE, IN_C)
BAD = (
    Bad(changed(EXAMPLE, {"transaction.timeout.ms: 1m": "transaction.timeout.ms: 30s"}), line=9, column=38),
    Bad(
        changed(EXAMPLE, {"transaction.timeout.ms: 1m, delivery.timeout.ms: 1m": "delivery.timeout.ms: 5m"}),
        line=9,
        column=35,
    ),
    Bad(changed(IN_C, {"timeout.ms: 40s": "timeout.ms: 40s, message.timeout.ms: 5m"}), line=10, column=38),
    Bad(changed(IN_C, {"40s": "10s"}), line=10, column=38),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R17", "R18"))
