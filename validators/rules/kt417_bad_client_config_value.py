from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...topology.catalogue import Scope
from ...topology.findings import Severity
from ...topology.model import Declared
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    topology = context.topology
    for producer in topology.producers.values():
        yield from _refused(context, producer, producer.name, producer.config, "producer")
    for group in topology.consumer_groups.values():
        yield from _refused(context, group, group.name, group.config, "consumer")
        yield from _refused(context, group, group.name, group.group_config, "group")
    for application in topology.streams.values():
        yield from _refused(context, application, application.application_id, application.config, "streams")


def _refused(
    context: Context, declared: Declared, name: str, config: Mapping[str, str], scope: Scope
) -> Iterator[Problem]:
    field = "groupConfig" if scope == "group" else "config"
    for setting, value in config.items():
        key = context.settings.catalogue.find(scope, setting)
        if key is None or key.type == "password" or key.problem(value) is None:
            continue  # KT411 speaks of an unknown name, KT607 of a secret
        yield Problem(
            f"{name}: {setting} is `{value}`; expected {key.expected}",
            declared.place(field, setting),
            name,
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
