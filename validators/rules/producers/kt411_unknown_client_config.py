from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...topology.catalogue import Catalogue, Scope, nearest
from ...topology.findings import Severity
from ..rule import Bad, Context, Option, Problem, Rule

_WHO: Mapping[Scope, str] = {"producer": "a producer", "consumer": "a consumer", "streams": "Kafka Streams"}


def check(context: Context) -> Iterator[Problem]:
    catalogue = context.settings.catalogue
    allowed = context.texts("allow")
    for client in context.index.clients.configs:
        for key in client.values:
            if catalogue.find(client.scope, key) is not None or (client.scope != "group" and key.startswith(allowed)):
                continue
            what, remedy = _explain(catalogue, client.scope, key)
            yield Problem(f"{client.name}: {what}", client.place(key), client.name, remedy)


def _explain(catalogue: Catalogue, scope: Scope, key: str) -> tuple[str, str]:
    holder = "a group" if scope == "group" else _WHO[scope]
    elsewhere = catalogue.in_other_version(scope, key)
    if elsewhere is not None:
        when = f"removed in {elsewhere.removed}" if elsewhere.removed else f"it came with {elsewhere.since}"
        return f"{holder} of Kafka {catalogue.version} has no {key}: {when}", f"remove {key}, or mend `cluster.kafka`"
    for other, who in _WHO.items():
        if other != scope and catalogue.scope(other).get(key) is not None:
            return f"{key} is a setting of {who}, not of {holder}", f"remove {key}"
    near = _nearest(catalogue, scope, key)
    remedy = f"did you mean {near}?" if near else "mend the name, or list it in the rule's option `allow`"
    return f"{holder} of Kafka {catalogue.version} knows no setting {key}; expected one of its own", remedy


def _nearest(catalogue: Catalogue, scope: Scope, key: str) -> str | None:
    if scope == "streams":
        for prefix, inner in catalogue.streams_prefixes.items():
            if inner is not None and key.startswith(prefix):
                near = nearest(key.removeprefix(prefix), catalogue.scope(inner))
                return f"{prefix}{near}" if near else None
    return nearest(key, catalogue.scope(scope))


RULE = Rule(
    id="KT411",
    name="unknown-client-config",
    severity=Severity.ERROR,
    summary="A producer, consumer group or streams application sets something that its client does not know.",
    why="""\
Kafka's clients ignore a setting they do not know, with one line in a log. A misspelt `enable.idempotance` or a
consumer's setting on a producer looks right in review and does nothing. Names are those of the Java clients of the
declared version.""",
    fix="Use the name the message suggests, or remove the setting.",
    requirements=("R17", "R19", "R23"),
    options=(
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
                "key.subject.name.strategy",
                "value.subject.name.strategy",
            ),
            "Prefixes of settings that serializers and interceptors read from the same map.",
        ),
    ),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], config: {linger.ms: 5, schema.registry.url: "https://schemas"}}
consumerGroups:
  billing: {topics: [orders], config: {max.poll.records: 100}, groupConfig: {consumer.session.timeout.ms: 45s}}
streams:
  copying: {reads: [orders], config: {num.stream.threads: 2, main.consumer.max.poll.records: 10}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout:
    topics: [orders]
    config:
      enable.idempotance: true
""",
            line=8,
            column=27,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], config: {max.poll.records: 10}}
""",
            line=5,
            column=59,
        ),
        Bad(
            """\
version: 1
cluster: {kafka: "3.9"}
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], groupConfig: {consumer.session.timeout.ms: 45s}}
""",
            line=6,
            column=74,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
streams:
  copying:
    reads: [orders]
    config:
      main.consumer.max.poll.record: 10
""",
            line=8,
            column=38,
        ),
    ),
)
