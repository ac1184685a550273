"""The committed offsets of many groups: one request for each coordinator, by kafka-python's protocol messages.

Never by librdkafka's admin client: up to 2.16.1 it crashes when a broker answers that it is not the coordinator. New
clusters answer that for a moment, and so does any cluster whose coordinators move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kafka.protocol.consumer import OffsetFetchRequest

from ..live.groups import Committed, Partition
from ..outcomes import Failure, FailureKind, Outcome
from .coordinators import AT_ONCE, by_coordinator, parts

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..connecting.second_client import SecondClient

_NO_OFFSET: Final = -1
# From this version on, a request takes many groups. The next version names topics by id.
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

        return found | by_consumers(second.settings, asked, second.servers, second.silence)
    patient = second.patient()
    return found | patient.each(asked, lambda names: _ask(second, {name: asked[name] for name in names}))


def _ask(
    second: SecondClient, groups: Mapping[str, Collection[Partition] | None]
) -> dict[str, Outcome[Mapping[Partition, Committed]]]:
    nodes, failed = by_coordinator(second, sorted(groups), "reading the offsets of group")
    found: dict[str, Outcome[Mapping[Partition, Committed]]] = {**failed}
    for coordinator, names in nodes.items():
        size = AT_ONCE if second.speaks(OffsetFetchRequest, _FETCH_MANY) else 1
        for part in parts(names, size):
            found |= _fetch(second, coordinator, {name: groups[name] for name in part})
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
