"""How far an incremental check has come, as a small file that another run reads on from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .ranges import Pinned, Unreadable
    from .report import Report

VERSION = 1


class WrongState(ValueError):
    """The state is not one, or of something else; the message says what to do."""


@dataclass(frozen=True, slots=True)
class TopicState:
    """The id tells a topic from another one of the same name that was created later."""

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
        state = State(_text(held["cluster"]), topics)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise WrongState(f"it is not the state of an incremental check: {_REMEDY}") from None
    if version != VERSION:
        raise WrongState(f"it has version {version!r}, known is {VERSION}: {_REMEDY}")
    return state


def advanced(state: State, pinned: Mapping[str, Pinned | Unreadable], report: Report) -> State:
    """Past what the report covers. Topics that could not be read, or were not asked for, stay where they were."""
    cluster, topics = state.cluster, dict(state.topics)
    for topic in report.topics:
        identity = getattr(pinned.get(topic.topic), "identity", None)
        if topic.unreadable is not None or identity is None:
            continue
        cluster = identity.cluster
        ends = {scanned.pinned.partition: scanned.pinned.end for scanned in topic.ranges}
        topics[topic.topic] = TopicState(identity.topic, ends)
    return replace(state, cluster=cluster, topics=topics)


_REMEDY = "restore it from a copy, or delete it to read everything again"


def _topic(held: Any) -> TopicState:
    ends = {int(partition): offset for partition, offset in held["next"].items()}
    if not all(type(offset) is int and offset >= 0 for offset in ends.values()):
        raise ValueError
    return TopicState(_text(held["id"]), ends)


def _text(held: Any) -> str:
    if not isinstance(held, str):
        raise TypeError
    return held
