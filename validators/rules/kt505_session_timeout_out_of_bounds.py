from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.units import format_duration
from ..helpers import own_edit, place_of, shown
from ..rule import Bad, Context, Option, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    shortest, longest = context.number("shortest"), context.number("longest")
    for reader in context.index.clients.readers:
        session = None if reader.is_standalone else reader.session_setting("session.timeout.ms")
        if session is None or session.number is None:
            continue
        prefix = "group.consumer." if reader.protocol == "consumer" else "group."
        low = context.settings.broker(f"{prefix}min.session.timeout.ms")
        high = context.settings.broker(f"{prefix}max.session.timeout.ms")
        if low is not None and low.number is not None and session.number < low.number:
            why, side, bound = f"below the brokers' {low.name} {shown(low)}", "at least", low.number
        elif high is not None and high.number is not None and session.number > high.number:
            why, side, bound = f"above the brokers' {high.name} {shown(high)}", "at most", high.number
        elif session.number < shortest:
            why, side, bound = "so a short pause makes the group rebalance", "at least", shortest
        elif session.number > longest:
            why, side, bound = "so the partitions of a dead member stand still that long", "at most", longest
        else:
            continue
        limit = format_duration(bound)
        yield Problem(
            f"{reader.name}: {session.name} is {shown(session)}, {why}; expected {side} {limit}",
            place_of(session, reader.declared),
            reader.name,
            f"set {session.name} to {side} {limit}",
            edits=own_edit(session, limit),
            severity=Severity.WARNING if why.startswith("so ") else None,
        )


RULE = Rule(
    id="KT505",
    name="session-timeout-out-of-bounds",
    severity=Severity.ERROR,
    summary="The session timeout is outside what the brokers allow, or far too short or too long.",
    why="""\
A broker refuses a member whose session timeout is outside its bounds (`group.min.session.timeout.ms`, 6 seconds, and
`group.max.session.timeout.ms`, 30 minutes, unless set): the group never starts. Within the bounds, a very short session
takes every pause for a death and rebalances again and again; a very long one leaves the partitions of a dead member
unread. That is a warning.""",
    fix="Choose between 10 and 45 seconds, unless you know better.",
    requirements=("R23",),
    options=(
        Option("shortest", 6_000, "Below this many milliseconds a session is too short."),
        Option("longest", 300_000, "Above this many milliseconds a session is too long."),
    ),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {session.timeout.ms: 10s}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {session.timeout.ms: 3s}}
""",
            line=5,
            column=60,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {session.timeout.ms: 10m}}
""",
            line=5,
            column=60,
        ),
        Bad(
            """\
version: 1
cluster: {defaults: {group.min.session.timeout.ms: 1s}}
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {session.timeout.ms: 2s}}
""",
            line=6,
            column=60,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
    config: {group.protocol: consumer}
    groupConfig: {consumer.session.timeout.ms: 10s}
""",
            line=8,
            column=48,
        ),
    ),
)
