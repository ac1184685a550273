"""How many records wait between an offset and the end of a log, and since when, without the markers of transactions.

A marker has an offset, but no consumer gets it: a group that has read every record may stay one offset behind for ever.
Reads the headers of the last batches with kafka-python, because librdkafka hides markers without saying how many.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from kafka.errors import KafkaError
from kafka.protocol.consumer import FetchRequest
from kafka.record import MemoryRecords

from ..outcomes import Failure

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ..connecting.second_client import SecondClient
    from ..live.groups import Partition

_BY_NAME: Final = 12  # the last version of the request that names topics; later ones have their ids
_ROUNDS: Final = 8  # a response may end before the end of the log, or leave partitions out when others filled it
_BATCH_BYTES: Final = 1 << 16
_PARTITIONS_A_REQUEST: Final = 100
_LATEST: Final = 253_402_300_799_000  # the last second of the year 9999, which Python's dates end with


def records_after(
    second: SecondClient,
    offsets: Mapping[Partition, Collection[int]],
    leaders: Mapping[Partition, int],
    *,
    committed_only: bool,
) -> dict[tuple[Partition, int], int]:
    """How many records follow each offset of a partition, without partitions where that could not be found out.

    With `committed_only`, records of aborted transactions do not count either.
    """
    found: dict[Partition, dict[int, int]] = {}
    by_leader: dict[int, list[Partition]] = {}
    for partition in offsets:
        if partition in leaders:
            by_leader.setdefault(leaders[partition], []).append(partition)
    for leader, partitions in by_leader.items():
        left = {partition: _Tally(offsets[partition]) for partition in sorted(partitions)}
        for _ in range(_ROUNDS):
            asked = {partition: tally.at for partition, tally in left.items()}
            answers = _responses(second, leader, asked, committed_only=committed_only)
            went_on = [left[each].take(part, committed_only) for each, part in answers.items() if each in left]
            found |= {partition: tally.counts for partition, tally in left.items() if tally.is_done}
            left = {partition: tally for partition, tally in left.items() if not tally.is_done}
            if not left or not any(went_on):
                break
    return {(partition, offset): count for partition, counts in found.items() for offset, count in counts.items()}


def oldest_after(
    second: SecondClient,
    offsets: Collection[tuple[Partition, int]],
    leaders: Mapping[Partition, int],
    now: datetime,
    *,
    committed_only: bool,
) -> dict[tuple[Partition, int], datetime]:
    """When the first record at or after each offset was written, without those where that could not be found out.

    It is the record's own timestamp. A timestamp from the future says nothing, so that of the next record counts, if
    there is one in the first batches. Of a compressed batch that cannot be decoded here, it is the last timestamp of
    the batch: the record is at least as old.
    """
    latest = int(now.timestamp() * 1000)
    found: dict[tuple[Partition, int], datetime] = {}
    by_leader: dict[int, list[tuple[Partition, int]]] = {}
    for partition, offset in sorted(offsets):
        if partition in leaders:
            by_leader.setdefault(leaders[partition], []).append((partition, offset))
    for leader, wanted in by_leader.items():
        left = wanted
        while left:
            asked = dict(reversed(left))  # one offset of each partition, as a request cannot have more
            few = dict(list(reversed(asked.items()))[:_PARTITIONS_A_REQUEST])
            answers = _responses(second, leader, few, committed_only=committed_only)
            known = {(each, few[each]): part for each, part in answers.items() if part.error_code or part.records}
            if not known:
                break
            for (partition, offset), part in known.items():
                written = None if part.error_code else _first_written(part, offset, latest)
                if written is not None:
                    found[partition, offset] = written
            left = [each for each in left if each not in known]
    return found


def _first_written(part: Any, offset: int, latest: int) -> datetime | None:
    aborted = _Aborted(part.aborted_transactions or ())
    batches = MemoryRecords(part.records)
    ahead: int | None = None
    while (batch := batches.next_batch()) is not None:
        if aborted.covers(batch) or batch.last_offset < offset:
            continue
        for written in _timestamps(batch, offset):
            if written <= latest:
                return datetime.fromtimestamp(written / 1000, UTC) if written >= 0 else None
            ahead = ahead or written
    return None if ahead is None else datetime.fromtimestamp(min(ahead, _LATEST) / 1000, UTC)


def _timestamps(batch: Any, offset: int) -> list[int]:
    """Empty if compaction removed the rest of the batch."""
    try:
        return [int(record.timestamp) for record in batch if record.offset >= offset]
    except (KafkaError, AssertionError, OSError, ValueError):  # a codec that is not installed, or a broken batch
        return [int(batch.max_timestamp)]


def _responses(
    second: SecondClient, leader: int, offsets: Mapping[Partition, int], *, committed_only: bool
) -> dict[Partition, Any]:
    """The first batches at each offset. A broker leaves out partitions when others have filled the response."""
    by_topic: dict[str, list[Any]] = {}
    for (topic, number), offset in offsets.items():
        fetched = FetchRequest.FetchTopic.FetchPartition(
            partition=number, fetch_offset=offset, partition_max_bytes=_BATCH_BYTES
        )
        by_topic.setdefault(topic, []).append(fetched)
    request = FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        isolation_level=int(committed_only),
        topics=[FetchRequest.FetchTopic(topic=topic, partitions=parts) for topic, parts in by_topic.items()],
        max_version=_BY_NAME,
    )
    response = second.send("reading the ends of logs", request, node=leader)
    if isinstance(response, Failure) or response.error_code:
        return {}
    return {(topic.topic, part.partition_index): part for topic in response.responses for part in topic.partitions}


class _Tally:
    """How many records follow each of these offsets of a partition, response by response."""

    def __init__(self, offsets: Collection[int]) -> None:
        self.counts = dict.fromkeys(offsets, 0)
        self.at = min(offsets)  # where the next response starts
        self.is_done = False

    def take(self, part: Any, committed_only: bool) -> bool:
        """Whether the response got nearer to the end: not an error, and not empty."""
        if part.error_code or not part.records:
            return False
        aborted, batches, before = _Aborted(part.aborted_transactions or ()), MemoryRecords(part.records), self.at
        while (batch := batches.next_batch()) is not None:
            self.at = max(self.at, batch.last_offset + 1)
            if not aborted.covers(batch):
                for offset in self.counts:
                    self.counts[offset] += min(batch.records_count, max(0, batch.last_offset - offset + 1))
        self.is_done = self.at >= (part.last_stable_offset if committed_only else part.high_watermark)
        return self.at > before


class _Aborted:
    """The aborted transactions in a response. The next marker of its producer ends each."""

    def __init__(self, transactions: Iterable[Any]) -> None:
        self._starts: dict[int, list[int]] = {}
        for each in sorted(transactions, key=lambda each: each.first_offset):
            self._starts.setdefault(each.producer_id, []).append(each.first_offset)

    def covers(self, batch: Any) -> bool:
        """Whether no consumer gets this batch: a marker, or records of an aborted transaction. Ask in order."""
        starts = self._starts.get(batch.producer_id, [])
        is_aborted = bool(batch.is_transactional and starts and starts[0] <= batch.base_offset)
        if batch.is_control_batch and is_aborted:
            starts.pop(0)
        return bool(batch.is_control_batch or is_aborted)
