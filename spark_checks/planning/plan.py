"""All checks of a topic as one list of conditions: a condition that two checks ask for is answered once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from ..conditions.record import Condition, OfHeaders, RowTest
from ..results.evidence import Evidence
from ..results.report import CheckResult
from .check import Check, NotChecked, RowTests
from .guarded import asked_by
from .subject import Subject


@dataclass(frozen=True, slots=True)
class Planned:
    """A check with its tests, and for each of them the bit of its condition."""

    check: Check
    tests: RowTests
    bits: tuple[int, ...]

    def bits_of(self, meaning: str) -> int:
        """The mask of the tests with this meaning."""
        return _union(1 << bit for test, bit in self.numbered() if test.meaning == meaning)

    def judges(self, mask: int) -> bool:
        """Whether the check decides about records with these answers: a violation is one, whatever else holds."""
        open_ = self.bits_of("exempt") | self.bits_of("unjudged")
        return bool(mask & self.bits_of("violation")) or not mask & open_

    def violated(self, seen: Sequence[Evidence]) -> list[tuple[RowTest, Evidence]]:
        """The evidence of this check's own violations."""
        own = {bit: test for test, bit in self.numbered() if test.meaning == "violation"}
        return [(own[record.test], record) for record in seen if record.test in own]

    def numbered(self) -> list[tuple[RowTest, int]]:
        return list(zip(self.tests.rows, self.bits, strict=True))


@dataclass(frozen=True, slots=True)
class Plan:
    """`unchecked` are the results of checks that cannot be made, with the reason. `order` has the ids of all checks."""

    planned: tuple[Planned, ...]
    unchecked: tuple[CheckResult, ...]
    conditions: tuple[Condition, ...]
    order: tuple[str, ...]

    @property
    def hot_keys(self) -> bool:
        return any(each.tests.hot_keys for each in self.planned)

    @property
    def reads_headers(self) -> bool:
        return any(isinstance(each, OfHeaders) for each in self.conditions)

    @property
    def violations(self) -> dict[int, Condition]:
        """The conditions that are a violation for some check, by their bits."""
        violated = _union(each.bits_of("violation") for each in self.planned)
        return {bit: each for bit, each in enumerate(self.conditions) if violated >> bit & 1}

    def without(self, failed: Mapping[str, str]) -> Plan:
        """The same conditions, without the checks that failed meanwhile, each with the reason."""
        if not failed:
            return self
        planned = tuple(each for each in self.planned if each.check.id not in failed)
        unable = (CheckResult(check, "not-checked", reason=why, unable=True) for check, why in failed.items())
        return replace(self, planned=planned, unchecked=(*self.unchecked, *unable))


def plan(subject: Subject, checks: Sequence[Check]) -> Plan:
    planned: list[Planned] = []
    unchecked: list[CheckResult] = []
    conditions: list[Condition] = []
    for check in checks:
        tests = asked_by(check, subject)
        if isinstance(tests, NotChecked):
            unchecked.append(CheckResult(check.id, "not-checked", reason=tests.reason, unable=tests.unable))
        elif tests is not None:
            # By equality alone: a condition with a table in it has no hash.
            conditions += [row.condition for row in tests.rows if row.condition not in conditions]
            planned.append(Planned(check, tests, tuple(conditions.index(row.condition) for row in tests.rows)))
    return Plan(tuple(planned), tuple(unchecked), tuple(conditions), tuple(check.id for check in checks))


def _union(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)
