"""A whole review: changes and findings of one or more environments, notes, drift."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

from ..topology.model.declared import Acceptance
from ..topology.model.findings import EXCESS, Finding, Severity
from ..topology.model.words import listed
from .accepting import Accepting, accepted_words
from .capacity import Capacity
from .changes import Change, Risk, worst
from .gate import DEFAULT_GATE, Gate
from .graph import ChangedGraph
from .grouping.rows import Row, rows_of
from .grouping.shared import InEnvironments, SharedChange, SharedFinding
from .preview import Drift
from .what_if.question import WhatIf

__all__ = [
    "EnvironmentReview",
    "InEnvironments",
    "Review",
    "SharedChange",
    "SharedFinding",
    "at_one_place",
    "split_known",
]


@dataclass(frozen=True, slots=True)
class EnvironmentReview:
    """How the two versions of one environment differ. The earlier version has the `known` findings, too."""

    environment: str | None
    changes: tuple[Change, ...] = ()
    findings: tuple[Finding, ...] = ()
    known: tuple[Finding, ...] = ()
    what_if: WhatIf | None = None
    graph: ChangedGraph = field(default_factory=ChangedGraph)
    what_if_before: WhatIf | None = None  # of the earlier version
    accept: tuple[Acceptance, ...] = ()
    accept_before: tuple[Acceptance, ...] = ()  # of the earlier version
    capacity: tuple[Capacity, Capacity] | None = None  # before and after, if it changes


@dataclass(frozen=True, kw_only=True)  # without slots, which cached properties need
class Review:
    subject: str
    base: str | None  # name of the earlier version; None if there is none to compare with
    head: str
    reviews: tuple[EnvironmentReview, ...]
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()  # what could not be read or asked
    unreadable: tuple[Finding, ...] = ()  # why the new version is no topology
    is_compared: bool = True  # False if an earlier version exists but could not be read
    drift: tuple[Drift, ...] = ()
    has_preview: bool = False
    gate: Gate = DEFAULT_GATE
    shows_all: bool = False  # also the findings that the earlier version has
    today: date = date.max  # decides which acceptances count
    declared: tuple[str, ...] = ()  # the environments of both versions

    @property
    def left_out(self) -> tuple[str, ...]:
        """The environments that the files declare and that are not reviewed."""
        return tuple(name for name in self.declared if name not in self.environments)

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
    def rows(self) -> tuple[Row, ...]:
        """The changes by cause, the worst first."""
        return rows_of(self.changes)

    @cached_property
    def _rows_by_change(self) -> dict[int, Row]:
        return {id(shared): row for row in self.rows for shared in row.members}

    def row_of(self, shared: SharedChange) -> Row:
        """The row that has one of `changes`."""
        return self._rows_by_change[id(shared)]

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
        if self.base is not None and self.is_compared:
            for finding in self.accepting.new_findings():
                found[finding.id, finding.location, finding.message, True] = SharedFinding((), finding, True)
            for finding in self.accepting.known_findings():
                found[finding.id, finding.location, finding.message, False] = SharedFinding((), finding, False)
        return tuple(sorted((self._with_acceptance(each) for each in found.values()), key=_order))

    @cached_property
    def findings_of_rows(self) -> frozenset[tuple[str, str, str]]:
        """Findings that are about a change with a risk, by id, resource and message."""
        members = (each for row in self.rows if row.risk is not Risk.SAFE for each in row.members)
        return frozenset(key for each in members for key in each.change.found)

    @cached_property
    def _fixes(self) -> dict[tuple[str, str, str], str]:
        found = (each.finding for each in self.findings)
        return {
            (finding.id, finding.resource, finding.message): finding.fix
            for finding in found
            if finding.fix and not _fails_alone(finding)
        }

    def fix_of(self, row: Row) -> str:
        """What the rule about the row's change says to do; empty if there is none."""
        return next((self._fixes[key] for key in row.head.change.found if key in self._fixes), "")

    @cached_property
    def accepting(self) -> Accepting:
        """Which changes the files accept."""
        entries = tuple(dict.fromkeys(entry for each in self.reviews for entry in each.accept))
        earlier = tuple(dict.fromkeys(entry for each in self.reviews for entry in each.accept_before))
        return Accepting(self.rows, entries, earlier, self.today)

    def _with_acceptance(self, shared: SharedFinding) -> SharedFinding:
        """A finding about an accepted change is advice, and says by what it is accepted."""
        finding = shared.finding
        accepted = self.accepting.findings_accepted.get((finding.id, finding.resource, finding.message))
        if accepted is None or not shared.is_new:
            return shared
        message = f"{finding.message} ({accepted_words(accepted)})"
        return replace(shared, accepted=accepted, finding=replace(finding, severity=Severity.ADVICE, message=message))

    @cached_property
    def approvers(self) -> dict[str, tuple[str, ...]]:
        """Who should approve what has a risk: its owners and those of its readers and writers, with the reasons."""
        found: dict[str, dict[str, None]] = {}
        for shared in self.changes:
            if shared.change.risk is not Risk.SAFE:
                for owner, why in shared.change.concerns:
                    found.setdefault(owner, {})[why] = None
        return {owner: tuple(found[owner]) for owner in sorted(found)}

    @cached_property
    def could_not_check(self) -> tuple[str, ...]:
        """What could not be read or judged, and what nobody accepts unseen."""
        rows = (row for row in self.rows if self.accepting.of(row) is None)
        unjudged = dict.fromkeys(reason for row in rows for each in row.members for reason in each.change.unchecked)
        return (*self.unread, *unjudged)

    @property
    def risk(self) -> Risk | None:
        """The worst risk of all changes. None if a version could not be read: then nobody knows all changes."""
        if self.unreadable or not self.is_compared:
            return None
        return worst(shared.change.risk for shared in self.changes)

    def count(self, risk: Risk) -> int:
        return sum(shared.change.risk is risk for shared in self.changes)

    def causes(self, risk: Risk, *, accepted: bool | None = None) -> int:
        """Rows of a risk: all, or only those that are accepted or not."""
        rows = (row for row in self.rows if row.risk is risk)
        return sum(accepted is None or (self.accepting.of(row) is not None) is accepted for row in rows)

    @property
    def new_findings(self) -> tuple[SharedFinding, ...]:
        return tuple(shared for shared in self.findings if shared.is_new)

    @property
    def failing_findings(self) -> tuple[SharedFinding, ...]:
        """Only what the change brings: the earlier version's findings do not fail."""
        return tuple(each for each in self.new_findings if self.is_failing(each))

    def is_failing(self, shared: SharedFinding) -> bool:
        """Whether a finding makes the review fail."""
        counts = shared.is_new and shared.accepted is None
        return counts and shared.finding.severity.at_least(self.gate.severity)

    def is_stopped(self, row: Row) -> bool:
        """Whether a row makes the review fail."""
        return self.gate.stops(row.risk) and self.accepting.of(row) is None

    @property
    def failing_rows(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if self.is_stopped(row))

    @property
    def fails(self) -> bool:
        return bool(self.failing_findings or self.failing_rows)


def _order(shared: SharedFinding) -> tuple[object, ...]:
    return (not shared.is_new, -shared.finding.severity.rank, shared.finding.sort_key)


def _fails_alone(finding: Finding) -> bool:
    """Errors are shown for themselves, with their fix."""
    return finding.severity is Severity.ERROR


def at_one_place(findings: Iterable[SharedFinding]) -> tuple[SharedFinding, ...]:
    """One finding for each rule and place: a line of a profile is wrong once, however many topics inherit it."""
    found: dict[tuple[object, ...], list[SharedFinding]] = {}
    for shared in findings:
        finding = shared.finding
        key = (finding.id, finding.severity, finding.location, shared.is_new, shared.accepted)
        found.setdefault(key, []).append(shared)
    return tuple(_gathered(held) for held in found.values())


def _gathered(held: list[SharedFinding]) -> SharedFinding:
    first = held[0]
    others = [name for name in dict.fromkeys(each.finding.resource for each in held) if name != first.finding.resource]
    if not others:
        return first
    message = f"{first.finding.message} (the same for {listed(others, most=3)})"
    return replace(first, finding=replace(first.finding, message=message))


def split_known(
    findings: Iterable[Finding], before: Iterable[Finding]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """New findings, and those that the earlier version had, too, on whatever line and at least as bad."""
    earlier = tuple(before)
    had = {(finding.id, finding.resource, finding.message) for finding in earlier}
    worst_excess: dict[tuple[object, ...], float] = {}
    for finding in earlier:
        if EXCESS in finding.evidence:
            about = _about(finding)
            worst_excess[about] = max(worst_excess.get(about, -math.inf), _excess(finding))
    new: list[Finding] = []
    known: list[Finding] = []
    for finding in findings:
        is_same = (finding.id, finding.resource, finding.message) in had
        is_less = EXCESS in finding.evidence and _excess(finding) <= worst_excess.get(_about(finding), -math.inf)
        (known if is_same or is_less else new).append(finding)
    return tuple(new), tuple(known)


def _about(finding: Finding) -> tuple[object, ...]:
    """What a finding is about, whatever its numbers are."""
    others = sorted((name, str(value)) for name, value in finding.evidence.items() if name != EXCESS)
    return (finding.id, finding.severity, finding.kind, finding.resource, *others)


def _excess(finding: Finding) -> float:
    return float(str(finding.evidence[EXCESS]))
