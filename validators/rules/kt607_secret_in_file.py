from __future__ import annotations

import re
from collections.abc import Iterator

from ...topology.catalogue import ConfigKey
from ...topology.findings import Severity
from ...topology.places import Place
from ..rule import Bad, Context, Problem, Rule

# Kafka types certificates as passwords, but they are public.
_PUBLIC = ("ssl.keystore.certificate.chain", "ssl.truststore.certificates")
_SECRET_NAME = re.compile(
    r"(?:^|[._-])(?:password|passphrase|passwd|secret|credentials?|api[._-]?key|private[._-]?key|user\.info"
    r"|access[._-]?key|token)$",
    re.IGNORECASE,
)
_IN_JAAS = re.compile(r"\b(?:password|clientSecret|client_secret)\s*=\s*[\"']?[^\"'\s;]")
_IN_VALUE = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----|://[^/\s:@]+:[^/\s:@]+@|\bAKIA[0-9A-Z]{16}\b")


def check(context: Context) -> Iterator[Problem]:
    find = context.settings.catalogue.find
    for client in context.index.clients.configs:
        for name, value in client.values.items():
            if _is_secret(name, value, find(client.scope, name)):
                yield _problem(client.name, name, client.place(name))
    cluster = context.topology.cluster
    for name, value in cluster.defaults.items():
        if _is_secret(name, value, find("broker", name)):
            yield _problem(cluster.name or "cluster", name, cluster.place("defaults", name))


def _is_secret(name: str, value: str, key: ConfigKey | None) -> bool:
    if not value or "${" in value:
        return False  # a placeholder that a config provider fills in
    if name.endswith("sasl.jaas.config") or "LoginModule" in value:
        return _IN_JAAS.search(value) is not None
    if key is not None and key.type == "password" and not name.endswith(_PUBLIC):
        return True
    if key is None and _SECRET_NAME.search(name) is not None:
        return True
    return _IN_VALUE.search(value) is not None


def _problem(resource: str, name: str, at: Place) -> Problem:
    return Problem(
        f"{resource}: {name} holds a secret in the file; expected a placeholder such as ${{env:NAME}}",
        at,
        resource,
        "remove it here and from the history of the repository, change the secret, and let the application bring it",
    )


RULE = Rule(
    id="KT607",
    name="secret-in-file",
    severity=Severity.ERROR,
    summary="A password, key or token stands in the file.",
    why="""\
The topology is read in pull requests, copied to build machines and kept in history for ever: what stands in it is
known. Passwords of users come from the stack's secrets; clients bring their own. A placeholder of one of Kafka's config
providers, such as `${env:NAME}` or `${file:path:key}`, is fine. The message never shows the value.""",
    fix="Remove it, change the secret, and use a placeholder or the stack's secrets.",
    requirements=("R33",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], config: {ssl.key.password: "${env:KEY_PASSWORD}"}}
users:
  checkout: {mechanism: SCRAM-SHA-512, password: {secret: checkoutPassword}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], config: {ssl.key.password: hunter2}}
""",
            line=5,
            column=59,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
    config:
      sasl.jaas.config: ScramLoginModule required username="billing" password="hunter2";
""",
            line=8,
            column=25,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], config: {schema.registry.url: "https://me:hunter2@schemas"}}
""",
            line=5,
            column=62,
        ),
    ),
)
