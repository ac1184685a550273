"""One finding type for everything that looks at a topology: loader, rules, audit and record checks."""

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


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that has to do with a finding, such as where an inherited value was set."""

    location: Location
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A safe mending: the text at this location becomes another one."""

    location: Location
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, where, on which resource, and how to mend it."""

    id: str
    severity: Severity
    message: str
    location: Location
    resource: str = ""
    remediation: str = ""
    related: tuple[Related, ...] = ()
    edits: tuple[Edit, ...] = ()
    evidence: Mapping[str, object] = field(default_factory=dict)
    kind: str = ""  # what the resource is: topic, producer, group, streams, user or cluster

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        at = self.location
        return (at.file, at.line, at.column, self.id, self.message)


def in_reading_order(findings: list[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda finding: finding.sort_key))
