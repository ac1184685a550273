"""A record that was found, as far as the driver gets to see it."""

from __future__ import annotations

from dataclasses import dataclass

from kafka_topology.topology.kafka.partitioners import HashPartitioner

from ..conditions.tables import ExpressionTable

LONGEST_FETCHED_KEY = 4096  # evidence goes to the driver; a huge key must not


@dataclass(frozen=True, slots=True)
class Evidence:
    """One record for which the test at this index holds. A key longer than the limit is None, its length is not."""

    test: int
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    key_length: int | None


@dataclass(frozen=True, slots=True)
class SplitKey:
    """A key with records in several partitions. A key longer than the limit is None."""

    key: bytes | None
    key_length: int
    partitions: tuple[int, ...]
    partition: int  # of its first record
    offset: int


@dataclass(frozen=True, slots=True)
class KeyPlaces:
    """How many keys there are, and those that lie in several partitions: where they begin and end, and a few of them.

    `first` and `last` are a partition and an offset. Keys that `open_to` ties to no partition are not among them.
    """

    keys: int
    split: int = 0
    first: tuple[int, int] | None = None
    last: tuple[int, int] | None = None
    examples: tuple[SplitKey, ...] = ()
    open_to: HashPartitioner | ExpressionTable | None = None
