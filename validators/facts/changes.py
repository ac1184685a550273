"""Two versions of a topology side by side, compared once for all rules about changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from ..topology.access import Grant
from ..topology.effective import EffectiveSettings
from ..topology.model import Topic, Topology
from ..topology.places import Place
from ..topology.units import SIZE_UNITS
from .access import Role, grants_of
from .indexes import Index

Value = TypeVar("Value")


class Changes:
    """What was removed, added or changed between `before` and `after`."""

    def __init__(self, before: Topology, after: Topology, index: Index) -> None:
        self.before = before
        self.after = after
        self.old_settings = EffectiveSettings(before)
        self.old_index = Index(before, self.old_settings)
        self.new_index = index

    @cached_property
    def topics(self) -> tuple[tuple[Topic, Topic], ...]:
        """Topics of both versions that may differ in some effective value: as they were, as they are."""
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
    def removed_topics(self) -> tuple[Topic, ...]:
        return removed(self.before.topics, self.after.topics)

    @cached_property
    def added_topics(self) -> tuple[Topic, ...]:
        return removed(self.after.topics, self.before.topics)

    @cached_property
    def grants(self) -> tuple[tuple[Grant, ...], tuple[Grant, ...]]:
        """The access before and after of every principal for which something changes."""
        principals: set[str] = set()
        sections: tuple[tuple[Mapping[str, Role], Mapping[str, Role]], ...] = (
            (self.before.producers, self.after.producers),
            (self.before.consumer_groups, self.after.consumer_groups),
            (self.before.streams, self.after.streams),
        )
        for old, new in sections:
            for name in {**old, **new}:
                was, now = old.get(name), new.get(name)
                if was != now:
                    principals.update(r.principal for r in (was, now) if r is not None and r.principal is not None)
        principals.update(acl.principal for acl in {*self.before.acls} ^ {*self.after.acls})
        if not principals:
            return (), ()
        return grants_of(self.before, principals), grants_of(self.after, principals)

    def numbers(self, name: str) -> Iterator[tuple[Topic, Topic, int, int]]:
        """Topics whose effective value of a setting, a whole number, differs: old and new topic, old and new value."""
        old_number, new_number = self.old_index.topic_number(name), self.new_index.topic_number(name)
        for old, new in self.topics:
            was, now = old_number(old), new_number(new)
            if was is not None and now is not None and was != now:
                yield old, new, was, now

    def section(self, name: str) -> Place:
        """The section in the new version from which something was removed."""
        return self.after.place(name)


def removed(before: Mapping[str, Value], after: Mapping[str, Value]) -> tuple[Value, ...]:
    return tuple(thing for name, thing in before.items() if name not in after)


def about(count: float) -> str:
    """A size in words people compare: 3.0 TB."""
    unit = "B"
    for name in ("KB", "MB", "GB", "TB"):
        if count >= SIZE_UNITS[name]:
            unit = name
    return f"{count / SIZE_UNITS[unit]:.1f} {unit}"
