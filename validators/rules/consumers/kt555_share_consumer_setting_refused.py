from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.share_groups import REFUSED_BY_SHARE_CONSUMERS, possible_share_groups
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import PACKERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT555: share-consumer-setting-refused

A share consumer has a setting of consumer groups that it refuses.

Kafka's share consumer throws a ConfigException when one of these is set, and the application does not start:
`auto.offset.reset`, `enable.auto.commit`, `group.instance.id`, `group.protocol`, `group.remote.assignor`,
`heartbeat.interval.ms`, `interceptor.classes`, `isolation.level`, `partition.assignment.strategy` and
`session.timeout.ms`. The brokers hold some of them for the whole group, as settings that begin with `share.`.

Fix: Remove the setting, or set the one of the group in `groupConfig`.
"""


def check(context: Context) -> Iterator[Problem]:
    for name, group in possible_share_groups(context.topology).items():
        for key in group.config:
            if key not in REFUSED_BY_SHARE_CONSUMERS:
                continue
            own = f"share.{key}"
            has_own = own in context.settings.catalogue.group
            yield Problem(
                f"{name}: a share consumer does not start with {key}; expected "
                + (f"{own} in `groupConfig`" if has_own else "no such setting"),
                group.name_place("config", key),
                name,
                f"remove it, and set {own} in `groupConfig`" if has_own else f"remove {key}",
            )


GOOD = (
    on_cluster(
        'kafka: "4.2"',
        PACKERS + "    groupConfig: {share.isolation.level: read_committed}\n    config: {max.poll.records: 100}\n",
    ),
)
BAD = (
    Bad(on_cluster('kafka: "4.2"', PACKERS + "    config: {enable.auto.commit: false}\n"), line=8, column=14),
    Bad(
        on_cluster('kafka: "4.2"', PACKERS + "    config: {isolation.level: read_committed}\n"),
        line=8,
        column=14,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD)
