from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.share_groups import possible_share_groups
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import PACKERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT556: share-group-too-large

A share group has more members than the brokers allow.

Members of a share group may outnumber the partitions, but not `group.share.max.size` (200 by default): the brokers
refuse further members, and those instances do nothing.

Fix: Run fewer members, or raise `group.share.max.size` on the brokers and declare it in `cluster.defaults`.
"""


def check(context: Context) -> Iterator[Problem]:
    setting = context.settings.broker("group.share.max.size")
    limit = setting.number if setting is not None else None
    if limit is None:
        return
    for name, group in possible_share_groups(context.topology).items():
        if group.members is not None and group.members > limit:
            yield Problem(
                f"{name}: {group.members} members are declared, and the brokers allow {limit}; expected at most {limit}"
                " (group.share.max.size)",
                group.place("members"),
                name,
                f"run at most {limit} members, or raise group.share.max.size",
            )


GOOD = (
    on_cluster('kafka: "4.2"', PACKERS + "    members: 50\n"),
    on_cluster('kafka: "4.2", defaults: {group.share.max.size: 500}', PACKERS + "    members: 300\n"),
)
BAD = (Bad(on_cluster('kafka: "4.2"', PACKERS + "    members: 300\n"), line=8, column=14),)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD)
