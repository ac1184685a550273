"""What the files suppress, with `ignore:` on a resource or with a comment, and which suppressions are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from kafka_topology.topology.model.declared import (
    ConsumerGroup,
    Producer,
    ShareGroup,
    StreamsApplication,
    Topic,
    Topology,
)
from kafka_topology.topology.model.findings import Finding
from kafka_topology.topology.model.kinds import NAMED_KINDS
from kafka_topology.topology.model.places import Location

Ignoring = Topic | Producer | ConsumerGroup | ShareGroup | StreamsApplication


@dataclass(frozen=True, slots=True)
class Suppression:
    """One rule that is suppressed in one place, with the reason given there.

    `written` is the id in the file: a retired one stands for the rule that it became a part of.
    """

    rule: str
    reason: str
    location: Location
    written: str = ""


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding that a file suppresses."""

    finding: Finding
    by: Suppression


class Suppressions:
    """All suppressions of a topology. Remembers which of them were needed."""

    def __init__(self, topology: Topology, ran: set[str], known: set[str], retired: Mapping[str, str]) -> None:
        self.known = known  # all rules
        self._retired = retired
        self.ran = ran  # the rules that ran to the end
        self._all: dict[Location, Suppression] = {}
        self._used: set[Location] = set()
        self._instead: dict[Location, Suppression] = {}
        self._of_resource: dict[tuple[str, str, str], list[Suppression]] = {}
        self._of_line: dict[tuple[str, str, int], Suppression] = {}
        for kind in NAMED_KINDS:
            for name, resource in kind.of(topology).items() if kind.suppresses else ():
                self._add_ignores(kind.word, name, cast("Ignoring", resource))
        for comment in topology.comment_ignores:
            suppression = self._add(comment.rule, comment.reason, comment.location)
            rule = suppression.rule
            self._of_line[rule, comment.location.file, comment.line] = suppression
            if comment.resource:
                self._of_resource.setdefault((rule, comment.kind, comment.resource), []).append(suppression)

    def __iter__(self) -> Iterator[Suppression]:
        return iter(self._all.values())

    def of(self, finding: Finding) -> Suppression | None:
        """The suppression of a finding, if any; it counts as needed from then on."""
        at = finding.location
        on_line = self._of_line.get((finding.id, at.file, at.line))
        found: list[Suppression] = [*self._of_resource.get((finding.id, finding.kind, finding.resource), ())]
        if on_line is not None:
            found.append(on_line)
        if not found:
            return None
        self._used.add(found[0].location)
        for other in found[1:]:
            self._instead.setdefault(other.location, found[0])
        return found[0]

    def instead_of(self, unused: Suppression) -> Suppression | None:
        """The suppression that applied to the findings of an unused one, if any."""
        return self._instead.get(unused.location)

    def unused(self) -> Iterator[Suppression]:
        """Suppressions without a finding, although their rule ran."""
        return (s for s in self if s.location not in self._used and s.rule in self.ran)

    def _add_ignores(self, kind: str, name: str, resource: Ignoring) -> None:
        for rule, reason in resource.ignore.items():
            # A profile's `ignore:` is one suppression, however many topics use the profile.
            suppression = self._add(rule, reason, resource.place("ignore", rule).location)
            self._of_resource.setdefault((suppression.rule, kind, name), []).append(suppression)

    def _add(self, written: str, reason: str, location: Location) -> Suppression:
        suppression = Suppression(self._retired.get(written, written), reason, location, written)
        return self._all.setdefault(location, suppression)
