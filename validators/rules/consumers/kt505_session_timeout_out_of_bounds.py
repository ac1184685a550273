from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import BILLING, ORDERS, changed, on_cluster
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule

DOCS = """\
# KT505: session-timeout-out-of-bounds

The session timeout is outside what the brokers allow, or far too short or too long.

A broker refuses a member whose session timeout is outside its bounds: the group never starts. The bounds are
`group.min.session.timeout.ms` and `group.max.session.timeout.ms` (6 seconds and 30 minutes by default) for
`session.timeout.ms` of the classic protocol, and `group.consumer.min.session.timeout.ms` and
`group.consumer.max.session.timeout.ms` (45 and 60 seconds) for `consumer.session.timeout.ms`, which a group with
`group.protocol: consumer` has in its `groupConfig`. Within the bounds, a very short session treats every pause as a
failure, so the group keeps rebalancing, and a very long one leaves the partitions of a dead member unread. These are
warnings.

Fix: Choose between 10 and 45 seconds (45 and 60 with `group.protocol: consumer`) unless you have measured that you need
another value.
"""


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
        yield problem_with(
            session,
            reader,
            f"{session.name} is {shown(session)}, {crossed.effect}; expected {crossed.side} {limit}",
            f"set {session.name} to {crossed.side} {limit}",
            edit=limit,
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
    """Those that the brokers enforce come first."""
    bounds = []
    for lowest in (True, False):
        setting = context.settings.broker(f"{prefix}{'min' if lowest else 'max'}.session.timeout.ms")
        if setting is not None and setting.number is not None:
            side = "below" if lowest else "above"
            bounds.append(_Bound(setting.number, lowest, f"{side} the brokers' {setting.name} {shown(setting)}"))
    short = "so a short pause makes the group rebalance"
    long = "so the partitions of a dead member stay unread that long"
    return (
        *bounds,
        _Bound(context.number("shortest"), True, short, Severity.WARNING),
        _Bound(context.number("longest"), False, long, Severity.WARNING),
    )


EXAMPLE = ORDERS + "consumerGroups:\n  billing: {topics: [orders], config: {session.timeout.ms: 10s}}\n"

OPTIONS = (
    Option("shortest", 6_000, "A session of fewer milliseconds is too short."),
    Option("longest", 300_000, "A session of more milliseconds is too long."),
)
GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"session.timeout.ms: 10s": "session.timeout.ms: 3s"}), line=5, column=60),
    Bad(changed(EXAMPLE, {"session.timeout.ms: 10s": "session.timeout.ms: 10m"}), line=5, column=60),
    Bad(
        on_cluster("defaults: {group.min.session.timeout.ms: 1s}", changed(EXAMPLE, {"ms: 10s": "ms: 2s"})),
        line=6,
        column=60,
    ),
    Bad(
        ORDERS
        + BILLING
        + "    config: {group.protocol: consumer}\n    groupConfig: {consumer.session.timeout.ms: 10s}\n",
        line=8,
        column=48,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, options=OPTIONS, requirements=("R23",))
