from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...topology.findings import Severity
from ...topology.units import format_duration
from ..helpers import own_edit, place_of, shown
from ..rule import Bad, Context, Option, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    bounds = {"classic": _bounds(context, "group."), "consumer": _bounds(context, "group.consumer.")}
    for reader in context.index.clients.readers:
        number = None if reader.is_standalone else reader.session_number("session.timeout.ms")
        if number is None or reader.protocol not in bounds:
            continue
        crossed = next((bound for bound in bounds[reader.protocol] if bound.is_crossed_by(number)), None)
        session = reader.session_setting("session.timeout.ms") if crossed is not None else None
        if crossed is None or session is None:
            continue
        limit = format_duration(crossed.limit)
        yield Problem(
            f"{reader.name}: {session.name} is {shown(session)}, {crossed.effect}; expected {crossed.side} {limit}",
            place_of(session, reader.declared),
            reader.name,
            f"set {session.name} to {crossed.side} {limit}",
            edits=own_edit(session, limit),
            severity=crossed.severity,
        )


@dataclass(frozen=True, slots=True)
class _Bound:
    limit: int
    is_lowest: bool
    effect: str
    severity: Severity | None = None

    @property
    def side(self) -> str:
        return "at least" if self.is_lowest else "at most"

    def is_crossed_by(self, number: int) -> bool:
        return number < self.limit if self.is_lowest else number > self.limit


def _bounds(context: Context, prefix: str) -> tuple[_Bound, ...]:
    """What the brokers refuse comes first."""
    bounds = []
    for lowest in (True, False):
        setting = context.settings.broker(f"{prefix}{'min' if lowest else 'max'}.session.timeout.ms")
        if setting is not None and setting.number is not None:
            side = "below" if lowest else "above"
            bounds.append(_Bound(setting.number, lowest, f"{side} the brokers' {setting.name} {shown(setting)}"))
    short = "so a short pause makes the group rebalance"
    long = "so the partitions of a dead member stand still that long"
    return (
        *bounds,
        _Bound(context.number("shortest"), True, short, Severity.WARNING),
        _Bound(context.number("longest"), False, long, Severity.WARNING),
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
