from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import config_place, given, library_of
from kafka_topology.topology.kafka.clients.promises import contradicts_idempotence
from kafka_topology.topology.kafka.clients.streams_clients import set_as
from kafka_topology.topology.model.declared import Producer, StreamsApplication
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.places import Place
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import CLICKS, ORDERS, changed
from kafka_topology.validators.engine.in_library import to_set
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Writer

DOCS = """\
# KT418: idempotence-contradicted

A producer turns on idempotence explicitly, together with a setting that rules it out.

Idempotence needs `acks=all` and retries. A producer that sets `enable.idempotence: true` and contradicts it throws a
ConfigException and does not start. So does one with a `transactional.id`, which needs idempotence, and a Kafka Streams
application with `exactly_once_v2`. (If only the default applies, idempotence is silently turned off. Not by franz-go,
whose default needs `AllISRAcks` until `DisableIdempotentWrite` is set.) For a producer
that promises at-least-once, KT401 and KT404 report the same values.

Fix: Remove one of the two.
"""


_EXPECTED = {"acks": "all", "retries": "1 or more"}
_NAMES = (*_EXPECTED, "enable.idempotence", "transactional.id")


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.senders:
        config = _named(writer)
        by = _turned_on_by(writer, config)
        if writer.delivery != "at-most-once" or by is None:
            continue  # KT401 and KT404 report the others
        for name in contradicts_idempotence({name: value for name, (value, _) in config.items()}):
            (value, at), expected = config[name], _EXPECTED[name]
            off = f"remove {by[0]}" if by[0] in config else to_set(writer.declared, "enable.idempotence", "false")
            yield Problem(
                f"{writer.name}: {name} is {value} with {by[0]}, so the client does not start; expected {expected}, or"
                " no idempotence",
                at,
                writer.name,
                f"{off}, or {to_set(writer.declared, name, expected)}",
                related=(Related(by[1].location, "idempotence is turned on here"),),
            )


def _named(writer: Writer) -> dict[str, tuple[str, Place]]:
    """The declared settings of the producer that matter, by Java's names."""
    client = writer.declared
    if isinstance(client, Producer):
        config = given(client)
        return {name: (config[name], config_place(client, name)) for name in _NAMES if name in config}
    own = {name: set_as(client.config, "producer", name) for name in _NAMES}
    return {name: (client.config[key], client.place("config", key)) for name, key in own.items() if key is not None}


def _turned_on_by(writer: Writer, config: dict[str, tuple[str, Place]]) -> tuple[str, Place] | None:
    """What turns on idempotence, and its place: transactions need it."""
    if isinstance(writer.declared, StreamsApplication) and writer.in_transactions:
        return "processing.guarantee", writer.in_transactions_place
    for name in ("enable.idempotence", "transactional.id"):
        if name in config:
            value, at = config[name]
            return (name, at) if name == "transactional.id" or kafka_true(value) else None
    library = library_of(writer.declared)
    if library is not None and library.keeps_idempotence:
        return f"idempotence, {library.title}'s default", writer.declared.place("library")
    return None


EXAMPLE = CLICKS + "producers:\n  tracker: {topics: [clicks], delivery: at-most-once, config: {acks: 1}}\n"
OTHER = changed(EXAMPLE, {"acks: 1": "acks: 1, enable.idempotence: true"})

STREAMS = """\
streams:
  counting: {reads: [orders], delivery: at-most-once, config: {acks: 1, processing.guarantee: at_least_once}}
"""

GOOD = (
    EXAMPLE,
    ORDERS + STREAMS,
    CLICKS
    + """\
producers:
  tracker:
    topics: [clicks]
    delivery: at-most-once
    library: franz-go
    config: {RequiredAcks: LeaderAck, DisableIdempotentWrite: true}
""",
)
FRANZ = changed(EXAMPLE, {"config: {acks: 1": "library: franz-go, config: {RequiredAcks: LeaderAck"})
BAD = (
    Bad(OTHER, line=5, column=70),
    Bad(changed(OTHER, {"acks: 1": "retries: 0"}), line=5, column=73),
    Bad(changed(OTHER, {"acks: 1": 'retries: " 00"'}), line=5, column=73),
    Bad(changed(OTHER, {"enable.idempotence: true": "transactional.id: track"}), line=5, column=70),
    Bad(ORDERS + changed(STREAMS, {"at_least_once": "exactly_once_v2"}), line=5, column=70),
    Bad(
        ORDERS + changed(STREAMS, {"processing.guarantee: at_least_once": "producer.enable.idempotence: true"}),
        line=5,
        column=70,
    ),
    Bad(FRANZ, line=5, column=97),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17",))
