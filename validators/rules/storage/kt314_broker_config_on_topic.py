from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import inheriting, on_cluster, orders_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT314: broker-config-on-topic

A topic has a broker setting.

Topics and brokers have different names for the same setting: `retention.ms` and `log.retention.ms`,
`max.message.bytes` and `message.max.bytes`. Kafka refuses a topic with the broker's name.

Fix: Use the topic's name for the setting. Some broker settings are in hours, the topic's in milliseconds.
"""


def check(context: Context) -> Iterator[Problem]:
    known = context.settings.catalogue
    for name, topics in context.index.topics_setting.items():
        if name in known.topic or name not in known.broker:
            continue
        meant = next((key.name for key in known.topic.values() for b in key.broker_keys if b.name == name), None)
        expected = f"`{meant}`" if meant is not None else "a topic setting"
        fix = f"use `{meant}`, in its own unit" if meant is not None else "set it on the brokers"
        for topic in topics:
            yield Problem(
                f"{topic.name}: `{name}` is a broker setting; expected {expected}",
                topic.name_place("config", name),
                topic.name,
                fix,
            )


GOOD = (on_cluster("defaults: {log.retention.hours: 168}", orders_with("config: {max.message.bytes: 1MiB}")),)
BAD = (
    Bad(orders_with("config: {log.retention.hours: 24}"), line=3, column=52),
    Bad(inheriting("replication: 3, config: {num.io.threads: 8}"), line=3, column=36),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R27",), judges_parts=True)
