from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    find = context.settings.catalogue.find
    for client in context.index.clients.configs:
        for setting, value in client.values.items():
            key = find(client.scope, setting)
            if key is None or key.type == "password" or key.problem(value) is None:
                continue  # KT411 speaks of an unknown name, KT607 of a secret
            yield Problem(
                f"{client.name}: {setting} is `{value}`; expected {key.expected}",
                client.place(setting),
                client.name,
                f"set {setting} to {key.expected}",
            )


RULE = Rule(
    id="KT417",
    name="bad-client-config-value",
    severity=Severity.ERROR,
    summary="A client setting has a value that Kafka does not take.",
    why="""\
Kafka's clients check their settings when they are created, and throw a ConfigException for a value of the wrong type or
out of range: the application does not start. Better here than there.""",
    fix="Write a value of the expected kind; the message says which.",
    requirements=("R17", "R19", "R23"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], config: {acks: all, compression.type: zstd}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], delivery: at-most-once, config: {acks: 2}}
""",
            line=5,
            column=71,
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
      auto.offset.reset: begin
""",
            line=8,
            column=26,
        ),
    ),
)
