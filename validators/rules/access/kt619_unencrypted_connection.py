from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERS
from kafka_topology.validators.engine.helpers import cluster_name
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT619: unencrypted-connection

A client or a listener declares a protocol without encryption.

With `PLAINTEXT` and `SASL_PLAINTEXT`, everybody on the path reads the records and may change them. `PLAINTEXT` also
knows no principal but `User:ANONYMOUS`, so no ACL can tell clients apart. With `SASL_PLAINTEXT` and the mechanism
PLAIN, the password itself is readable: that is an error. The rule judges what the file declares (`security.protocol`
of clients; `listeners`, `advertised.listeners` and `security.inter.broker.protocol` of brokers), and no listener on
the loopback interface. Go's clients and KafkaJS set up TLS in code, which no file declares.

Fix: Use `SSL` or `SASL_SSL`. On a development cluster, turn the rule off in that environment.
"""

PLAIN = ("PLAINTEXT", "SASL_PLAINTEXT")
_LOOPBACK = ("localhost", "127.", "[::1]")


def check(context: Context) -> Iterator[Problem]:
    for client in context.index.clients.every_config:
        by_java = {java: value for _, java, value in client.in_java()}
        for name, java, value in client.in_java():
            if not (java == "security.protocol" or java.endswith(".security.protocol")) or value.upper() not in PLAIN:
                continue
            mechanism = by_java.get(f"{java.removesuffix('security.protocol')}sasl.mechanism", "")
            password = value.upper() == "SASL_PLAINTEXT" and mechanism == "PLAIN"
            what = "its password and records are readable" if password else "its records are readable"
            yield Problem(
                f"{client.name}: {name} is {value}, so {what} on the network; expected"
                f" {'SASL_SSL' if value.upper() == 'SASL_PLAINTEXT' else 'SSL or SASL_SSL'}",
                client.place(name),
                client.name,
                "use an encrypted listener of the brokers",
                severity=Severity.ERROR if password else None,
            )
    yield from _brokers(context)


def _brokers(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    protocols = dict(pair.split(":", 1) for pair in _items(context, "listener.security.protocol.map") if ":" in pair)
    for key in ("listeners", "advertised.listeners", "security.inter.broker.protocol"):
        if key not in cluster.defaults:
            continue
        for item in _items(context, key):
            listener, _, address = item.partition("://")
            protocol = protocols.get(listener, listener).upper()
            if protocol in PLAIN and not address.startswith(_LOOPBACK):
                name = cluster_name(context.topology)
                yield Problem(
                    f"{name}: {key} has {item}, which is not encrypted ({protocol}); expected SSL or SASL_SSL",
                    cluster.place("defaults", key).location,
                    name,
                    "use SSL or SASL_SSL, or bind the listener to localhost",
                )


def _items(context: Context, key: str) -> tuple[str, ...]:
    setting = context.settings.broker(key)
    return setting.items if setting is not None else ()


GOOD = (
    ORDERS + CHECKOUT + "    config: {security.protocol: SASL_SSL, sasl.mechanism: SCRAM-SHA-512}\n",
    """\
version: 1
cluster:
  defaults:
    listeners: [PUBLIC://:9093, "LOCAL://localhost:9092"]
    listener.security.protocol.map: ["PUBLIC:SASL_SSL", "LOCAL:PLAINTEXT"]
""",
)
BAD = (
    Bad(ORDERS + CHECKOUT + "    config: {security.protocol: PLAINTEXT}\n", line=7, column=33),
    Bad(
        ORDERS
        + CHECKOUT
        + "    library: librdkafka\n    config: {security.protocol: sasl_plaintext, sasl.mechanisms: PLAIN}\n",
        line=8,
        column=33,
    ),
    Bad(
        ORDERS + CHECKOUT + "    library: kafka-python\n    config: {security_protocol: PLAINTEXT}\n",
        line=8,
        column=33,
    ),
    Bad(
        ORDERS + CHECKOUT + "    config: {security.protocol: SASL_PLAINTEXT, sasl.mechanism: PLAIN}\n",
        line=7,
        column=33,
    ),
    Bad('version: 1\ncluster:\n  defaults: {listeners: "PLAINTEXT://:9092"}\n', line=3, column=25),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R33",))
