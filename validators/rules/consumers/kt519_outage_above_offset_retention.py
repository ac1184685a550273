from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import ConsumerGroup, StreamsApplication
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import BILLING, ORDERS, PACKERS, changed, on_cluster
from kafka_topology.validators.engine.helpers import related
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT519: outage-above-offset-retention

A group may be down for longer than the brokers keep its offsets.

If a group has no members, its offsets expire after `offsets.retention.minutes`, 7 days by default. A group that
returns later starts like a new one, where `auto.offset.reset` says: it skips everything, or reads everything again.
The records may still exist, but the group's position is lost. The position of a share group does not expire.

Fix: Raise the brokers' `offsets.retention.minutes`, or promise a shorter outage.
"""


def check(context: Context) -> Iterator[Problem]:
    retention = context.settings.broker("offsets.retention.minutes")
    if retention is None or retention.number is None:
        return
    kept = retention.number * 60_000
    topology = context.topology
    groups = topology.consumer_groups.values()
    readers: list[ConsumerGroup | StreamsApplication] = [*groups, *topology.streams.values()]
    for group in readers:
        if group.max_outage is None or 0 <= group.max_outage <= kept:
            continue
        yield Problem(
            f"{group.name}: maxOutage is {format_duration(group.max_outage)}, but the brokers delete the offsets of"
            f" an empty group after {format_duration(kept)}; expected at most {format_duration(kept)}",
            group.place("maxOutage"),
            group.name,
            f"raise offsets.retention.minutes of the brokers, or lower maxOutage to {format_duration(kept)}",
            related=related(retention, "how long offsets are kept"),
        )


EXAMPLE = ORDERS + "consumerGroups:\n  billing: {topics: [orders], maxOutage: 3d}\n"

GOOD = (
    EXAMPLE,
    on_cluster('kafka: "4.2"', PACKERS + "    maxOutage: 14d\n"),
)
BAD = (
    Bad(changed(EXAMPLE, {"maxOutage: 3d": "maxOutage: 14d"}), line=5, column=42),
    Bad(
        on_cluster("defaults: {offsets.retention.minutes: 1440}", ORDERS + BILLING + "    maxOutage: 3d\n"),
        line=8,
        column=16,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R21",))
