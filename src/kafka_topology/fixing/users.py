"""Who uses the values that fixes edit: an edit must suit each of them, in every environment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from kafka_topology.review.fields import fields_of
from kafka_topology.topology import Edit, Finding, Location, Topology
from kafka_topology.topology.model.kinds import NAMED_KINDS

User = tuple[str, str]
_CLUSTER = "cluster"


class Users:
    """The resources of one environment by the places of their values, and its findings."""

    def __init__(self, environment: str | None, topology: Topology, findings: Sequence[Finding]) -> None:
        self.environment = environment
        self._topology = topology
        self._findings = findings

    def objection(self, finding: Finding) -> str:
        """Why the edits of a finding must not be made: somebody uses the value and does not need the fix."""
        users = {user for edit in finding.edits for user in self._by_place.get(edit.location, ())}
        if not users:
            return ""
        alike = self._alike.get((finding.id, finding.edits), set())
        where = "the base" if self.environment is None else f"environment {self.environment}"
        if not alike:
            return f"{where} uses the value, too, and does not need the fix"
        other = next((name for kind, name in sorted(users - alike) if kind == finding.kind), None)
        return f"{other} uses the value, too, and does not need the fix" if other is not None else ""

    @cached_property
    def _alike(self) -> dict[tuple[str, tuple[Edit, ...]], set[User]]:
        """The resources with the same finding and the same edits."""
        alike: dict[tuple[str, tuple[Edit, ...]], set[User]] = {}
        for each in self._findings:
            alike.setdefault((each.id, each.edits), set()).add((each.kind, each.resource))
        return alike

    @cached_property
    def _by_place(self) -> dict[Location, set[User]]:
        users: dict[Location, set[User]] = {}
        for location, user in self._uses():
            users.setdefault(location, set()).add(user)
        return users

    def _uses(self) -> Iterator[tuple[Location, User]]:
        for kind in NAMED_KINDS:
            for name, resource in kind.of(self._topology).items():
                for path in fields_of(kind.section, resource):
                    yield resource.place(*path).location, (kind.word, name)
        cluster = self._topology.cluster
        for path in fields_of(_CLUSTER, cluster):
            location = cluster.place(*path).location
            yield location, (_CLUSTER, cluster.name or _CLUSTER)
            if path[0] == "defaults":  # topics follow it, unless they set a value themselves
                yield from ((location, ("topic", name)) for name in self._topology.topics)


def objection(finding: Finding, environments: Iterable[Users]) -> str:
    """The first objection of an environment to the edits of a finding; empty if they suit all."""
    return next(filter(None, (users.objection(finding) for users in environments)), "")
