"""What is read of a topic, as plain values."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .hidden import Hidden


@dataclass(frozen=True, slots=True)
class Range:
    """Offsets of one partition, the end exclusive."""

    partition: int
    start: int
    end: int

    @property
    def offsets(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Identity:
    """What stays the same as long as a topic does. A topic that was deleted and created again has another id."""

    cluster: str
    topic: str


@dataclass(frozen=True, slots=True)
class Stratum:
    """A partition cut into equal blocks of offsets, of which some were drawn: as many of each stretch of it.

    Some blocks are shorter, and the last ones may be empty.
    """

    partition: int
    size: int
    blocks: int
    drawn: int

    @property
    def complete(self) -> bool:
        return self.drawn == self.blocks


@dataclass(frozen=True, slots=True)
class Sampled:
    """The blocks that were drawn, by partition and offset; neighbours are joined."""

    share: float
    seed: int
    strata: tuple[Stratum, ...]
    blocks: tuple[Range, ...]
    strict: bool = False

    @property
    def offsets(self) -> int:
        return sum(block.offsets for block in self.blocks)


@dataclass(frozen=True, slots=True)
class Pinned:
    """What is read of a topic: one range for each of its partitions, or blocks of them if it is a sample.

    `partial` says what the topic holds besides, and is None when that is nothing. `hidden` is what open transactions
    keep from being read. `whole` is what a sample was drawn from.
    """

    topic: str
    ranges: tuple[Range, ...]
    partial: str | None = None
    sample: Sampled | None = None
    notes: tuple[str, ...] = ()
    identity: Identity | None = None
    hidden: tuple[Hidden, ...] = ()
    whole: Pinned | None = None

    @property
    def partitions(self) -> int:
        return len(self.ranges)

    @property
    def filled(self) -> tuple[Range, ...]:
        """All that is read. In a sample, a partition may occur several times."""
        parts = self.ranges if self.sample is None else self.sample.blocks
        return tuple(part for part in parts if part.offsets > 0)

    @property
    def contiguous(self) -> bool:
        """Whether each partition is read in one piece."""
        return len({part.partition for part in self.filled}) == len(self.filled)

    @property
    def reads(self) -> tuple[tuple[Range, ...], ...]:
        """In each of them a partition occurs at most once, as the Kafka source wants it."""
        by_partition: dict[int, list[Range]] = {}
        for part in self.filled:
            by_partition.setdefault(part.partition, []).append(part)
        most = max(map(len, by_partition.values()), default=0)
        return tuple(
            tuple(parts[index] for parts in by_partition.values() if index < len(parts)) for index in range(most)
        )

    def spanning(self) -> Pinned:
        """Each partition from the first block of a sample to its last one, in one piece."""
        spans: dict[int, Range] = {}
        for part in self.filled:
            known = spans.get(part.partition, part)
            spans[part.partition] = Range(part.partition, min(known.start, part.start), max(known.end, part.end))
        return replace(self, sample=None).narrowed(spans.values())

    def narrowed(self, ranges: Iterable[Range]) -> Pinned:
        """The same topic with fewer offsets; partitions that are left out keep an empty range."""
        kept = {part.partition: part for part in ranges}
        none = (Range(part.partition, part.start, part.start) for part in self.ranges)
        narrow = replace(self, ranges=tuple(kept.get(part.partition, part) for part in none))
        if self.sample is None:
            return narrow
        inside = (_common(block, kept.get(block.partition)) for block in self.sample.blocks)
        return replace(narrow, sample=replace(self.sample, blocks=tuple(filter(None, inside))))


def _common(block: Range, wanted: Range | None) -> Range | None:
    if wanted is None:
        return None
    start, end = max(block.start, wanted.start), min(block.end, wanted.end)
    return Range(block.partition, start, end) if start < end else None


def assign_json(topic: str, parts: Iterable[Range]) -> str:
    return json.dumps({topic: [part.partition for part in parts]})


def starting_json(topic: str, parts: Iterable[Range]) -> str:
    return json.dumps({topic: {str(part.partition): part.start for part in parts}})


def ending_json(topic: str, parts: Iterable[Range]) -> str:
    return json.dumps({topic: {str(part.partition): part.end for part in parts}})


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A topic that cannot be read, and why."""

    topic: str
    reason: str
