"""Where to look for examples of what depends on other records.

Such a condition cannot be asked again of a part of the records. But the scan returns the first offsets of each group,
and what holds there is known: reading just those records is enough, however large the topic is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..reading.ranges import Range
from ..results.scan import Tally


def places_of(tally: Tally, bits: Sequence[int], most: int) -> dict[tuple[int, int], int]:
    """By partition and offset, which of these bits hold there: up to `most` places for each bit.

    The first place of every partition comes before the second one of any, so no partition hides the others.
    """
    masks: dict[tuple[int, int], int] = {}
    for bit in bits:
        offsets: dict[int, set[int]] = {}
        for group in tally.where(1 << bit):
            offsets.setdefault(group.partition, set()).update(group.places or (group.first, group.last))
        ranked = sorted(
            (turn, partition, offset)
            for partition, found in offsets.items()
            for turn, offset in enumerate(sorted(found))
        )
        for _, partition, offset in ranked[:most]:
            masks[partition, offset] = masks.get((partition, offset), 0) | 1 << bit
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
