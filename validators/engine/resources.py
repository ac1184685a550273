"""Which resource a problem is about. A topic and a group may have the same name, so the name is not enough."""

from __future__ import annotations

from collections.abc import Mapping
from traceback import walk_tb
from typing import Protocol

from kafka_topology.topology.model.declared import Declared, Topic, Topology
from kafka_topology.topology.model.findings import Related
from kafka_topology.topology.model.kinds import NAMED_KINDS
from kafka_topology.topology.model.places import Layer, Location, Place

CLUSTER = "cluster"
# What people call each kind.
TITLES = {kind.word: kind.title for kind in NAMED_KINDS} | {CLUSTER: "cluster"}

_UNKNOWN = ("", "", None)


class Reported(Protocol):
    """What is known about a problem: the resource's name, perhaps its kind, and the place of the value."""

    @property
    def resource(self) -> str: ...
    @property
    def kind(self) -> str | None: ...
    @property
    def at(self) -> Place | Location: ...


class Resources:
    """All named resources of a topology, by kind."""

    def __init__(self, topology: Topology) -> None:
        self.by_kind: dict[str, Mapping[str, Declared]] = {kind.word: kind.of(topology) for kind in NAMED_KINDS}
        self._cluster = topology.cluster

    def declaration(self, kind: str, name: str) -> Declared | None:
        if kind == CLUSTER:
            return self._cluster
        return self.by_kind[kind].get(name) if kind in self.by_kind else None

    def looked_at(self, error: Exception) -> tuple[str, str, Declared | None]:
        """Kind, name and declaration of the resource that a rule probably looked at when it failed.

        It is in a variable of the innermost function that has any. With several, or with one that has no name, such as
        an ACL, nobody knows.
        """
        names = {id(each): (kind, name, each) for kind, named in self.by_kind.items() for name, each in named.items()}
        for frame, _ in reversed(list(walk_tb(error.__traceback__))):
            found = {id(value) for value in frame.f_locals.values() if isinstance(value, Declared)}
            if found:
                return names.get(found.pop(), _UNKNOWN) if len(found) == 1 else _UNKNOWN
        return _UNKNOWN

    def instance(self, kind: str, name: str) -> tuple[Related, ...]:
        """The item of `forEach` that a topic was made from, beside the template where its values are."""
        topic = self.declaration(kind, name)
        if not isinstance(topic, Topic) or topic.instance is None:
            return ()
        return (Related(topic.instance, f"forEach makes {name} from this"),)

    def kind_of(self, problem: Reported) -> str:
        """The kind that the rule gave, or the only one with that name, or the one that contains the place."""
        if problem.kind is not None:
            return problem.kind
        kinds = [kind for kind, named in self.by_kind.items() if problem.resource in named]
        if len(kinds) > 1:
            return self._nearest(kinds, problem)
        if kinds:
            return kinds[0]
        return CLUSTER if problem.resource in (CLUSTER, self._cluster.name) else ""

    def _nearest(self, kinds: list[str], problem: Reported) -> str:
        """Only topics inherit, so an inherited value is a topic's; otherwise the last declaration above the place."""
        if isinstance(problem.at, Place) and problem.at.layer in (Layer.PROFILE, Layer.CLUSTER):
            return kinds[0]
        at = problem.at.location if isinstance(problem.at, Place) else problem.at
        above: dict[str, tuple[int, int]] = {}
        for kind in kinds:
            start = self.by_kind[kind][problem.resource].location
            if start.file == at.file and (start.line, start.column) <= (at.line, at.column):
                above[kind] = (start.line, start.column)
        return max(above, key=lambda kind: above[kind]) if above else kinds[0]
