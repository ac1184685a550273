from __future__ import annotations

from collections.abc import Iterator, Mapping

from kafka_topology.topology.kafka.catalogue import Catalogue, ConfigKey, Scope
from kafka_topology.topology.kafka.clients.libraries import side_of
from kafka_topology.topology.kafka.clients.libraries.librdkafka import LIBRDKAFKA
from kafka_topology.topology.kafka.share_groups import has_share_groups
from kafka_topology.topology.model.declared import ConsumerGroup, Producer, ShareGroup
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import nearest
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule
from kafka_topology.validators.facts.clients import ClientConfig

DOCS = """\
# KT411: unknown-client-config

A producer, consumer group, share group or streams application has a setting that its client does not have.

Kafka's clients ignore an unknown setting, with one line in a log. A misspelled `enable.idempotance`, or a consumer
setting on a producer, looks right in review and has no effect. The names are those of the Java clients in the declared
version. Clients may be newer or older than the brokers, and the file does not say how old they are: a setting that only
another version has is a warning. KT430 judges a client whose `library` has other names. Without `library`, a name that
librdkafka has and Java does not is an advice, because the client may be one of librdkafka; it is none if the producer's
`partitioner` is one of librdkafka's. Settings that serializers and Spring read from the same config are allowed.
`config` takes Kafka's names also with `library: spring`: `acks`, not `spring.kafka.producer.acks`.

Fix: Use the name that the message suggests, or remove the setting. For a client of librdkafka, declare
`library: librdkafka`.
"""

SPRING = "spring.kafka."
_SIDES: tuple[Scope, ...] = ("producer", "consumer")
_WHO: Mapping[Scope, str] = {"producer": "a producer", "consumer": "a consumer", "streams": "Kafka Streams"}


def check(context: Context) -> Iterator[Problem]:
    catalogue = context.settings.catalogue
    allowed = context.texts("allow")
    yield from _of_spring(context, allowed)
    for client in context.index.clients.configs:
        for key in client.values:
            if catalogue.find(client.scope, key) is not None or (client.scope != "group" and key.startswith(allowed)):
                continue
            if isinstance(client.declared, ShareGroup) and not has_share_groups(context.topology.cluster):
                continue  # KT550 says that these brokers have no share groups
            if context.is_part and catalogue.in_other_version(client.scope, key) is not None:
                continue  # the cluster may run the version that has it
            elsewhere = catalogue.in_other_version(client.scope, key) if client.scope != "group" else None
            if elsewhere is not None:
                yield _of_other_version(client, catalogue.version, key, elsewhere)
                continue
            if _may_be_librdkafka(client, key):
                if _uses_librdkafka(client):
                    continue
                if not any(key in catalogue.scope(side) for side in _SIDES):
                    yield _of_librdkafka(client, key)
                    continue
            what, fix = _explain(catalogue, client.scope, key)
            yield Problem(f"{client.name}: {what}", client.name_place(key), client.name, fix)


def _of_spring(context: Context, allowed: tuple[str, ...]) -> Iterator[Problem]:
    """Properties of Spring Boot, which an allowed prefix covers unless the file allows just them."""
    if SPRING in allowed or not SPRING.startswith(allowed):
        return
    for client in context.index.clients.configs:
        for key in client.values:
            if key.startswith(SPRING):
                yield _springs(context.settings.catalogue, client, key)


def _springs(catalogue: Catalogue, client: ClientConfig, key: str) -> Problem:
    """The last part is Kafka's name with hyphens."""
    rest = key.removeprefix(SPRING)
    for part in ("producer.", "consumer.", "streams.", "properties."):
        rest = rest.removeprefix(part)
    name = rest.replace("-", ".")
    expected = name if catalogue.find(client.scope, name) is not None else _nearest(catalogue, client.scope, name)
    called = f", {expected}" if expected else ""
    return Problem(
        f"{client.name}: {key} is a property of Spring Boot; expected Kafka's name{called}",
        client.name_place(key),
        client.name,
        f"write {expected} instead" if expected else "write Kafka's name instead, or remove it",
    )


def _may_be_librdkafka(client: ClientConfig, key: str) -> bool:
    declared = client.declared
    if not isinstance(declared, Producer | ConsumerGroup) or declared.library is not None or client.scope == "group":
        return False
    return key in LIBRDKAFKA.settings(side_of(declared))


def _uses_librdkafka(client: ClientConfig) -> bool:
    """Whether the partitioner says so, without a declared library."""
    declared = client.declared
    return isinstance(declared, Producer) and (declared.partitioner or "").startswith("librdkafka-")


def _of_librdkafka(client: ClientConfig, key: str) -> Problem:
    return Problem(
        f"{client.name}: {key} is a setting of librdkafka, which {_WHO[client.scope]} of Java ignores; expected"
        " `library: librdkafka`, or the Java client's name",
        client.name_place(key),
        client.name,
        "declare `library: librdkafka` if it is its client, or the Java client's name if there is one",
        severity=Severity.ADVICE,
    )


def _of_other_version(client: ClientConfig, version: str, key: str, found: ConfigKey) -> Problem:
    when = f"removed in {found.removed}" if found.removed else f"added in {found.since}"
    has_it = f"before {found.removed}" if found.removed else f"of {found.since} or later"
    return Problem(
        f"{client.name}: {_WHO[client.scope]} of Kafka {version} has no setting {key}: {when}; expected a client"
        f" {has_it}",
        client.name_place(key),
        client.name,
        f"remove {key}; if all of its clients are {has_it}, whatever the brokers are, suppress the rule and say so",
        severity=Severity.WARNING,
    )


def _explain(catalogue: Catalogue, scope: Scope, key: str) -> tuple[str, str]:
    holder = "a group" if scope == "group" else _WHO[scope]
    elsewhere = catalogue.in_other_version(scope, key)
    if elsewhere is not None:
        when = f"removed in {elsewhere.removed}" if elsewhere.removed else f"added in {elsewhere.since}"
        return (
            f"{holder} of Kafka {catalogue.version} has no setting {key}: {when}",
            f"remove {key}, or correct `cluster.kafka`",
        )
    for other, who in _WHO.items():
        if other != scope and catalogue.scope(other).get(key) is not None:
            return f"{key} is a setting of {who}, not of {holder}", f"remove {key}"
    near = _nearest(catalogue, scope, key)
    fix = f"did you mean {near}?" if near else "correct the name, or list it in the rule's option `allow`"
    return f"{holder} of Kafka {catalogue.version} has no setting {key}; expected one that exists", fix


def _nearest(catalogue: Catalogue, scope: Scope, key: str) -> str | None:
    if scope == "streams":
        for prefix, inner in catalogue.streams_prefixes.items():
            if inner is not None and key.startswith(prefix):
                near = nearest(key.removeprefix(prefix), catalogue.scope(inner), likeness=0.75)
                return f"{prefix}{near}" if near else None
    return nearest(key, catalogue.scope(scope), likeness=0.75)


OPTIONS = (
    Option(
        "allow",
        (
            "schema.registry.",
            "basic.auth.",
            "bearer.auth.",
            "confluent.",
            "apicurio.",
            "auto.register.schemas",
            "normalize.schemas",
            "use.latest.version",
            "specific.avro.reader",
            "json.",
            "avro.",
            "protobuf.",
            "spring.",
            "latest.compatibility.strict",
            "latest.cache.size",
            "context.name.strategy",
            "key.subject.name.strategy",
            "value.subject.name.strategy",
        ),
        "Prefixes of settings that serializers, interceptors and frameworks read from the same config.",
    ),
)
GOOD = (
    ORDERS
    + """\
producers:
  checkout: {topics: [orders], config: {linger.ms: 5, schema.registry.url: "https://schemas"}}
consumerGroups:
  billing: {topics: [orders], config: {max.poll.records: 100}, groupConfig: {consumer.session.timeout.ms: 45s}}
streams:
  copying: {reads: [orders], config: {num.stream.threads: 2, main.consumer.max.poll.records: 10}}
""",
    ORDERS
    + """\
producers:
  gateway:
    topics: [orders]
    partitioner: librdkafka-murmur2-random
    config: {queue.buffering.max.messages: 500000, socket.keepalive.enable: true}
consumerGroups:
  billing: {topics: [orders], config: {spring.json.trusted.packages: shop.orders}}
""",
)
BAD = (
    Bad(ORDERS + CHECKOUT + "    config:\n      enable.idempotance: true\n", line=8, column=7, needs_whole=True),
    Bad(
        ORDERS + "producers:\n  checkout: {topics: [orders], config: {max.poll.records: 10}}\n",
        line=5,
        column=41,
        needs_whole=True,
    ),
    Bad(
        ORDERS + "consumerGroups:\n  billing: {topics: [orders], config: {enable.partition.eof: true}}\n",
        line=5,
        column=40,
        needs_whole=True,
    ),
    Bad(
        on_cluster('kafka: "3.7"', ORDERS + CHECKOUT + "    config:\n      metadata.recovery.strategy: rebootstrap\n"),
        line=9,
        column=7,
        needs_whole=True,
    ),
    Bad(
        on_cluster(
            'kafka: "3.9"',
            ORDERS
            + """\
consumerGroups:
  billing: {topics: [orders], groupConfig: {consumer.session.timeout.ms: 45s}}
""",
        ),
        line=6,
        column=45,
        needs_whole=True,
    ),
    Bad(
        ORDERS
        + """\
streams:
  copying:
    reads: [orders]
    config:
      main.consumer.max.poll.record: 10
""",
        line=8,
        column=7,
        needs_whole=True,
    ),
    Bad(
        ORDERS
        + """\
consumerGroups:
  billing: {topics: [orders], groupConfig: {consumer.session.timeout: 45s}}
""",
        line=5,
        column=45,
    ),
    Bad(
        ORDERS + CHECKOUT + "    library: spring\n    config: {spring.kafka.producer.acks: 0}\n",
        line=8,
        column=14,
        needs_whole=True,
    ),
)

RULE = rule(
    DOCS, Severity.ERROR, check, GOOD, BAD, options=OPTIONS, requirements=("R17", "R19", "R23"), judges_parts=True
)
