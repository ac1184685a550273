from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS, changed, on_cluster
from kafka_topology.validators.engine.helpers import related
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT526: group-too-large

A group has more members than the brokers allow.

`group.max.size` limits groups of the classic protocol, `group.consumer.max.size` those of `group.protocol: consumer`,
and `group.streams.max.size` those of `group.protocol: streams`. The brokers refuse further members with
GROUP_MAX_SIZE_REACHED, and those instances stop. Each thread of a streams application is a member.

Fix: Run fewer members, or raise the limit on the brokers and declare it in `cluster.defaults`.
"""

_LIMITS = {
    "classic": "group.max.size",
    "consumer": "group.consumer.max.size",
    "streams": "group.streams.max.size",
}


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.readers:
        key = _LIMITS.get(reader.protocol)
        setting = context.settings.broker(key) if key is not None and not reader.is_standalone else None
        limit = setting.number if setting is not None else None
        members = reader.declared.members
        if setting is None or limit is None or members is None or members <= limit:
            continue
        yield Problem(
            f"{reader.name}: {members} members are declared, and the brokers allow {limit}; expected at most {limit}"
            f" ({key})",
            reader.declared.place("members" if reader.group is not None else "instances"),
            reader.name,
            f"run at most {limit} members, or raise {key}",
            related(setting, "what the brokers allow"),
        )


EXAMPLE = on_cluster("defaults: {group.max.size: 10}", ORDERS + BILLING + "    members: 5\n")
STREAMS = on_cluster(
    "defaults: {group.max.size: 10}", ORDERS + "streams:\n  summing: {reads: [orders], instances: 4, threads: 2}\n"
)

GOOD = (
    EXAMPLE,
    STREAMS,
    changed(EXAMPLE, {"members: 5": "members: 20\n    config: {group.protocol: consumer}"}),
)
BAD = (
    Bad(changed(EXAMPLE, {"members: 5": "members: 20"}), line=8, column=14),
    Bad(
        changed(
            EXAMPLE,
            {
                "group.max.size": "group.consumer.max.size",
                "members: 5": "members: 20\n    config: {group.protocol: consumer}",
            },
        ),
        line=8,
        column=14,
    ),
    Bad(changed(STREAMS, {"threads: 2": "threads: 3"}), line=6, column=41),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R23",))
