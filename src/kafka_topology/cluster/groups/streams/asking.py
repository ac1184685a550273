"""Describes groups of the streams protocol (KIP-1071): their members, and the topics of their applications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...live.streams_groups import StreamsShape
from ...outcomes import Failure, FailureKind, Outcome
from ..coordinators import by_coordinator
from ..sending import failed, sent
from .requests import StreamsGroupDescribeRequest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ...connecting.second_client import SecondClient

_WHAT: Final = "describing streams group"
_SETTLED: Final = "Stable"
_NOT_READY: Final = "NotReady"
_TOO_OLD: Final = "these brokers cannot describe groups of the streams protocol: expected Kafka 4.1 or later"
_FEATURE_OFF: Final = "groups of the streams protocol are off on this cluster: the feature streams.version is 0"


def shapes(second: SecondClient, names: Collection[str]) -> dict[str, Outcome[StreamsShape]]:
    """A group that does not exist, or is no streams group, has the state `Dead`."""
    found: dict[str, Outcome[StreamsShape]] = {}
    nodes, failures = by_coordinator(second, sorted(names), _WHAT)
    found |= failures
    for node, part in nodes.items():
        request = StreamsGroupDescribeRequest(group_ids=part, include_authorized_operations=False)
        answer = sent(second, f"{_WHAT} '{part[0]}'", request, node, too_old=_TOO_OLD)
        if isinstance(answer, Failure):
            found |= dict.fromkeys(part, answer)
            continue
        for group in answer.groups:
            failure = failed(second, f"{_WHAT} '{group.group_id}'", group, feature_off=_FEATURE_OFF)
            if failure is not None and failure.kind is not FailureKind.MISSING:
                found[group.group_id] = failure
            else:
                found[group.group_id] = StreamsShape() if failure is not None else _shape(group)
    return found


def _shape(group: Any) -> StreamsShape:
    topology = group.topology
    parts = topology.subtopologies if topology is not None else None
    topics = sorted({topic for part in parts or () for topic in _topics(part)})
    is_settled = group.group_state == _SETTLED
    idle = sum(1 for member in group.members if not _has_tasks(member.assignment)) if is_settled else 0
    is_complete = parts is not None and group.group_state != _NOT_READY
    return StreamsShape(group.group_state, len(group.members), idle, tuple(topics), is_complete)


def _topics(part: Any) -> Iterator[str]:
    """What a part of an application uses: it reads all of them but the sinks, which another part of it reads."""
    yield from part.source_topics
    yield from part.repartition_sink_topics
    yield from (topic.name for topic in part.repartition_source_topics)
    yield from (topic.name for topic in part.state_changelog_topics)


def _has_tasks(assignment: Any) -> bool:
    return bool(assignment.active_tasks or assignment.standby_tasks or assignment.warmup_tasks)
