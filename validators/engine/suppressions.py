"""What the files silence, by `ignore:` on a resource or by a comment, and which of it was needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..topology.findings import Finding
from ..topology.model import ConsumerGroup, Producer, StreamsApplication, Topic, Topology
from ..topology.places import Location

Ignoring = Topic | Producer | ConsumerGroup | StreamsApplication


@dataclass(frozen=True, slots=True)
class Suppression:
    """One rule silenced at one place, for the reason given there."""

    rule: str
    reason: str
    location: Location


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding that a file silences."""

    finding: Finding
    by: Suppression


class Suppressions:
    """All suppressions of a topology. It remembers which of them silenced something."""

    def __init__(self, topology: Topology, ran: set[str], known: set[str]) -> None:
        self.known = known  # every rule there is
        self.ran = ran  # those that ran to the end
        self._all: dict[Location, Suppression] = {}
        self._used: set[Location] = set()
        self._of_resource: dict[tuple[str, str, str], Suppression] = {}
        self._of_line: dict[tuple[str, str, int], Suppression] = {}
        for kind, resources in (
            ("topic", topology.topics),
            ("producer", topology.producers),
            ("group", topology.consumer_groups),
            ("streams", topology.streams),
        ):
            for name, resource in resources.items():
                self._add_ignores(kind, name, resource)
        for comment in topology.comment_ignores:
            suppression = self._add(Suppression(comment.rule, comment.reason, comment.location))
            self._of_line[comment.rule, comment.location.file, comment.line] = suppression
            if comment.resource:
                self._of_resource.setdefault((comment.rule, comment.kind, comment.resource), suppression)

    def __iter__(self) -> Iterator[Suppression]:
        return iter(self._all.values())

    def of(self, finding: Finding) -> Suppression | None:
        """The suppression that silences a finding; from then on it counts as needed."""
        suppression = self._of_resource.get((finding.id, finding.kind, finding.resource))
        if suppression is None:
            at = finding.location
            suppression = self._of_line.get((finding.id, at.file, at.line))
        if suppression is not None:
            self._used.add(suppression.location)
        return suppression

    def unused(self) -> Iterator[Suppression]:
        """Those that silenced nothing although their rule ran."""
        return (s for s in self if s.location not in self._used and s.rule in self.ran)

    def _add_ignores(self, kind: str, name: str, resource: Ignoring) -> None:
        for rule, reason in resource.ignore.items():
            # A profile's `ignore:` is one suppression, however many topics have it.
            suppression = self._add(Suppression(rule, reason, resource.place("ignore", rule).location))
            self._of_resource[rule, kind, name] = suppression

    def _add(self, suppression: Suppression) -> Suppression:
        return self._all.setdefault(suppression.location, suppression)
