"""Changes of the patterns of keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kafka_topology.topology.model.words import named

from ..changes import Change, care, safe
from ..fields import shown
from ..judging import action_of, differing
from ..subject import Subject
from ..versions import Versions


def pattern_changes(versions: Versions) -> Iterator[Change]:
    for name, was, now in differing(versions.old.topology.patterns, versions.new.topology.patterns):
        topics = versions.new.topology.topics.values()
        users = tuple(topic.name for topic in topics if topic.key and topic.key.pattern_name == name)
        if was is None or not users:
            verdict = safe("no existing key is checked against it")
        else:
            verdict = care(f"keys of {named(users)} that matched may no longer match, and vice versa")
        place = versions.new.topology.place("patterns", name) if now is not None else versions.new.topology.place()
        yield Change(
            kind="pattern",
            name=name,
            action=action_of(was, now),
            before=shown(was),
            after=shown(now),
            location=place.location,
            risk=verdict.risk,
            reason=verdict.reason,
        )


SUBJECT: Final = Subject(order=80, kinds=("pattern",), sections=("patterns",), changes=pattern_changes)
