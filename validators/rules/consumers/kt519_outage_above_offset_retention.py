from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.units import format_duration
from ..helpers import related
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    retention = context.settings.broker("offsets.retention.minutes")
    if retention is None or retention.number is None:
        return
    kept = retention.number * 60_000
    for group in context.topology.consumer_groups.values():
        if group.max_outage is None or 0 <= group.max_outage <= kept:
            continue
        yield Problem(
            f"{group.name}: maxOutage is {format_duration(group.max_outage)}, but the brokers forget the offsets of an"
            f" empty group after {format_duration(kept)}; expected at most {format_duration(kept)}",
            group.place("maxOutage"),
            group.name,
            f"raise offsets.retention.minutes of the brokers, or lower maxOutage to {format_duration(kept)}",
            related=related(retention, "how long offsets are kept"),
        )


RULE = Rule(
    id="KT519",
    name="outage-above-offset-retention",
    severity=Severity.ERROR,
    summary="A group may be down for longer than the brokers keep its offsets.",
    why="""\
When a group has no members, its offsets expire after `offsets.retention.minutes`, 7 days unless set. A group that comes
back later starts as a new one, where `auto.offset.reset` says: it skips everything, or reads everything again. The
records may still be there; the place in them is lost.""",
    fix="Raise the brokers' `offsets.retention.minutes`, or promise a shorter outage.",
    requirements=("R21",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], maxOutage: 3d}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], maxOutage: 14d}
""",
            line=5,
            column=42,
        ),
        Bad(
            """\
version: 1
cluster: {defaults: {offsets.retention.minutes: 1440}}
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
    maxOutage: 3d
""",
            line=8,
            column=16,
        ),
    ),
)
