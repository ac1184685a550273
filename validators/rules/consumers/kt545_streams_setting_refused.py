from __future__ import annotations

import re
from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.streams_clients import refused_protocols
from kafka_topology.topology.model.declared import StreamsApplication
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import kafka_integer
from kafka_topology.validators.engine.examples import ORDERS, SUMMING, changed, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT545: streams-setting-refused

A streams application does not start with a setting, or does nothing.

Kafka Streams checks some settings when the application starts: its consumers refuse `group.protocol: consumer` under a
prefix, because Kafka Streams gives them an assignor; `application.server` must be a host and a port; and names and
values of `client.tag.…` have at most 20 and 30 characters. With no thread it reads nothing, and with a
`replication.factor` that brokers refuse it cannot create its internal topics. Kafka Streams of 4.0 and later does not
start with an `upgrade.from` of 2.3 or before. That is a warning, because an application may be older than its brokers.

Fix: Change or remove the setting as the message says.
"""

FROM, SERVER, TAG = "upgrade.from", "application.server", "client.tag."
LONGEST_TAG, LONGEST_TAG_VALUE = 20, 30
LAST_EAGER = (2, 3)
# As Kafka takes them apart: a protocol and brackets may be around the host.
_ENDPOINT = re.compile(r"(?:[0-9a-zA-Z\-%._]*://)?\[?([0-9a-zA-Z\-%._:]*)\]?:([0-9]+)")


def check(context: Context) -> Iterator[Problem]:
    is_new = context.settings.catalogue.version.startswith("4.")
    for application in context.topology.streams.values():
        for key in refused_protocols(application):
            why = "with which its consumer does not start: Kafka Streams assigns the tasks"
            yield _problem(application, key, why, "no such setting")
        for key, value in application.config.items():
            yield from _at_start(application, key, value)
            yield from _number(application, key, value)
        if is_new and _is_eager(application.config.get(FROM, "")):
            why = "and Kafka Streams 4.0 and later does not start with that"
            yield _problem(application, FROM, why, "2.4 or later, or no such setting", Severity.WARNING)


def _at_start(application: StreamsApplication, key: str, value: str) -> Iterator[Problem]:
    if key == SERVER and value.strip() and "$" not in value and not _ENDPOINT.match(value.strip()):
        yield _problem(application, key, "so the application does not start", "a host and a port, as in app-1:8080")
    if not key.startswith(TAG):
        return
    if len(key) - len(TAG) > LONGEST_TAG:
        why = f"and the application does not start with a tag of {len(key) - len(TAG)} characters"
        yield _problem(application, key, why, f"a name of at most {LONGEST_TAG} characters after {TAG}")
    if len(value) > LONGEST_TAG_VALUE:
        why = f"{len(value)} characters, so the application does not start"
        yield _problem(application, key, why, f"at most {LONGEST_TAG_VALUE} characters")


def _number(application: StreamsApplication, key: str, value: str) -> Iterator[Problem]:
    number = kafka_integer(value)
    if number is None:
        return
    if key == "num.stream.threads" and number < 1:
        yield _problem(application, key, "so the application reads nothing", "1 or more")
    if key == "replication.factor" and (number == 0 or number < -1):
        yield _problem(
            application, key, "so the brokers refuse its internal topics", "1 or more, or -1 for the brokers' default"
        )


def _is_eager(version: str) -> bool:
    found = re.fullmatch(r"(\d+)\.(\d+)(?:\..*)?", version.strip())
    return found is not None and (int(found[1]), int(found[2])) <= LAST_EAGER


def _problem(
    application: StreamsApplication, key: str, why: str, expected: str, severity: Severity | None = None
) -> Problem:
    name = application.application_id
    fix = f"remove {key}" if expected == "no such setting" else f"set {key} to {expected}"
    return Problem(
        f"{name}: {key} is {application.config[key]}, {why}; expected {expected}",
        application.place("config", key),
        name,
        fix,
        severity=severity,
    )


EXAMPLE = on_cluster(
    'kafka: "4.1"', ORDERS + SUMMING + "    config: {num.stream.threads: 2, application.server: app-1:8080}\n"
)

GOOD = (
    EXAMPLE,
    changed(EXAMPLE, {"num.stream.threads: 2": "replication.factor: -1, upgrade.from: 2.4"}),
    changed(EXAMPLE, {"4.1": "3.9", "num.stream.threads: 2": "upgrade.from: 2.3"}),
    changed(EXAMPLE, {"num.stream.threads: 2": "client.tag.zone: a, rack.aware.assignment.tags: zone"}),
)
BAD = (
    Bad(changed(EXAMPLE, {"num.stream.threads: 2": "main.consumer.group.protocol: consumer"}), line=10, column=44),
    Bad(changed(EXAMPLE, {"num.stream.threads: 2": "upgrade.from: 2.3"}), line=10, column=28),
    Bad(changed(EXAMPLE, {"num.stream.threads: 2": "num.stream.threads: 0"}), line=10, column=34),
    Bad(changed(EXAMPLE, {"num.stream.threads: 2": "replication.factor: -2"}), line=10, column=34),
    Bad(changed(EXAMPLE, {"app-1:8080": "app-1"}), line=10, column=57),
    Bad(changed(EXAMPLE, {"num.stream.threads: 2": f"client.tag.zone: {'a' * 31}"}), line=10, column=31),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R18", "R24"))
