"""What the one scan of a topic answers: small values, whatever the topic's size, from either engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..reading.ranges import Range
from .evidence import Evidence

HOT_KEYS = 10  # per partition
HOT_KEY_RECORDS = 100  # a key with fewer records heats nothing


@dataclass(frozen=True, slots=True)
class Group:
    """Records of one partition for which the same conditions hold.

    Bit i of the mask is the i-th condition asked. `bytes` is the length of keys and values as the frame gives them.
    """

    partition: int
    mask: int
    records: int
    first: int
    last: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Asks for the first records of each partition for which one of these bits holds, up to `most` for each bit."""

    bits: int = 0
    most: int = 0


NOTHING = Wanted()


@dataclass(frozen=True, slots=True)
class HotKey:
    """A key with many records in one partition. A key longer than `LONGEST_FETCHED_KEY` is cut there."""

    partition: int
    key: bytes
    records: int


@dataclass(frozen=True, slots=True)
class Tally:
    """The answers about a whole topic, in no order of groups.

    `hot_keys` are, for each partition, at most `HOT_KEYS` keys with at least `HOT_KEY_RECORDS` records: by partition,
    most records first, equal ones by the key's bytes. Without having been asked for there are none. `evidence` are the
    first records of each partition and condition, as far as they were asked for, by bit, partition and offset.
    `compiled` says whether the compiled engine answered.
    """

    groups: tuple[Group, ...]
    hot_keys: tuple[HotKey, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    compiled: bool = field(default=False, compare=False)

    @property
    def records(self) -> int:
        return sum(group.records for group in self.groups)

    def where(self, bits: int) -> tuple[Group, ...]:
        """Groups in which at least one of these conditions holds, by partition and first offset."""
        held = (group for group in self.groups if group.mask & bits)
        return tuple(sorted(held, key=lambda group: (group.partition, group.first)))


def faulty_ranges(found: Iterable[Group]) -> tuple[Range, ...]:
    """The offsets between which the faults lie, so that nobody reads more than that again."""
    spans: dict[int, tuple[int, int]] = {}
    for group in found:
        first, last = spans.get(group.partition, (group.first, group.last))
        spans[group.partition] = min(first, group.first), max(last, group.last)
    return tuple(Range(part, first, last + 1) for part, (first, last) in sorted(spans.items()))
