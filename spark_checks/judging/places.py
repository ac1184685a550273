"""Where to look for examples of what depends on the records before.

Such a condition cannot be asked again of a part of the records. But a group's first and last record are known by
their offsets, and so is what holds there: reading just those records is enough, however large the topic is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..reading.ranges import Range
from ..results.scan import Tally


def places_of(tally: Tally, bits: Sequence[int], most: int) -> dict[tuple[int, int], int]:
    """By partition and offset, which of these bits hold there: up to `most` places for each bit, the first ones."""
    masks: dict[tuple[int, int], int] = {}
    for bit in bits:
        ends = {(group.partition, end) for group in tally.where(1 << bit) for end in (group.first, group.last)}
        for place in sorted(ends)[:most]:
            masks[place] = masks.get(place, 0) | 1 << bit
    return masks


def layers(places: Mapping[tuple[int, int], int]) -> Iterator[tuple[Range, ...]]:
    """Ranges of one record, at most one for each partition in a layer, as one read has one range for a partition."""
    offsets: dict[int, list[int]] = {}
    for partition, offset in sorted(places):
        offsets.setdefault(partition, []).append(offset)
    for depth in range(max(map(len, offsets.values()), default=0)):
        yield tuple(
            Range(partition, found[depth], found[depth] + 1)
            for partition, found in offsets.items()
            if depth < len(found)
        )
