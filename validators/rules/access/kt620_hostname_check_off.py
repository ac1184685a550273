from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERS, changed
from kafka_topology.validators.engine.helpers import cluster_name
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT620: hostname-check-off

A client, or the brokers among each other, do not check the host name in a certificate.

With an empty `ssl.endpoint.identification.algorithm`, any certificate of the same authority will do: whoever has one,
such as another application, can pass itself off as a broker and read all records and logins. It is a common
workaround for certificates without the right names, and stays long after they are corrected. kafka-python calls it
`ssl_check_hostname`. librdkafka can also skip the certificate as a whole (`enable.ssl.certificate.verification`), so
that anybody on the path passes for a broker.

Fix: Remove the setting (Kafka's default is `https`), and put the brokers' host names into their certificates.
"""

KEY = "ssl.endpoint.identification.algorithm"
UNVERIFIED = "enable.ssl.certificate.verification"  # of librdkafka; the Java client always verifies


def check(context: Context) -> Iterator[Problem]:
    effect = "so any certificate of the same authority passes for a broker's"
    for client in context.index.clients.every_config:
        for name, java, value in client.in_java():
            written = client.values[name] or "empty"
            if (java == KEY or java.endswith(f".{KEY}")) and _is_off(value):
                yield Problem(
                    f"{client.name}: {name} is {written}, {effect}; expected no such setting",
                    client.place(name),
                    client.name,
                    f"remove {name}, and put the host names into the certificates",
                )
            elif name == UNVERIFIED and value == "false":
                yield Problem(
                    f"{client.name}: {name} is false, so any certificate at all passes for a broker's; expected true",
                    client.place(name),
                    client.name,
                    f"remove {name}, and give the client the certificate of its authority",
                )
    cluster = context.topology.cluster
    if KEY in cluster.defaults and _is_off(cluster.defaults[KEY]):
        name = cluster_name(context.topology)
        value = cluster.defaults[KEY]
        at = cluster.place("defaults", KEY).location
        fix = f"remove {KEY}, and put the host names into the certificates"
        yield Problem(f"{name}: {KEY} is {value or 'empty'}, {effect}; expected https", at, name, fix)


def _is_off(value: str) -> bool:
    """librdkafka calls it none."""
    return value.strip().lower() in ("", "none")


EXAMPLE = (
    ORDERS
    + CHECKOUT
    + """\
    config:
      security.protocol: SSL
      ssl.endpoint.identification.algorithm: https
"""
)

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"algorithm: https": 'algorithm: ""'}), line=9, column=46),
    Bad(
        ORDERS + CHECKOUT + "    library: librdkafka\n    config: {ssl.endpoint.identification.algorithm: none}\n",
        line=8,
        column=53,
    ),
    Bad(
        ORDERS + CHECKOUT + "    library: librdkafka\n    config: {enable.ssl.certificate.verification: false}\n",
        line=8,
        column=51,
    ),
    Bad(
        ORDERS + CHECKOUT + "    library: kafka-python\n    config: {ssl_check_hostname: false}\n",
        line=8,
        column=34,
    ),
    Bad('version: 1\ncluster:\n  defaults: {ssl.endpoint.identification.algorithm: ""}\n', line=3, column=53),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R33",))
