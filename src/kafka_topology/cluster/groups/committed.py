"""The committed offsets of many groups: one request for each coordinator, by kafka-python's protocol messages.

Never by librdkafka's admin client: up to 2.16.1 it crashes when a broker answers that it is not the coordinator. New
clusters answer that for a moment, and so does any cluster whose coordinators move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kafka.protocol.consumer import OffsetFetchRequest
from kafka.protocol.metadata import FindCoordinatorRequest

from ..attempts import patience
from ..live.groups import Committed, Partition
from ..outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ..connecting.second_client import SecondClient

_GROUP: Final = 0
_NO_OFFSET: Final = -1
_AT_ONCE: Final = 200
# From these versions on, a request takes many groups. The next version of the second one names topics by id.
_FIND_MANY: Final = 4
_FETCH_MANY: Final = 8


def committed_offsets(
    second: SecondClient,
    groups: Mapping[str, Collection[Partition] | None],
) -> dict[str, Outcome[Mapping[Partition, Committed]]]:
    """The offsets of each group on these partitions, without those that have none; None asks for all of them.

    Asks a coordinator that is moving or loading again, for as long as one request may take. A group that does not exist
    has no offsets.
    """
    asked = {name: partitions for name, partitions in groups.items() if partitions is None or partitions}
    found: dict[str, Outcome[Mapping[Partition, Committed]]] = {name: {} for name in groups}
    if not asked:
        return found
    if not second.can_log_in:
        from .committed_by_consumer import by_consumers  # noqa: PLC0415 - for the rare logins that need it

        return found | by_consumers(second.settings, asked, second.servers)
    patient = patience(second.timeout)
    return found | patient.each(asked, lambda names: _ask(second, {name: asked[name] for name in names}))


def _ask(
    second: SecondClient, groups: Mapping[str, Collection[Partition] | None]
) -> dict[str, Outcome[Mapping[Partition, Committed]]]:
    found: dict[str, Outcome[Mapping[Partition, Committed]]] = {}
    by_coordinator: dict[int, list[str]] = {}
    for name, coordinator in _coordinators(second, sorted(groups)).items():
        if isinstance(coordinator, Failure):
            found[name] = coordinator
        else:
            by_coordinator.setdefault(coordinator, []).append(name)
    for coordinator, names in by_coordinator.items():
        size = _AT_ONCE if second.speaks(OffsetFetchRequest, _FETCH_MANY) else 1
        for part in _parts(names, size):
            found |= _fetch(second, coordinator, {name: groups[name] for name in part})
    return found


def _coordinators(second: SecondClient, names: list[str]) -> dict[str, Outcome[int]]:
    found: dict[str, Outcome[int]] = {}
    is_new = second.speaks(FindCoordinatorRequest, _FIND_MANY)
    for part in _parts(names, _AT_ONCE if is_new else 1):
        what = f"reading the offsets of group '{part[0]}'"
        if is_new:
            request = FindCoordinatorRequest(key_type=_GROUP, coordinator_keys=part, min_version=_FIND_MANY)
        else:
            request = FindCoordinatorRequest(key=part[0], key_type=_GROUP, max_version=_FIND_MANY - 1)
        response = second.send(what, request)
        if isinstance(response, Failure):
            found |= dict.fromkeys(part, response)
            continue
        for answer in response.coordinators if is_new else (response,):
            name = answer.key if is_new else part[0]
            failed = second.failed(f"reading the offsets of group '{name}'", answer.error_code, answer.error_message)
            found[name] = answer.node_id if failed is None else failed
    return found


def _fetch(
    second: SecondClient, coordinator: int, groups: Mapping[str, Collection[Partition] | None]
) -> dict[str, Outcome[Mapping[Partition, Committed]]]:
    first = next(iter(groups))
    what = f"reading the offsets of group '{first}'"
    is_new = second.speaks(OffsetFetchRequest, _FETCH_MANY)
    message = OffsetFetchRequest
    if is_new:
        group = message.OffsetFetchRequestGroup
        wanted = [
            group(group_id=name, topics=_topics(group.OffsetFetchRequestTopics, partitions))
            for name, partitions in groups.items()
        ]
        request = message(groups=wanted, min_version=_FETCH_MANY, max_version=_FETCH_MANY)
    else:
        topics = _topics(message.OffsetFetchRequestTopic, groups[first])
        request = message(group_id=first, topics=topics, min_version=2, max_version=_FETCH_MANY - 1)
    response = second.send(what, request, node=coordinator)
    failure = response if isinstance(response, Failure) else second.failed(what, response.error_code, None)
    if failure is not None:
        return dict.fromkeys(groups, {} if failure.kind is FailureKind.MISSING else failure)
    return {
        answer.group_id if is_new else first: _offsets(second, answer.group_id if is_new else first, answer)
        for answer in (response.groups if is_new else (response,))
    }


def _topics(topic: Any, partitions: Collection[Partition] | None) -> list[Any] | None:
    if partitions is None:
        return None
    by_name: dict[str, list[int]] = {}
    for name, number in sorted(partitions):
        by_name.setdefault(name, []).append(number)
    return [topic(name=name, partition_indexes=numbers) for name, numbers in by_name.items()]


def _offsets(second: SecondClient, name: str, answer: Any) -> Outcome[Mapping[Partition, Committed]]:
    what = f"reading the offsets of group '{name}'"
    failure = second.failed(what, answer.error_code, None)
    if failure is not None:
        return {} if failure.kind is FailureKind.MISSING else failure
    found: dict[Partition, Committed] = {}
    for topic in answer.topics:
        for partition in topic.partitions:
            failure = second.failed(what, partition.error_code, None)
            if failure is not None and failure.kind is not FailureKind.MISSING:
                return failure
            if failure is None and partition.committed_offset != _NO_OFFSET:
                # librdkafka appends a NUL to the note that it commits, and removes it when it reads.
                note = (partition.metadata or "").rstrip("\0")
                found[topic.name, partition.partition_index] = Committed(partition.committed_offset, note)
    return found


def _parts(names: list[str], size: int) -> Iterable[list[str]]:
    return (names[at : at + size] for at in range(0, len(names), size))
