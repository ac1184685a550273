from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT417: bad-client-config-value

A client setting has a value that Kafka does not accept.

Kafka's clients check their settings when they are created, and throw a ConfigException for a value of the wrong type
or out of range: the application does not start. Find it here instead.

Fix: Write a value as the message describes it.
"""


def check(context: Context) -> Iterator[Problem]:
    find = context.settings.catalogue.find
    for client in context.index.clients.configs:
        for setting, value in client.values.items():
            key = find(client.scope, setting)
            if key is None or key.type == "password" or key.problem(value) is None:
                continue  # KT411 reports an unknown name, KT607 a secret
            yield Problem(
                f"{client.name}: {setting} is `{value}`; expected {key.expected}",
                client.place(setting),
                client.name,
                f"set {setting} to {key.expected}",
            )


GOOD = (ORDERS + "producers:\n  checkout: {topics: [orders], config: {acks: all, compression.type: zstd}}\n",)
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
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17", "R19", "R23"), judges_parts=True)
