from __future__ import annotations

import re
from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import given, library_of, side_of
from kafka_topology.topology.kafka.clients.libraries.values import expected_value
from kafka_topology.topology.model.declared import StreamsApplication
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import BILLING, CHECKOUT, ORDERS, changed
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.in_library import called
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT431: bad-library-setting-value

A setting of a declared library has a value that the library does not accept.

librdkafka's own ranges are used where it has them; elsewhere, the value of the Java client that the setting stands for
must be possible, and a library with words of its own knows no others: `none` is no start offset of sarama or KafkaJS.
Brokers refuse other `acks` than -1, 0 and 1, although librdkafka sends them. A time, size or rate may have a unit, as
in `sessionTimeout: 30s`; only Go's durations must. A client with such a value does not start, or the code does not
compile. An idempotent producer of sarama or KafkaJS needs a single request in flight; sarama's default is 5, so it must
be set. franz-go decides it itself and refuses `MaxProduceRequestsInflightPerBroker` for an idempotent producer.
librdkafka knows assignors by short names, refuses the Java client's classes, and does not offer `cooperative-sticky`
together with another one. sarama speaks the protocol of its `Version`, and refuses idempotence below `V0_11_0_0` and
zstd below `V2_1_0_0`.

Fix: Write a value as the message describes it.
"""


_SARAMA_VERSION = re.compile(r"(?:sarama\.)?V([0-9]+(?:_[0-9]+){3})")
# A setting of Java, its value, and the first version with which sarama takes it.
_NEEDS_VERSION = {"enable.idempotence": ("true", (0, 11, 0, 0)), "compression.type": ("zstd", (2, 1, 0, 0))}
IN_FLIGHT = "max.in.flight.requests.per.connection"


def check(context: Context) -> Iterator[Problem]:
    yield from _too_many_in_flight(context)
    yield from _too_old(context)
    catalogue = context.settings.catalogue
    for client, library in context.index.clients.library_configs:
        if isinstance(client.declared, StreamsApplication):
            continue
        side = side_of(client.declared)
        for name, value in client.values.items():
            own = library.settings(side).get(name)
            if own is None:
                continue  # KT430 reports an unknown name
            expected = expected_value(own, catalogue.find(side, own.java) if own.java is not None else None, value)
            if expected is None:
                continue
            yield Problem(
                f"{client.name}: {name} is `{value}`; expected {expected}",
                client.place(name),
                client.name,
                f"set {name} to {expected}",
            )


def _too_old(context: Context) -> Iterator[Problem]:
    """sarama speaks the protocol of the declared version, and refuses what that did not have."""
    for producer in context.topology.producers.values():
        version = _SARAMA_VERSION.fullmatch(producer.config.get("Version", ""))
        if producer.library != "sarama" or version is None:
            continue
        for name, (value, least) in _NEEDS_VERSION.items():
            number = tuple(int(part) for part in version[1].split("_"))
            if given(producer).get(name) == value and number < least:
                expected = f"V{'_'.join(map(str, least))}"
                yield Problem(
                    f"{producer.name}: Version is {version[0]}, with which sarama refuses {called(producer, name)};"
                    f" expected {expected} or later",
                    producer.place("config", "Version"),
                    producer.name,
                    f"set Version to the version of the brokers, or to {expected}",
                )


def _too_many_in_flight(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        library = library_of(writer.declared)
        if library is None or not writer.is_idempotent:
            continue
        setting, name = writer.setting(IN_FLIGHT), called(writer.declared, IN_FLIGHT)
        if library.chooses_in_flight and setting is not None and setting.is_declared and setting.number != 1:
            yield problem_with(
                setting,
                writer,
                f"{name} is {setting.value}, but {library.title} decides it for an idempotent producer and refuses to"
                " start; expected no such setting",
                f"remove {name}, or set DisableIdempotentWrite",
            )
        if library.idempotent_in_flight > 1:
            continue  # KT403 judges the others
        if setting is not None and (setting.number or 0) > library.idempotent_in_flight:
            yield problem_with(
                setting,
                writer,
                f"{name} is {shown(setting)}, but an idempotent producer of {library.title} may have only"
                f" {library.idempotent_in_flight}; expected {library.idempotent_in_flight}",
                f"set {name} to {library.idempotent_in_flight}",
                edit=str(library.idempotent_in_flight),
            )


EXAMPLE = (
    ORDERS
    + """\
producers:
  checkout: {topics: [orders], library: librdkafka, config: {linger.ms: 100ms}}
  tracker: {topics: [orders], library: sarama, config: {Producer.RequiredAcks: WaitForAll}}
"""
)
ASSIGNOR = "consumerGroups:\n  billing:\n    topics: [orders]\n    library: librdkafka\n    config:\n"
UNITS = (
    ORDERS
    + """\
consumerGroups:
  mailer: {topics: [orders], library: kafkajs, config: {sessionTimeout: 30s, retry.maxRetryTime: 1m}}
  audit: {topics: [orders], library: kafka-python, config: {session_timeout_ms: 30s, fetch_max_bytes: 5MiB}}
  search: {topics: [orders], library: kafka-go, config: {MaxBytes: 5MiB, ReadBackoffMax: 2s}}
"""
)
GOOD = (
    EXAMPLE,
    UNITS,
    ORDERS + BILLING + "    library: kafka-python\n    config: {auto_offset_reset: smallest}\n",
    ORDERS + ASSIGNOR + "      partition.assignment.strategy: cooperative-sticky\n",
)
BAD = (
    Bad(ORDERS + BILLING + "    library: kafka-python\n    config: {auto_offset_reset: first}\n", line=8, column=33),
    Bad(changed(EXAMPLE, {"linger.ms: 100ms": "linger.ms: 1h"}), line=5, column=73),
    Bad(changed(EXAMPLE, {"WaitForAll": "All"}), line=6, column=80),
    Bad(changed(EXAMPLE, {"WaitForAll}": "WaitForAll, Producer.Idempotent: true}"}), line=6, column=12),
    Bad(
        ORDERS + CHECKOUT + "    library: kafkajs\n    config: {idempotent: true, maxInFlightRequests: 6}\n",
        line=8,
        column=53,
    ),
    Bad(changed(UNITS, {"sessionTimeout: 30s": "sessionTimeout: 30 sec"}), line=5, column=73),
    Bad(changed(UNITS, {"ReadBackoffMax: 2s": "ReadBackoffMax: 2"}), line=7, column=90),
    Bad(
        ORDERS + CHECKOUT + "    library: franz-go\n    config:\n      MaxProduceRequestsInflightPerBroker: 5\n",
        line=9,
        column=44,
    ),
    Bad(
        ORDERS + ASSIGNOR + "      partition.assignment.strategy: org.apache.kafka.clients.consumer.RangeAssignor\n",
        line=9,
        column=38,
    ),
    Bad(
        ORDERS + ASSIGNOR + '      partition.assignment.strategy: "range,cooperative-sticky"\n',
        line=9,
        column=38,
    ),
    Bad(
        changed(
            EXAMPLE, {"topics: [orders], library: lib": "topics: [orders], delivery: at-most-once, library: lib"}
        ).replace("linger.ms: 100ms", "acks: 2"),
        line=5,
        column=92,
    ),
    Bad(
        changed(UNITS, {"MaxBytes: 5MiB": "StartOffset: none"}),
        line=7,
        column=71,
    ),
    Bad(
        ORDERS
        + CHECKOUT
        + "    library: sarama\n    config: {Version: V2_0_0_0, Producer.Compression: CompressionZSTD}\n",
        line=8,
        column=23,
    ),
    Bad(
        ORDERS
        + CHECKOUT
        + """\
    library: sarama
    config: {Version: V0_10_2_0, Producer.Idempotent: true, Net.MaxOpenRequests: 1}
""",
        line=8,
        column=23,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17", "R19", "R23"))
