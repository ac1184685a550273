from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import library_of
from kafka_topology.topology.kafka.clients.promises import MOST_IN_FLIGHT
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERED, ORDERS
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.in_library import to_set
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Writer

DOCS = """\
# KT403: too-many-in-flight

A producer has too many requests in flight to keep its records in order.

A broker remembers the last five batches of an idempotent producer, so order survives retries with up to five requests
in flight. Above that, a Kafka 4 producer refuses to start, and an older one silently turns idempotence off. Without
idempotence, two requests in flight are enough: the first fails, the second succeeds, the first is sent again, and its
records now come after later ones.

Fix: Keep `max.in.flight.requests.per.connection` at 5 or less with idempotence, and at 1 without it if a topic
declares an order. For a library that allows an idempotent producer only one request, KT431 says so.
"""

IN_FLIGHT = "max.in.flight.requests.per.connection"


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.senders:
        number = writer.number(IN_FLIGHT)
        if number is None or number <= 1 or (number <= MOST_IN_FLIGHT and writer.is_idempotent):
            continue
        in_flight = writer.setting(IN_FLIGHT)
        if in_flight is None or in_flight.number is None or _chooses_in_flight(writer):
            continue
        if in_flight.number > MOST_IN_FLIGHT and _wants_idempotence(context, writer):
            yield problem_with(
                in_flight,
                writer,
                f"{IN_FLIGHT} is {in_flight.number} with idempotence; expected at most {MOST_IN_FLIGHT}",
                to_set(writer.declared, IN_FLIGHT, str(MOST_IN_FLIGHT), " or less"),
                edit=str(MOST_IN_FLIGHT),
            )
            continue
        yield from _unordered(context, writer)


def _chooses_in_flight(writer: Writer) -> bool:
    """KT431 reports a number that the library refuses: it allows one request, or decides it itself."""
    library = library_of(writer.declared)
    return library is not None and library.limits_in_flight and writer.is_idempotent


def _wants_idempotence(context: Context, writer: Writer) -> bool:
    """Kafka 4 enforces the limit unless idempotence is set to false, older versions only if it is in effect."""
    if not kafka_true(writer.value("enable.idempotence")):
        return False
    return not context.topology.cluster.kafka.startswith("3.") or writer.is_idempotent


def _unordered(context: Context, writer: Writer) -> Iterator[Problem]:
    """Without idempotence, a batch that is sent again arrives after those that were already in flight."""
    if writer.is_idempotent or writer.number("retries") == 0:
        return
    decides, in_flight = writer.turns_idempotence_off(), writer.setting(IN_FLIGHT)
    if decides is None or in_flight is None:
        return
    topics = context.topology.topics
    ordered = next((t for t in writer.topics if t in topics and topics[t].ordering != "none"), None)
    if ordered is None:
        return
    at = in_flight if in_flight.is_declared else decides
    yield problem_with(
        at,
        writer,
        f"{IN_FLIGHT} is {shown(in_flight)} without idempotence ({decides.name} is {decides.value}),"
        f" but {ordered} promises {topics[ordered].ordering} order; expected 1, or idempotence",
        f"turn on idempotence with acks=all, or set {IN_FLIGHT} to 1",
    )


COUNTING = "streams:\n  counting:\n    reads: [orders]\n"
EXAMPLE = ORDERED + CHECKOUT + "    config: {max.in.flight.requests.per.connection: 5}\n"

GOOD = (
    EXAMPLE,
    ORDERED + CHECKOUT + "    config: {enable.idempotence: false, max.in.flight.requests.per.connection: 1}\n",
    ORDERED + CHECKOUT + "    library: franz-go\n    config: {DisableIdempotentWrite: true}\n",
    ORDERED + CHECKOUT + "    library: kafkajs\n    config: {idempotent: true, maxInFlightRequests: 6}\n",
    ORDERED + CHECKOUT + "    library: sarama\n    config: {Producer.Idempotent: true, Net.MaxOpenRequests: 6}\n",
)
BAD = (
    Bad(ORDERS + CHECKOUT + "    config:\n      max.in.flight.requests.per.connection: 10\n", line=8, column=46),
    Bad(
        ORDERED
        + CHECKOUT
        + """\
    config:
      enable.idempotence: false
      max.in.flight.requests.per.connection: 3
""",
        line=9,
        column=46,
    ),
    Bad(ORDERED + CHECKOUT + "    delivery: at-most-once\n    config:\n      acks: 1\n", line=9, column=13),
    Bad(
        ORDERED
        + CHECKOUT
        + """\
    library: franz-go
    config:
      DisableIdempotentWrite: true
      MaxProduceRequestsInflightPerBroker: 3
""",
        line=10,
        column=44,
    ),
    Bad(ORDERED + CHECKOUT + "    library: kafkajs\n", line=5, column=3),
    Bad(ORDERS + COUNTING + "    config: {max.in.flight.requests.per.connection: 6}\n", line=7, column=53),
    Bad(
        ORDERS
        + COUNTING
        + "    delivery: exactly-once\n    config:\n      producer.max.in.flight.requests.per.connection: 6\n",
        line=9,
        column=55,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R9", "R17"))
