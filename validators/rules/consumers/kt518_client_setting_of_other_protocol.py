from __future__ import annotations

from collections.abc import Iterator, Mapping

from kafka_topology.topology.kafka.clients.libraries import config_place, given
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT518: client-setting-of-other-protocol

A consumer has a setting that its group protocol does not allow.

With `group.protocol: consumer`, the Kafka 4 group protocol, the brokers decide session timeout, heartbeat and
assignment for all members alike. A Java consumer that sets them anyway throws a ConfigException and does not start.
With the classic protocol, the same applies to `group.remote.assignor`. A Java share consumer (of a group with `share.`
settings under `groupConfig`) refuses everything that the brokers decide for share groups, too.

Fix: Move the timeouts, the start and the isolation level to `groupConfig` (or to the brokers), and the assignor to
`group.remote.assignor`.
"""

# The settings that ConsumerConfig refuses, by protocol, and their fixes.
_REFUSED: Mapping[str, Mapping[str, str]] = {
    "consumer": {
        "session.timeout.ms": "remove it, and set consumer.session.timeout.ms under `groupConfig`",
        "heartbeat.interval.ms": "remove it, and set consumer.heartbeat.interval.ms under `groupConfig`",
        "partition.assignment.strategy": "remove it, and choose with group.remote.assignor",
    },
    # ShareConsumerConfig.SHARE_GROUP_UNSUPPORTED_CONFIGS
    "share": {
        "auto.offset.reset": "remove it, and set share.auto.offset.reset under `groupConfig`",
        "isolation.level": "remove it, and set share.isolation.level under `groupConfig`",
        "session.timeout.ms": "remove it, and set share.session.timeout.ms under `groupConfig`",
        "heartbeat.interval.ms": "remove it, and set share.heartbeat.interval.ms under `groupConfig`",
        **dict.fromkeys(
            (
                "enable.auto.commit",
                "group.instance.id",
                "group.protocol",
                "group.remote.assignor",
                "interceptor.classes",
                "partition.assignment.strategy",
            ),
            "remove it: a share consumer has nothing like it",
        ),
    },
    "classic": {"group.remote.assignor": "remove it, or set group.protocol to consumer"},
}


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.groups:
        if reader.group is None:
            continue
        config = given(reader.group)
        for name, fix in _REFUSED.get(reader.protocol, {}).items():
            if name not in config:
                continue
            decides = "the members decide it" if reader.protocol == "classic" else "the brokers decide it"
            yield Problem(
                f"{reader.name}: {name} is {config[name]} with the {reader.protocol} group protocol,"
                f" where {decides}; expected no such setting",
                config_place(reader.group, name),
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
        ORDERS
        + BILLING
        + "    config: {enable.auto.commit: false}\n    groupConfig: {share.auto.offset.reset: earliest}\n",
        line=7,
        column=34,
    ),
    Bad(
        ORDERS + "consumerGroups:\n  billing: {topics: [orders], config: {group.remote.assignor: uniform}}\n",
        line=5,
        column=63,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R23", "R24"))
