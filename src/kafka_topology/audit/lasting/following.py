"""Follows findings from look to look: since when each is there, and which have lasted long enough to be reported."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from ...topology.model.units import format_moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime, timedelta

    from ...topology.model.findings import Finding

Identity: TypeAlias = tuple[object, ...]
SINCE: Final = "since"
"""The evidence that says since when a finding was seen."""
_PARTS: Final = ("broker", "setting")
"""Evidence that tells apart what one check finds on one resource. Measured values are no part of an identity."""


@dataclass(frozen=True, slots=True)
class Followed:
    """One look among others. `waiting` are findings that may pass by themselves, and were not seen for long enough."""

    reported: tuple[Finding, ...]
    waiting: tuple[Finding, ...] = ()
    new: tuple[Finding, ...] = ()
    gone: tuple[Finding, ...] = ()


@dataclass(slots=True)
class Following:
    """Remembers what earlier looks found. `graces` has how long findings must last, by the id of the rule."""

    graces: Mapping[str, timedelta]
    _since: dict[Identity, datetime] = field(default_factory=dict)
    _shown: dict[Identity, Finding] = field(default_factory=dict)

    def after(self, findings: Iterable[Finding], at: datetime, *, is_complete: bool) -> Followed:
        """What a look at this moment adds. After an incomplete one, what it did not find is not gone."""
        seen = dict(_identified(findings))
        kept = {} if is_complete else self._since
        self._since = kept | {each: self._since.get(each, at) for each in seen}
        lasting = {each: _dated(found, self._since[each]) for each, found in seen.items() if self._lasts(each, at)}
        before = self._shown
        self._shown = ({} if is_complete else before) | lasting
        return Followed(
            tuple(lasting.values()),
            tuple(_dated(found, self._since[each]) for each, found in seen.items() if each not in lasting),
            tuple(found for each, found in lasting.items() if each not in before),
            tuple(found for each, found in before.items() if each not in self._shown),
        )

    def _lasts(self, each: Identity, at: datetime) -> bool:
        grace = self.graces.get(str(each[0]))
        return grace is None or at - self._since[each] >= grace


def _identified(findings: Iterable[Finding]) -> Iterator[tuple[Identity, Finding]]:
    """Equal ones are numbered: two of them that become one are one that lasts."""
    seen: Counter[Identity] = Counter()
    for finding in findings:
        identity = (finding.id, finding.kind, finding.resource, *(finding.evidence.get(part) for part in _PARTS))
        seen[identity] += 1
        yield (*identity, seen[identity]), finding


def _dated(finding: Finding, since: datetime) -> Finding:
    return replace(finding, evidence={**finding.evidence, SINCE: format_moment(since.replace(microsecond=0))})
