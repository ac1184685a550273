"""A grace period: what a restart, a rebalance or a reassignment causes for a while is reported only if it stays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from kafka_topology.audit.lasting.following import Following
from kafka_topology.audit.registry import checks
from kafka_topology.audit.rules import FOR, audit_rules
from kafka_topology.topology.model.units import parse_duration
from kafka_topology.validators import options_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from kafka_topology.audit.lasting.following import Followed
    from kafka_topology.audit.run import Audited
    from kafka_topology.topology import Topology

_LONGEST_PAUSE: Final = timedelta(seconds=10)  # between two brokers of a rolling restart, all is well for a while
_SHORTEST_PAUSE: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why an audit looks again: what may pass by itself, whether something could not be read, and until when."""

    followed: Followed
    is_complete: bool
    until: datetime


@dataclass(frozen=True, slots=True)
class Clock:
    """The time, and how to let some of it pass."""

    now: Callable[[], datetime]
    wait: Callable[[timedelta], None]


def graces_of(topology: Topology, asked: timedelta | None) -> dict[str, timedelta]:
    """How long findings must last to be reported, by rule: what `rules` says, else what was asked for.

    Rules without an entry report at once.
    """
    options = options_of(topology, audit_rules())
    graces: dict[str, timedelta] = {}
    for check in checks():
        if not check.transient:
            continue
        setting = topology.rules.get(check.id)
        grace = asked
        if setting is not None and FOR in setting.options:
            grace = timedelta(milliseconds=parse_duration(str(options[check.id][FOR])) or 0)
        if grace is not None and grace > timedelta():
            graces[check.id] = grace
    return graces


def audit_patiently(
    look: Callable[[], Audited],
    graces: Mapping[str, timedelta],
    clock: Clock,
    tell: Callable[[Waiting], None],
) -> Audited:
    """Looks again while something may pass by itself, at most as long as the longest grace period.

    Returns the last look, with the findings that lasted. What was not seen for long enough is in its `waiting`.
    """
    following = Following(graces)
    longest = max(graces.values(), default=timedelta())
    pause = min(max(longest / 10, _SHORTEST_PAUSE), _LONGEST_PAUSE)
    started = at = clock.now()
    while True:
        audited = look()
        followed = following.after(audited.outcome.findings, at, is_complete=not audited.may_pass)
        left = started + longest - at
        if left <= timedelta() or not (followed.waiting or audited.may_pass):
            break
        tell(Waiting(followed, not audited.may_pass, started + longest))
        clock.wait(max(min(pause, started + longest - clock.now()), timedelta()))
        at = clock.now()
    outcome = replace(audited.outcome, findings=followed.reported)
    return replace(audited, outcome=outcome, waiting=followed.waiting)
