from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.share_groups import possible_share_groups
from kafka_topology.topology.model.declared import ConsumerGroup, ShareGroup
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS, PACKERS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT516: no-max-lag

A group or share group does not declare how far it may be behind.

Lag is the end of the log minus what the group has committed. Only the application knows how much is too much: a report
may be a day behind, a fraud check not even a second. `audit` compares the live lag with `maxLag`; without it, a group
that has stopped looks fine.

Fix: Declare `maxLag` on the group.
"""


def check(context: Context) -> Iterator[Problem]:
    groups: tuple[ConsumerGroup | ShareGroup, ...] = (
        *context.topology.consumer_groups.values(),
        *possible_share_groups(context.topology).values(),
    )
    for group in groups:
        if group.max_lag is None:
            yield Problem(
                f"{group.name}: nothing declares how far it may be behind; expected `maxLag`",
                group.place(),
                group.name,
                "add `maxLag`, the records or the time that it may be behind before someone must act",
            )


GOOD = (ORDERS + "consumerGroups:\n  billing: {topics: [orders], maxLag: 10000}\n",)
BAD = (Bad(ORDERS + BILLING, line=5, column=3), Bad(PACKERS, line=5, column=3))

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, requirements=("R22",))
