from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import library_of
from kafka_topology.topology.kafka.clients.producer_timeouts import time_to_deliver
from kafka_topology.topology.kafka.clients.promises import delivery_timeout_fits
from kafka_topology.topology.model.declared import Producer, StreamsApplication
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERS
from kafka_topology.validators.engine.helpers import own_edit, place_of
from kafka_topology.validators.engine.in_library import called, refused_by
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Writer

RULE_ID = "KT405"
DOCS = """\
# KT405: delivery-timeout-too-short

`delivery.timeout.ms` is below `linger.ms` + `request.timeout.ms`.

`delivery.timeout.ms` limits everything that happens to a record: waiting for its batch, sending it, waiting for the
answer and sending it again. `linger.ms` + `request.timeout.ms` is the time of one attempt. If it is shorter than that,
the Java producer refuses to start; kafka-python's does so with its default of 2 minutes, too. librdkafka starts if
`linger.ms` alone is below `message.timeout.ms`, and a slow answer then loses the record without a retry: a warning. If
the time is only slightly longer, one attempt fits and no retry: the first request that times out loses the record.

Fix: Raise `delivery.timeout.ms` (Kafka's default is 2 minutes; in transactions at most to `transaction.timeout.ms`), or
lower `request.timeout.ms` or `linger.ms`.
"""


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.senders:
        linger, request = writer.number("linger.ms"), writer.number("request.timeout.ms")
        timeout = writer.number("delivery.timeout.ms")
        if linger is None or request is None or timeout is None:
            continue
        if delivery_timeout_fits(timeout, linger, request):
            continue
        delivery = writer.setting("delivery.timeout.ms")
        if delivery is None or delivery.number is None:
            continue
        if not delivery.is_declared and not _keeps_default(writer):
            continue  # the client raises its own default if needed
        needed = linger + request
        longest = time_to_deliver(needed, _transaction(writer))
        enough = format_duration(longest)
        rest = "one attempt takes as long" if longest <= needed else "what one attempt leaves of it is for retries"
        yield Problem(
            f"{writer.name}: delivery.timeout.ms is {format_duration(delivery.number)}, below linger.ms"
            f" {format_duration(linger)} + request.timeout.ms {format_duration(request)}; expected at least"
            f" {format_duration(needed)}",
            place_of(delivery, writer.declared),
            writer.name,
            f"set {called(writer.declared, delivery.name)} to {enough}: {rest}",
            edits=own_edit(delivery, enough) if delivery.is_declared else (),
            severity=None if _is_refused(writer) else Severity.WARNING,
        )


def _transaction(writer: Writer) -> int | None:
    """The timeout of its transactions, which deliveries must not outlive; Kafka Streams handles it itself."""
    is_plain = isinstance(writer.declared, Producer) and writer.transactional_id is not None
    return writer.number("transaction.timeout.ms") if is_plain else None


def _is_refused(writer: Writer) -> bool:
    """Kafka Streams uses the Java producer."""
    return isinstance(writer.declared, StreamsApplication) or refused_by(writer.declared, RULE_ID) is not None


def _keeps_default(writer: Writer) -> bool:
    """Whether the client refuses its own default, too, if one attempt does not fit into it."""
    library = library_of(writer.declared)
    relations = library.relations if library is not None else ()
    return any(each.found_by == RULE_ID and not each.when for each in relations)


GOOD = (ORDERS + CHECKOUT + "    config: {delivery.timeout.ms: 2m, request.timeout.ms: 30s, linger.ms: 0}\n",)
BAD = (
    Bad(
        ORDERS
        + CHECKOUT
        + """\
    config:
      delivery.timeout.ms: 30s
      request.timeout.ms: 30s
      linger.ms: 100ms
""",
        line=8,
        column=28,
    ),
    Bad(ORDERS + "producers:\n  checkout: {topics: [orders], config: {delivery.timeout.ms: 10s}}\n", line=5, column=62),
    Bad(ORDERS + CHECKOUT + "    library: kafka-python\n    config: {request_timeout_ms: 5m}\n", line=5, column=3),
    Bad(ORDERS + CHECKOUT + "    library: librdkafka\n    config: {message.timeout.ms: 20s}\n", line=8, column=34),
    Bad(
        ORDERS + CHECKOUT + "    library: librdkafka\n    config: {message.timeout.ms: 400, linger.ms: 500}\n",
        line=8,
        column=34,
    ),
    Bad(
        ORDERS + "streams:\n  counting: {reads: [orders], config: {producer.delivery.timeout.ms: 10s}}\n",
        line=5,
        column=70,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17",))
