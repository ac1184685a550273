"""Asks the coordinators of share groups: describes groups, reads and sets their start offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..groups.coordinators import by_coordinator
from ..groups.sending import NO_VERSION, failed, sent
from ..live.share_groups import ShareOffset, ShareShape
from ..outcomes import Failure, FailureKind, Outcome
from .requests import AlterShareGroupOffsetsRequest, DescribeShareGroupOffsetsRequest, ShareGroupDescribeRequest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..connecting.second_client import SecondClient
    from ..live.groups import Partition

_UNSET: Final = -1
_FEATURE_OFF: Final = (
    "share groups are off on this cluster: the feature share.version is 0. Turn them on: run 'kafka-features upgrade "
    "--feature share.version=1'"
)
_TOO_OLD: Final = "these brokers have no share groups: expected Kafka 4.1 or later"


def why_off(second: SecondClient, names: Collection[str]) -> Failure | None:
    """Why this cluster has no share groups. Any broker answers that, so no coordinator must be found first."""
    name = min(names)
    what = f"describing share group '{name}'"
    answer = _sent(second, what, ShareGroupDescribeRequest(group_ids=[name], include_authorized_operations=False), None)
    if isinstance(answer, Failure):
        return answer
    is_off = any(group.error_code == NO_VERSION for group in answer.groups)
    return Failure(FailureKind.REJECTED, f"{what}: {_FEATURE_OFF}") if is_off else None


def shapes(second: SecondClient, names: Collection[str]) -> dict[str, Outcome[ShareShape]]:
    """A group that does not exist, or is no share group, has the state `Dead`."""
    found: dict[str, Outcome[ShareShape]] = {}
    nodes, failures = by_coordinator(second, sorted(names), "describing share group")
    found |= failures
    for node, part in nodes.items():
        what = f"describing share group '{part[0]}'"
        request = ShareGroupDescribeRequest(group_ids=part, include_authorized_operations=False)
        answer = _sent(second, what, request, node)
        if isinstance(answer, Failure):
            found |= dict.fromkeys(part, answer)
            continue
        for group in answer.groups:
            failure = _failed(second, f"describing share group '{group.group_id}'", group)
            if failure is not None and failure.kind is not FailureKind.MISSING:
                found[group.group_id] = failure
            else:
                found[group.group_id] = ShareShape() if failure is not None else _shape(group)
    return found


def _shape(group: Any) -> ShareShape:
    topics = {topic for member in group.members for topic in member.subscribed_topic_names}
    return ShareShape(group.group_state, len(group.members), tuple(sorted(topics)))


def start_offsets(
    second: SecondClient, groups: Mapping[str, Collection[Partition] | None]
) -> dict[str, Outcome[Mapping[Partition, ShareOffset]]]:
    """The start offsets of each group on these partitions, without those that have none; None asks for all of them."""
    found: dict[str, Outcome[Mapping[Partition, ShareOffset]]] = {name: {} for name in groups}
    asked = [name for name, partitions in groups.items() if partitions is None or partitions]
    nodes, failures = by_coordinator(second, sorted(asked), "reading the start offsets of share group")
    found |= failures
    for node, part in nodes.items():
        for name in part:
            found[name] = _offsets_of(second, node, name, groups[name])
    return found


def _offsets_of(
    second: SecondClient, node: int, name: str, partitions: Collection[Partition] | None
) -> Outcome[Mapping[Partition, ShareOffset]]:
    what = f"reading the start offsets of share group '{name}'"
    message = DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup
    topic = message.DescribeShareGroupOffsetsRequestTopic
    topics = None
    if partitions is not None:
        topics = [topic(topic_name=of, partitions=sorted(numbers)) for of, numbers in _by_topic(partitions).items()]
    request = DescribeShareGroupOffsetsRequest(groups=[message(group_id=name, topics=topics)])
    answer = _sent(second, what, request, node)
    if isinstance(answer, Failure):
        return answer
    [group] = answer.groups
    failure = _failed(second, what, group)
    if failure is not None:
        return {} if failure.kind is FailureKind.MISSING else failure
    found: dict[Partition, ShareOffset] = {}
    for read in group.topics:
        for at in read.partitions:
            failure = _failed(second, what, at)
            if failure is not None and failure.kind is not FailureKind.MISSING:
                return failure
            if failure is None and at.start_offset != _UNSET:
                lag = getattr(at, "lag", None)
                known = lag if isinstance(lag, int) and lag >= 0 else None
                found[read.topic_name, at.partition_index] = ShareOffset(at.start_offset, known)
    return found


def set_start_offsets(
    second: SecondClient, offsets: Mapping[str, Mapping[Partition, int]]
) -> dict[str, Outcome[Mapping[Partition, Failure]]]:
    """The partitions of each group whose start offset was not set.

    Kafka 4.1 answers without an error and does nothing: it then names no partition. So a partition that the answer does
    not name is a failure.
    """
    found: dict[str, Outcome[Mapping[Partition, Failure]]] = {}
    nodes, failures = by_coordinator(second, sorted(offsets), "setting the start offsets of share group")
    found |= failures
    for node, part in nodes.items():
        for name in part:
            found[name] = _set(second, node, name, offsets[name])
    return found


def _set(
    second: SecondClient, node: int, name: str, offsets: Mapping[Partition, int]
) -> Outcome[Mapping[Partition, Failure]]:
    what = f"setting the start offsets of share group '{name}'"
    topic = AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestTopic
    place = topic.AlterShareGroupOffsetsRequestPartition
    topics = [
        topic(
            topic_name=of,
            partitions=[place(partition_index=number, start_offset=offsets[of, number]) for number in sorted(numbers)],
        )
        for of, numbers in _by_topic(offsets).items()
    ]
    answer = _sent(second, what, AlterShareGroupOffsetsRequest(group_id=name, topics=topics), node)
    if isinstance(answer, Failure):
        return answer
    failure = _failed(second, what, answer)
    if failure is not None:
        return failure
    ignored = Failure(
        FailureKind.REJECTED,
        f"{what}: the brokers accepted the request and did nothing, as Kafka 4.1 does; expected Kafka 4.2 or later. "
        "Let 'share.auto.offset.reset' decide where the group starts",
    )
    found: dict[Partition, Failure] = dict.fromkeys(offsets, ignored)
    for done in answer.responses:
        for at in done.partitions:
            failure = _failed(second, what, at)
            if failure is None:
                found.pop((done.topic_name, at.partition_index), None)
            else:
                found[done.topic_name, at.partition_index] = failure
    return found


def _by_topic(partitions: Collection[Partition]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for topic, number in sorted(partitions):
        found.setdefault(topic, []).append(number)
    return found


def _sent(second: SecondClient, what: str, request: Any, node: int | None) -> Any:
    return sent(second, what, request, node, too_old=_TOO_OLD)


def _failed(second: SecondClient, what: str, part: Any) -> Failure | None:
    return failed(second, what, part, feature_off=_FEATURE_OFF)
