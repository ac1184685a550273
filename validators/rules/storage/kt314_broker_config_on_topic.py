from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    known = context.settings.catalogue
    for name, topics in context.index.topics_setting.items():
        if name in known.topic or name not in known.broker:
            continue
        meant = next((key.name for key in known.topic.values() for b in key.broker_keys if b.name == name), None)
        expected = f"`{meant}`" if meant is not None else "a topic's config"
        remedy = f"use `{meant}`, in its own unit" if meant is not None else "set it on the brokers"
        for topic in topics:
            yield Problem(
                f"{topic.name}: `{name}` is a broker's config; expected {expected}",
                topic.place("config", name),
                topic.name,
                remedy,
            )


RULE = Rule(
    id="KT314",
    name="broker-config-on-topic",
    severity=Severity.ERROR,
    summary="A broker's config stands on a topic.",
    why="""\
Topics and brokers have different names for the same thing: `retention.ms` and `log.retention.ms`, `max.message.bytes`
and `message.max.bytes`. Kafka refuses a topic with the broker's name.""",
    fix="Use the topic's name for it. Some broker configs are in hours, their topic configs in milliseconds.",
    requirements=("R27",),
    check=check,
    good=(
        """\
version: 1
cluster: {defaults: {log.retention.hours: 168}}
topics:
  orders: {partitions: 6, replication: 3, config: {max.message.bytes: 1MiB}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {log.retention.hours: 24}}
""",
            line=3,
            column=73,
        ),
        Bad(
            """\
version: 1
profiles:
  event: {replication: 3, config: {num.io.threads: 8}}
topics:
  orders: {profile: event, partitions: 6}
""",
            line=3,
            column=52,
        ),
    ),
)
