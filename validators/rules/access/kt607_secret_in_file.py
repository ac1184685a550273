from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.catalogue import ConfigKey
from kafka_topology.topology.kafka.secrets import PUBLIC, has_jaas_secret, is_placeholder, looks_secret, names_secret
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.places import Place
from kafka_topology.validators.engine.examples import BILLING, ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT607: secret-in-file

A file contains a password, key or token.

The topology is read in pull requests, copied to build machines and kept in history forever: everything in it is known.
Passwords of users come from the stack's secrets, and clients bring their own. A placeholder of one of Kafka's config
providers, such as `${env:NAME}` or `${file:path:key}`, is fine, if it is the whole secret. The message never shows the
value.

Fix: Remove it, change the secret, and use a placeholder or the stack's secrets.
"""


def check(context: Context) -> Iterator[Problem]:
    find = context.settings.catalogue.find
    for client in context.index.clients.every_config:
        for name, value in client.values.items():
            if _is_secret(name, value, find(client.scope, name)):
                yield _problem(client.name, name, client.place(name))
    cluster = context.topology.cluster
    for name, value in cluster.defaults.items():
        if _is_secret(name, value, find("broker", name)):
            yield _problem(cluster.name or "cluster", name, cluster.place("defaults", name))


def _is_secret(name: str, value: str, key: ConfigKey | None) -> bool:
    if not value or is_placeholder(value, name):
        return False
    if name.endswith("sasl.jaas.config") or "LoginModule" in value:
        return has_jaas_secret(value)
    if key is not None and key.type == "password" and not name.endswith(PUBLIC):
        return True
    if key is None and names_secret(name):
        return True
    return looks_secret(value)


def _problem(resource: str, name: str, at: Place) -> Problem:
    return Problem(
        f"{resource}: {name} contains a secret; expected a placeholder such as ${{env:NAME}}",
        at,
        resource,
        "remove it here and from the repository's history, change the secret, and let the application provide it",
    )


EXAMPLE = ORDERS + "producers:\n  checkout: {topics: [orders], config: {ssl.key.password: hunter2}}\n"

GOOD = (
    ORDERS
    + """\
producers:
  checkout: {topics: [orders], config: {ssl.key.password: "${env:KEY_PASSWORD}"}}
  refunds:
    topics: [orders]
    config:
      sasl.jaas.config: PlainLoginModule required username="refunds" password="${env:PASSWORD}";
      schema.registry.url: "https://${env:USER}:${env:PASSWORD}@schemas"
      basic.auth.user.info: "refunds:${env:PASSWORD}"
users:
  checkout: {mechanism: SCRAM-SHA-512, password: {secret: checkoutPassword}}
""",
)
BAD = (
    Bad(EXAMPLE, line=5, column=59),
    Bad(changed(EXAMPLE, {"hunter2": '"hunter2${env:NOTHING}"'}), line=5, column=59),
    Bad(
        ORDERS
        + BILLING
        + """\
    config:
      sasl.jaas.config: ScramLoginModule required username="${env:USER}" password="hunter2";
""",
        line=8,
        column=25,
    ),
    Bad(
        ORDERS + "producers:\n  checkout: {topics: [orders], library: librdkafka, config: {sasl.password: hunter2}}\n",
        line=5,
        column=77,
    ),
    Bad(
        ORDERS + BILLING + "    library: kafka-python\n    config: {sasl_plain_password: hunter2}\n",
        line=8,
        column=35,
    ),
    Bad(
        ORDERS + BILLING + "    library: sarama\n    config: {Net.SASL.Password: hunter2}\n",
        line=8,
        column=33,
    ),
    Bad(
        ORDERS
        + BILLING
        + """\
    config:
      sasl.jaas.config: ScramLoginModule required username="billing" password="hunter2";
""",
        line=8,
        column=25,
    ),
    Bad(
        changed(EXAMPLE, {"ssl.key.password: hunter2": 'schema.registry.url: "https://me:hunter2@schemas"'}),
        line=5,
        column=62,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R33",), judges_placeholders=True)
