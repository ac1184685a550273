"""How much of a topic a check must have judged, and how many violations are tolerated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from kafka_topology.topology.model.declared import CheckLimits
from kafka_topology.topology.model.words import counted

from ..results.report import CheckResult

NO_LIMITS = CheckLimits()


@dataclass(frozen=True, slots=True)
class Coverage:
    """Records by what a check could do with them; together they are all that were read."""

    judged: int
    unjudged: int
    exempt: int

    @property
    def applicable(self) -> int:
        return self.judged + self.unjudged

    def without(self, records: int) -> Coverage:
        """These records of the judged ones turned out to be open."""
        return Coverage(self.judged - records, self.unjudged + records, self.exempt)


def all_of(counts: Literal["record", "key", "partition", "topic"], partitions: int) -> int | None:
    """How many there are of what a check counts, if the check does not say; None stands for the judged records.

    A share of records would tolerate any number of partitions or topics once there are enough records. How many keys
    there are is not known, so none of them is tolerated.
    """
    return {"record": None, "key": 0, "partition": partitions, "topic": 1}[counts]


def limited(result: CheckResult, limits: CheckLimits, out_of: int | None = None) -> CheckResult:
    """The result with what the limits make of it. `out_of` is how many there are of what the check counts.

    Where nothing was judged, nothing is known: there are then no violations to speak of, not even none.
    """
    applicable = result.judged + result.unjudged
    short = result.unjudged > 0 and Fraction(result.judged, applicable) < limits.required
    found = result.violations or 0
    allowed = limits.tolerated * (result.judged if out_of is None else out_of)
    result = replace(
        result,
        too_few_judged=short,
        tolerated=0 < found <= allowed,
        max_violations=float(limits.tolerated),
        min_judged=float(limits.required),
    )
    if result.judged or found or not (result.unjudged or result.exempt):
        return result
    exempt = f"it applies to none of {counted(result.exempt, 'record')}" if not result.unjudged else None
    return replace(result, status="not-checked", violations=None, reason=result.reason or exempt)
