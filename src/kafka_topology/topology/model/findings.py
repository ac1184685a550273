"""The one type of finding, for the loader, the rules, the audit and the record checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from .places import Location


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    ADVICE = "advice"

    @property
    def rank(self) -> int:
        """Higher is worse."""
        return _RANK[self]

    def at_least(self, other: Severity) -> bool:
        return self.rank >= other.rank


_RANK = {Severity.ADVICE: 0, Severity.WARNING: 1, Severity.ERROR: 2}


EXCESS = "excess"
_HIGHEST = 1e18  # JSON has no infinity


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a finding concerns, such as where an inherited value was set."""

    location: Location
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A safe fix: replaces the text at this location."""

    location: Location
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, where, on which resource, and how to fix it."""

    id: str
    severity: Severity
    message: str
    location: Location
    resource: str = ""
    fix: str = ""
    related: tuple[Related, ...] = ()
    edits: tuple[Edit, ...] = ()
    evidence: Mapping[str, object] = field(default_factory=dict)
    kind: str = ""  # of the resource: topic, producer, group, streams, user or cluster
    rule_failed: bool = False  # whether the rule itself failed, instead of finding something

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        at = self.location
        return (at.file, at.line, at.column, self.id, self.message)


def excess(value: float) -> dict[str, float]:
    """Evidence for how far a finding is from what is expected: of two about the same thing, the higher is worse."""
    return {EXCESS: round(min(value, _HIGHEST), 6)}


def in_reading_order(findings: list[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda finding: finding.sort_key))
