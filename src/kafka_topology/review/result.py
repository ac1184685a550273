"""A whole review: changes and findings of one or more environments, notes, drift."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..topology.model.findings import Finding, Severity
from .changes import Change, Risk, worst
from .graph import ChangedGraph
from .preview import Drift
from .whatif import WhatIf


@dataclass(frozen=True, slots=True)
class EnvironmentReview:
    """How the two versions of one environment differ. The earlier version has the `known` findings, too."""

    environment: str | None
    changes: tuple[Change, ...] = ()
    findings: tuple[Finding, ...] = ()
    known: tuple[Finding, ...] = ()
    what_if: WhatIf | None = None
    graph: ChangedGraph = field(default_factory=ChangedGraph)


@dataclass(frozen=True, slots=True)
class InEnvironments:
    """The reviewed environments that have something."""

    environments: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class SharedChange(InEnvironments):
    change: Change


@dataclass(frozen=True, slots=True)
class SharedFinding(InEnvironments):
    finding: Finding
    is_new: bool


@dataclass(frozen=True, kw_only=True)  # without slots, which cached properties need
class Review:
    subject: str
    base: str | None  # name of the earlier version; None if there is none to compare with
    head: str
    reviews: tuple[EnvironmentReview, ...]
    notes: tuple[str, ...] = ()
    could_not_check: tuple[str, ...] = ()
    unreadable: tuple[Finding, ...] = ()  # why the new version is no topology
    is_compared: bool = True  # False if an earlier version exists but could not be read
    drift: tuple[Drift, ...] = ()
    has_preview: bool = False

    @property
    def environments(self) -> tuple[str | None, ...]:
        return tuple(review.environment for review in self.reviews)

    @cached_property
    def changes(self) -> tuple[SharedChange, ...]:
        """Every change once, sorted, with the environments that have it."""
        found: dict[Change, list[str | None]] = {}
        for review in self.reviews:
            for change in review.changes:
                found.setdefault(change, []).append(review.environment)
        ordered = sorted(found, key=lambda change: change.sort_key)
        return tuple(SharedChange(tuple(found[change]), change) for change in ordered)

    @cached_property
    def findings(self) -> tuple[SharedFinding, ...]:
        """Every finding once: new ones first, then by severity."""
        found: dict[tuple[object, ...], SharedFinding] = {}
        for review in self.reviews:
            for is_new, findings in ((True, review.findings), (False, review.known)):
                for finding in findings:
                    key = (finding.id, finding.location, finding.message, is_new)
                    held = found.get(key, SharedFinding((), finding, is_new))
                    found[key] = replace(held, environments=(*held.environments, review.environment))
        for finding in self.unreadable:
            found[finding.id, finding.location, finding.message, True] = SharedFinding((), finding, True)
        return tuple(sorted(found.values(), key=_order))

    @property
    def risk(self) -> Risk | None:
        """The worst risk of all changes. None if a version could not be read: then nobody knows all changes."""
        if self.unreadable or not self.is_compared:
            return None
        return worst(shared.change.risk for shared in self.changes)

    def count(self, risk: Risk) -> int:
        return sum(shared.change.risk is risk for shared in self.changes)

    def fails(self, fail_on: Severity) -> bool:
        return any(shared.finding.severity.at_least(fail_on) for shared in self.findings)


def _order(shared: SharedFinding) -> tuple[object, ...]:
    return (not shared.is_new, -shared.finding.severity.rank, shared.finding.sort_key)


def split_known(
    findings: Iterable[Finding], before: Iterable[Finding]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """New findings, and those that the earlier version had, too, on whatever line."""
    had = {(finding.id, finding.resource, finding.message) for finding in before}
    all_found = tuple(findings)
    new = tuple(f for f in all_found if (f.id, f.resource, f.message) not in had)
    known = tuple(f for f in all_found if (f.id, f.resource, f.message) in had)
    return new, known
