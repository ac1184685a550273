"""What is in a topic after a client wrote the keys: the truth that the record checks are held against."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from .rows import ANYWHERE, EMPTY, NULL

_LONGEST_READ = 120
Place = tuple[int, int, int]  # violations, first and last offset of them


class Surprise(Exception):
    """A client did something that the matrix cannot use, such as losing a record."""


@dataclass(frozen=True, slots=True)
class Observed:
    key: bytes | None
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Expected:
    """What placement must report: by partition, how many records are misplaced, and between which offsets."""

    unjudged: int
    partitions: dict[int, Place]

    @property
    def violations(self) -> int:
        return sum(count for count, _, _ in self.partitions.values())


def read_topic(bootstrap: str, topic: str, partitions: int, keys: Sequence[bytes | None]) -> tuple[list[Observed], str]:
    """Every record, and a remark if the client wrote other keys than it was given.

    Raises `Surprise` if a record is missing, is there twice, or has a key that is neither its own nor null for empty.
    """
    found: dict[int, Observed] = {}
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "matrix", "enable.auto.commit": False})
    try:
        ends = {each: _end(consumer, topic, each) for each in range(partitions)}
        consumer.assign([TopicPartition(topic, each, OFFSET_BEGINNING) for each in range(partitions)])
        deadline = time.monotonic() + _LONGEST_READ
        for _ in range(sum(ends.values())):
            message = None
            while message is None:
                if time.monotonic() > deadline:
                    raise Surprise(f"{topic} could not be read within {_LONGEST_READ} s")
                message = consumer.poll(1)
            if message.error():
                raise Surprise(f"{topic} could not be read: {message.error()}")
            number = int(message.value() or b"-1")
            if number in found:
                raise Surprise(f"the client wrote the record {number} twice")
            found[number] = Observed(message.key(), int(message.partition()), int(message.offset()))
    finally:
        consumer.close()
    if set(found) != set(range(len(keys))):
        raise Surprise(f"the client wrote {len(found)} of {len(keys)} records")
    return [found[number] for number in range(len(keys))], _remark([found[n].key for n in range(len(keys))], keys)


def _end(consumer: Consumer, topic: str, partition: int) -> int:
    _, end = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=30)
    return int(end)


def _remark(written: Sequence[bytes | None], given: Sequence[bytes | None]) -> str:
    changed = {(before, after) for before, after in zip(given, written, strict=True) if before != after}
    if not changed:
        return ""
    if changed == {(EMPTY, NULL)}:
        return "writes empty keys as null"
    if changed == {(NULL, EMPTY)}:
        return "writes null keys as empty"
    raise Surprise(f"the client changed {len(changed)} keys, such as {min(changed, key=str)}")


def places(records: Sequence[Observed], declared: str) -> dict[bytes | None, int]:
    """Where a client with this partitioner puts each key that it ties to a partition."""
    found: dict[bytes | None, int] = {}
    for record in records:
        if record.key in ANYWHERE[declared]:
            continue
        if found.setdefault(record.key, record.partition) != record.partition:
            raise Surprise(f"{declared} put one key into two partitions")
    return found


def expected(records: Sequence[Observed], declared: str, belongs: Mapping[bytes | None, int]) -> Expected:
    """What placement must say of these records if they are declared so, and keys belong where `belongs` says."""
    wrong: dict[int, list[int]] = defaultdict(list)
    unjudged = 0
    for record in records:
        if record.key in ANYWHERE[declared]:
            unjudged += 1
        elif belongs[record.key] != record.partition:
            wrong[record.partition].append(record.offset)
    return Expected(unjudged, {each: (len(at), min(at), max(at)) for each, at in wrong.items()})
