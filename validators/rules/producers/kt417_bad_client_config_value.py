from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.catalogue import VERSIONS, catalogue
from kafka_topology.topology.kafka.clients.assignors import assignor_class
from kafka_topology.topology.kafka.clients.own_classes import missing_class
from kafka_topology.topology.model.declared import ConsumerGroup
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import nearest
from kafka_topology.validators.engine.examples import BILLING, CHECKOUT, ORDERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.clients import ClientConfig

DOCS = """\
# KT417: bad-client-config-value

A client setting has a value that Kafka does not accept.

Kafka's clients check their settings when they are created, and throw a ConfigException for a value of the wrong type
or out of range: the application does not start. Find it here instead.

`partition.assignment.strategy` of the Java client takes names of classes. `range` and `cooperative-sticky` are
librdkafka's names; the Java client looks for a class of that name, finds none and does not start. The same is true of a
misspelt class in one of Kafka's own packages, for assignors, partitioners and serializers. Classes of other packages
are yours, and not judged.

Clients may be newer than the brokers: a value that only a later version takes is a warning.

Fix: Write a value as the message describes it.
"""

STRATEGY = "partition.assignment.strategy"


def check(context: Context) -> Iterator[Problem]:
    find = context.settings.catalogue.find
    for client in context.index.clients.configs:
        for setting, value in client.values.items():
            key = find(client.scope, setting)
            if setting == STRATEGY and isinstance(client.declared, ConsumerGroup):
                yield from _assignors(client, value)
            yield from _classes(client, setting, value)
            if key is None or key.type == "password" or key.problem(value) is None:
                continue  # KT411 reports an unknown name, KT607 a secret
            since = _taken_since(client, setting, value, context.settings.catalogue.version)
            later = f", or a client of {since} or later" if since else ""
            yield Problem(
                f"{client.name}: {setting} is `{value}`; expected {key.expected}{later}",
                client.place(setting),
                client.name,
                f"set {setting} to {key.expected}{later}",
                severity=Severity.WARNING if since else None,
            )


def _taken_since(client: ClientConfig, setting: str, value: str, version: str) -> str | None:
    """The first version after this one whose clients take the value. Settings of a group are the brokers'."""
    if client.scope == "group":
        return None
    for later in VERSIONS[VERSIONS.index(version) + 1 :]:
        key = catalogue(later).find(client.scope, setting)
        if key is not None and key.problem(value) is None:
            return later
    return None


def _classes(client: ClientConfig, setting: str, value: str) -> Iterator[Problem]:
    """Classes that Kafka's packages do not have. Kafka Streams hands a setting with a prefix to its clients."""
    found = missing_class(setting.removeprefix("main.").removeprefix("consumer.").removeprefix("producer."), value)
    if found is None:
        return
    wrong, known = found
    near = nearest(wrong.strip("[]\"' "), known, likeness=0.75)
    yield Problem(
        f"{client.name}: {setting} is `{value}`, but Kafka has no class {wrong}, so the client does not start; expected"
        f" {near or ' or '.join(known)}",
        client.place(setting),
        client.name,
        f"did you mean {near}?" if near else f"set {setting} to a class that Kafka has",
    )


def _assignors(client: ClientConfig, value: str) -> Iterator[Problem]:
    """Names of assignors that are no classes."""
    items = [item.strip() for item in value.split(",")]
    classes = [assignor_class(item) for item in items]
    wrong = [item for item, known in zip(items, classes, strict=True) if known is not None]
    if wrong:
        expected = ",".join(known or item for item, known in zip(items, classes, strict=True))
        yield Problem(
            f"{client.name}: {STRATEGY} is `{value}`, but the Java client has no class {' or '.join(wrong)} and does"
            f" not start; expected {expected}",
            client.place(STRATEGY),
            client.name,
            f"set {STRATEGY} to {expected}, or declare `library: librdkafka` if it is one of its clients",
        )


GOOD = (
    ORDERS + "producers:\n  checkout: {topics: [orders], config: {acks: all, compression.type: zstd}}\n",
    ORDERS
    + BILLING
    + "    config: {partition.assignment.strategy: org.apache.kafka.clients.consumer.CooperativeStickyAssignor}\n",
    ORDERS + BILLING + "    library: librdkafka\n    config: {partition.assignment.strategy: cooperative-sticky}\n",
)
BAD = (
    Bad(
        ORDERS + "producers:\n  checkout: {topics: [orders], delivery: at-most-once, config: {acks: 2}}\n",
        line=5,
        column=71,
        needs_whole=True,
    ),
    Bad(ORDERS + BILLING + "    config:\n      auto.offset.reset: begin\n", line=8, column=26, needs_whole=True),
    Bad(
        ORDERS + "consumerGroups:\n  billing: {topics: [orders], groupConfig: {share.isolation.level: dirty}}\n",
        line=5,
        column=68,
    ),
    Bad(
        ORDERS + BILLING + "    config:\n      partition.assignment.strategy: cooperative-sticky\n",
        line=8,
        column=38,
        needs_whole=True,
    ),
    Bad(
        on_cluster('kafka: "3.7"', ORDERS + BILLING + '    config:\n      auto.offset.reset: "by_duration:PT1H"\n'),
        line=9,
        column=26,
        needs_whole=True,
    ),
    Bad(
        ORDERS + BILLING + "    library: java\n    config:\n      partition.assignment.strategy: range\n",
        line=9,
        column=38,
        needs_whole=True,
    ),
    Bad(
        ORDERS
        + BILLING
        + """\
    config:
      partition.assignment.strategy: org.apache.kafka.clients.consumer.CoperativeStickyAssignor
""",
        line=8,
        column=38,
        needs_whole=True,
    ),
    Bad(
        ORDERS
        + BILLING
        + """\
    config:
      partition.assignment.strategy: "[org.apache.kafka.clients.consumer.RangeAssignor]"
""",
        line=8,
        column=38,
        needs_whole=True,
    ),
    Bad(
        ORDERS
        + CHECKOUT
        + "    config:\n      partitioner.class: org.apache.kafka.clients.producer.RoundRobbinPartitioner\n",
        line=8,
        column=26,
        needs_whole=True,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17", "R19", "R23"), judges_parts=True)
