from __future__ import annotations

from collections.abc import Iterator, Mapping

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT518: client-setting-of-other-protocol

A consumer has a setting that its group protocol does not allow.

With `group.protocol: consumer`, the Kafka 4 group protocol, the brokers decide session timeout, heartbeat and
assignment for all members alike. A Java consumer that sets them anyway throws a ConfigException and does not start.
With the classic protocol, the same applies to `group.remote.assignor`.

Fix: Move the timeouts to `groupConfig` (or to the brokers), and the assignor to `group.remote.assignor`.
"""

# The settings that ConsumerConfig refuses, by protocol, and their fixes.
_REFUSED: Mapping[str, Mapping[str, str]] = {
    "consumer": {
        "session.timeout.ms": "remove it, and set consumer.session.timeout.ms under `groupConfig`",
        "heartbeat.interval.ms": "remove it, and set consumer.heartbeat.interval.ms under `groupConfig`",
        "partition.assignment.strategy": "remove it, and choose with group.remote.assignor",
    },
    "classic": {"group.remote.assignor": "remove it, or set group.protocol to consumer"},
}


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.groups:
        for name, fix in _REFUSED.get(reader.protocol, {}).items():
            if name not in reader.declared.config:
                continue
            decides = "the brokers decide it" if reader.protocol == "consumer" else "the members decide it"
            yield Problem(
                f"{reader.name}: {name} is {reader.declared.config[name]} with the {reader.protocol} group protocol,"
                f" where {decides}; expected no such setting",
                reader.declared.place("config", name),
                reader.name,
                fix,
            )


GOOD = (
    ORDERS
    + BILLING
    + """\
    config: {group.protocol: consumer, group.remote.assignor: uniform}
    groupConfig: {consumer.session.timeout.ms: 45s}
""",
)
BAD = (
    Bad(
        ORDERS + BILLING + "    config:\n      group.protocol: consumer\n      session.timeout.ms: 10s\n",
        line=9,
        column=27,
    ),
    Bad(
        ORDERS + "consumerGroups:\n  billing: {topics: [orders], config: {group.remote.assignor: uniform}}\n",
        line=5,
        column=63,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R23", "R24"))
