from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.streams_clients import Ignored, ignored
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, SUMMING, changed, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT544: streams-setting-ignored

A streams application has a setting that Kafka Streams ignores.

Kafka Streams commits by itself, assigns its tasks itself, and with exactly-once decides about idempotence,
transactional ids and the isolation level. It logs a warning at most. With `group.protocol: streams` (KIP-1071), the
brokers assign the tasks: session timeout, heartbeat and standby replicas are settings of the group, and there are
neither warm-up replicas nor rack-aware assignment yet. With `num.standby.replicas: 1`, there is then no standby
at all.

Fix: Remove the setting. Set what belongs to the group on the brokers, as in `kafka-configs --alter --entity-type groups
--entity-name summing --add-config streams.num.standby.replicas=1`.
"""


def check(context: Context) -> Iterator[Problem]:
    for name, application in context.topology.streams.items():
        for each in ignored(application):
            value = application.config[each.name]
            yield Problem(
                f"{name}: {each.name} is {value}, which Kafka Streams ignores: {each.why}; expected no such setting",
                application.place("config", each.name),
                name,
                _fix(name, each),
            )


def _fix(name: str, each: Ignored) -> str:
    if each.of_group is None:
        return f"remove {each.name}"
    return f"remove {each.name}, and set {each.of_group} of the group {name} on the brokers"


EXAMPLE = on_cluster(
    'kafka: "4.2"', ORDERS + SUMMING + "    config: {group.protocol: classic, num.standby.replicas: 1}\n"
)
EXACTLY_ONCE = (
    ORDERS + SUMMING + "    delivery: exactly-once\n    config:\n      consumer.isolation.level: read_committed\n"
)

GOOD = (EXAMPLE, EXACTLY_ONCE)
BAD = (
    Bad(changed(EXAMPLE, {"classic": "streams"}), line=10, column=61),
    Bad(changed(EXAMPLE, {"classic, num.standby.replicas: 1": "streams, session.timeout.ms: 10s"}), line=10, column=59),
    Bad(changed(EXACTLY_ONCE, {"read_committed": "read_uncommitted"}), line=11, column=33),
    Bad(ORDERS + SUMMING + "    config: {enable.auto.commit: true}\n", line=9, column=34),
    Bad(ORDERS + SUMMING + "    config: {group.id: other}\n", line=9, column=24),
    Bad(ORDERS + SUMMING + "    config: {allow.auto.create.topics: true}\n", line=9, column=40),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R18", "R24"))
