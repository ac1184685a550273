"""How far an incremental check got, as a small file from which the next run continues."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

VERSION = 1


class WrongState(ValueError):
    """Not a state, or that of another cluster; the message says what to do."""


@dataclass(frozen=True, slots=True)
class TopicState:
    """The id differs from that of a topic of the same name that was created later."""

    id: str
    next: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class State:
    """The next offset of each partition that was checked."""

    cluster: str | None = None
    topics: Mapping[str, TopicState] = field(default_factory=dict)

    def to_json(self) -> str:
        topics = {
            name: {"id": topic.id, "next": {str(part): offset for part, offset in sorted(topic.next.items())}}
            for name, topic in sorted(self.topics.items())
        }
        return json.dumps({"version": VERSION, "cluster": self.cluster, "topics": topics}, indent=2) + "\n"


def parse_state(text: str) -> State:
    try:
        held = json.loads(text)
        version = held["version"]
        topics = {str(name): _topic(topic) for name, topic in held["topics"].items()}
        # An earlier version wrote this when the first check was interrupted before it had finished a topic.
        fresh = held["cluster"] is None and not topics
        state = State(None if fresh else _text(held["cluster"]), topics)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise WrongState(f"it is not the state of an incremental check: {_FIX}") from None
    if version != VERSION:
        raise WrongState(f"it has version {version!r}, expected {VERSION}: {_FIX}")
    return state


_FIX = "restore it from a copy, or delete it to read everything again"


def _topic(held: Any) -> TopicState:
    ends = {int(partition): offset for partition, offset in held["next"].items()}
    if not all(type(offset) is int and offset >= 0 for offset in ends.values()):
        raise ValueError
    return TopicState(_text(held["id"]), ends)


def _text(held: Any) -> str:
    if not isinstance(held, str):
        raise TypeError
    return held
