"""Two versions of a topology, compared once for all rules about changes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TypeVar

from kafka_topology.topology.kafka.access import Grant
from kafka_topology.topology.kafka.authorizer import Allowed
from kafka_topology.topology.kafka.effective import EffectiveSettings
from kafka_topology.topology.model.declared import Topic, Topology
from kafka_topology.topology.model.kinds import NAMED_KINDS
from kafka_topology.topology.model.places import Layer, Location, Place
from kafka_topology.topology.model.units import SIZE_UNITS

from .access import Role, grants_of
from .indexes import Index

Value = TypeVar("Value")
_SECTIONS = ("cluster", "profiles", "environments", *(kind.section for kind in NAMED_KINDS), "acls", "quotas")
SchemaHistory = Callable[[str], Sequence[tuple[str, str]] | None]
"""Earlier texts of a schema file by its path, each with the name of its revision; None if they are not known."""
Reach = tuple[str, str, str, str]  # principal, resource, name, pattern


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two versions, as facts about a single version want it."""

    topology: Topology
    index: Index


class Changes:
    """What is removed, added or changed between `before` and `after`."""

    def __init__(
        self, before: Topology, after: Topology, index: Index, history: SchemaHistory = lambda _: None
    ) -> None:
        self.before = before
        self.schema_history = history
        self.after = after
        self.old_settings = EffectiveSettings(before)
        self.old_index = Index(before, self.old_settings)
        self.new_index = index

    @cached_property
    def topics(self) -> tuple[tuple[Topic, Topic], ...]:
        """Topics in both versions whose effective values may differ: the old one and the new one."""
        old, new = self.before.cluster, self.after.cluster
        same_defaults = old.kafka == new.kafka and old.defaults == new.defaults
        same_schemas = self.before.schemas == self.after.schemas
        earlier = self.before.topics
        return tuple(
            (earlier[name], topic)
            for name, topic in self.after.topics.items()
            if name in earlier and not (same_defaults and same_schemas and earlier[name] == topic)
        )

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        return Side(self.before, self.old_index), Side(self.after, self.new_index)

    @cached_property
    def removed_topics(self) -> tuple[Topic, ...]:
        return removed(self.before.topics, self.after.topics)

    @cached_property
    def added_topics(self) -> tuple[Topic, ...]:
        return removed(self.after.topics, self.before.topics)

    @cached_property
    def grants(self) -> tuple[tuple[Grant, ...], tuple[Grant, ...]]:
        """The access before and after, of every principal whose roles or ACLs change."""
        principals: set[str] = set()
        sections: tuple[tuple[Mapping[str, Role], Mapping[str, Role]], ...] = (
            (self.before.producers, self.after.producers),
            (self.before.consumer_groups, self.after.consumer_groups),
            (self.before.share_groups, self.after.share_groups),
            (self.before.streams, self.after.streams),
        )
        for old, new in sections:
            for name in {**old, **new}:
                was, now = old.get(name), new.get(name)
                if was != now:
                    principals.update(*(role.principals for role in (was, now) if role is not None))
        principals.update(acl.principal for acl in {*self.before.acls} ^ {*self.after.acls})
        if not principals:
            return (), ()
        return grants_of(self.before, principals), grants_of(self.after, principals)

    @cached_property
    def access_gained(self) -> dict[Reach, list[Grant]]:
        """Access to what existed before, by principal and resource."""
        before, after = self.grants
        return _uncovered(self.before, self.after, before, after)

    @cached_property
    def access_lost(self) -> dict[Reach, list[Grant]]:
        """Access to what still exists, by principal and resource."""
        before, after = self.grants
        return _uncovered(self.after, self.before, after, before)

    def numbers(self, name: str) -> Iterator[tuple[Topic, Topic, int, int]]:
        """Topics whose effective number of a setting differs: old and new topic, old and new number."""
        old_number, new_number = self.old_index.topic_number(name), self.new_index.topic_number(name)
        for old, new in self.topics:
            was, now = old_number(old), new_number(new)
            if was is not None and now is not None and was != now:
                yield old, new, was, now

    def lost_at(self, section: str, was: Location) -> Place | Location:
        """Where the new version no longer has something: what follows the gap now, or else what comes before it."""
        neighbours = self._neighbours.get(self._file(self.before, was), ())
        if neighbours:
            following = bisect_left(neighbours, was.line, key=lambda pair: pair[0].line)
            return neighbours[min(following, len(neighbours) - 1)][1]
        place = self.after.place(section)
        is_same_file = self._file(self.after, place.location) == self._file(self.before, was)
        return place if is_same_file else was

    def _file(self, version: Topology, location: Location) -> str:
        return "" if self._are_single_files else _inside(version, location)

    @cached_property
    def _are_single_files(self) -> bool:
        """Whether each version is one file, whatever it is called."""
        return all(len(_files(version)) <= 1 for version in (self.before, self.after))

    @cached_property
    def _neighbours(self) -> dict[str, list[tuple[Location, Location]]]:
        """Old and new places of what stayed in its file, by file, from its first line to its last."""
        found: dict[str, list[tuple[Location, Location]]] = {}
        for was, now in self._kept():
            file = self._file(self.before, was)
            if self._file(self.after, now) == file:
                found.setdefault(file, []).append((was, now))
        return {file: sorted(pairs, key=lambda pair: pair[0].line) for file, pairs in found.items()}

    def _kept(self) -> Iterator[tuple[Location, Location]]:
        """Old and new places of sections and of what is in them."""
        old, new = self.before, self.after
        for kind in NAMED_KINDS:
            after = kind.of(new)
            yield from ((was.location, after[name].location) for name, was in kind.of(old).items() if name in after)
        for before, later in ((old.acls, new.acls), (old.quotas, new.quotas)):
            now = {entry: entry.location for entry in later}
            yield from ((entry.location, now[entry]) for entry in before if entry in now)
        for section in _SECTIONS:
            places = old.place(section), new.place(section)
            if Layer.LANGUAGE not in (each.layer for each in places):
                yield places[0].location, places[1].location


def _files(topology: Topology) -> set[str]:
    named = (resource for kind in NAMED_KINDS for resource in kind.of(topology).values())
    return {each.location.file for each in (*named, *topology.acls)}


def folder_shown(topology: Topology, location: Location) -> str | None:
    """The folder of the topology as locations name it, such as `topology/`; None if they name another one."""
    if "/" not in location.file:
        return ""  # the current folder
    inside = _inside(topology, location)
    folder = location.file[: -len(inside)]
    is_named = bool(folder) and PurePath(folder).name == topology.root.name
    return folder if is_named and location.file.endswith(inside) else None


def _inside(topology: Topology, location: Location) -> str:
    """The file's path in the folder of the topology, which may have been moved or exported."""
    parts = [part for part in PurePath(location.file).parts if part not in ("..", ".")]
    root = list(topology.root.parts)
    shared = (count for count in range(len(parts) - 1, 0, -1) if parts[:count] == root[-count:])
    return "/".join(parts[next(shared, 0) :])


def removed(before: Mapping[str, Value], after: Mapping[str, Value]) -> tuple[Value, ...]:
    return tuple(thing for name, thing in before.items() if name not in after)


def _uncovered(
    without: Topology, having: Topology, old: tuple[Grant, ...], new: tuple[Grant, ...]
) -> dict[Reach, list[Grant]]:
    """The access of one version that the other one does not have, although it has the resource."""
    known, allowed = set(old), Allowed(old)
    found: dict[Reach, list[Grant]] = {}
    for grant in new:
        if grant.permission == "deny" or grant in known or not _is_in_both(without, having, grant):
            continue
        if not allowed.covers(grant):
            reach = (grant.principal, grant.resource, grant.name, grant.pattern)
            found.setdefault(reach, []).append(grant)
    return found


def _is_in_both(without: Topology, having: Topology, grant: Grant) -> bool:
    """Other rules report resources that come or go. An application's access to its own comes and goes with it."""
    if grant.pattern == "prefixed" or grant.resource == "transactional-id":
        return not grant.is_derived
    if grant.resource == "topic":
        return grant.name in without.topics or grant.name not in having.topics
    if grant.resource == "group":
        known = (without.consumer_groups, without.share_groups, without.streams)
        return any(grant.name in groups for groups in known) or not grant.is_derived
    return True


def about(count: float) -> str:
    """A size as people read it: 3.0 TB."""
    unit = "B"
    for name in ("KB", "MB", "GB", "TB"):
        if count >= SIZE_UNITS[name]:
            unit = name
    return f"{count / SIZE_UNITS[unit]:.1f} {unit}"
