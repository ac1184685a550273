"""Which part of a topic is read: everything, what is new since a moment or since the last check, or a sample."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from .ranges import Identity, Pinned, Range, Sampled, Stratum
from .state import State, WrongState

BLOCKS = 10  # drawn from each partition, so that one bad hour does not stand for a week
MOST_BLOCKS = 2_000  # drawn from a topic: each is a Spark task with a consumer of its own
SMALLEST_BLOCK = 10
# Topics with more offsets are sampled whatever it takes: a sample is asked for to spare the brokers as well.
SMALL_TOPIC = 1_000_000
BLOCK_COSTS = 2_000  # records that the pure engine reads while the task of one more block gets a consumer
COMPILED_SPEED = 16  # of the compiled engine, which cannot read blocks, in relation to the pure one


@dataclass(frozen=True, slots=True)
class Sample:
    """`share` of the offsets of each partition, in random blocks; the same seed draws the same blocks.

    A small topic is read in full where that takes less time, unless the sample is `strict`.
    """

    share: float
    seed: int
    strict: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ValueError(f"a sample is a share of the offsets above 0 and up to 1, not {self.share:g}")


@dataclass(frozen=True, slots=True)
class Selection:
    """`since`: records from this moment on. `state`: continue where the last check stopped. `sample`: a part of it."""

    since: datetime | None = None
    state: State | None = None
    sample: Sample | None = None

    def __post_init__(self) -> None:
        if self.state is not None and (self.since is not None or self.sample is not None):
            raise ValueError("an incremental check skips no record: do not combine it with a moment or a sample")
        if self.since is not None and self.since.tzinfo is None:
            raise ValueError("the moment since when records are read needs a time zone")

    @property
    def since_ms(self) -> int | None:
        return None if self.since is None else math.floor(self.since.timestamp() * 1000)


EVERYTHING = Selection()


def chosen(
    selection: Selection,
    held: Pinned,
    since: Mapping[int, int] | None = None,
    identity: Identity | None = None,
) -> Pinned:
    """The part of what a topic holds that was asked for. `since` has each partition's first offset from then on."""
    pinned = held
    if selection.since is not None and since is not None:
        pinned = _since(held, since, selection.since)
    elif selection.state is not None:
        pinned = _continued(held, selection.state, identity)
    return _sampled(pinned, selection.sample) if selection.sample is not None else pinned


def _since(held: Pinned, first: Mapping[int, int], moment: datetime) -> Pinned:
    # Kafka knows no offset where nothing is that new: then nothing of the partition is read.
    ranges = tuple(
        replace(part, start=part.end if first.get(part.partition, -1) < 0 else max(part.start, first[part.partition]))
        for part in held.ranges
    )
    said = moment.astimezone(UTC).isoformat(timespec="milliseconds" if moment.microsecond else "seconds")
    return _of(held, ranges, f"only records since {said.replace('+00:00', 'Z')} were read")


def _continued(held: Pinned, state: State, identity: Identity | None) -> Pinned:
    if identity is None:
        return held
    if state.cluster is not None and state.cluster != identity.cluster:
        raise WrongState(
            f"it is about cluster {state.cluster}, and this is cluster {identity.cluster}:"
            " give each cluster a state file of its own, or delete the file to read everything again"
        )
    held = replace(held, identity=identity)
    known = state.topics.get(held.topic)
    if known is None:
        return held
    if known.id != identity.topic:
        return _noted(held, "the topic was deleted and created again since the last check: read from its start")
    ranges, notes = [], []
    for part in held.ranges:
        reached = known.next.get(part.partition)
        if reached is None:
            notes.append(f"partition {part.partition} is new since the last check: read from its start")
            ranges.append(part)
        elif reached > part.end:
            notes.append(
                f"partition {part.partition} ends at offset {part.end}, the last check reached {reached}:"
                " records were lost, and it is read from its start"
            )
            ranges.append(part)
        else:
            # Also where the start was deleted meanwhile: the missing offsets are then reported as a gap.
            ranges.append(replace(part, start=reached))
    return _noted(_of(held, tuple(ranges), "only records after the last check were read"), *notes)


def _of(held: Pinned, ranges: Sequence[Range], reason: str) -> Pinned:
    """Gives the reason only if something is left out."""
    less = any(part.start > whole.start for part, whole in zip(ranges, held.ranges, strict=True))
    return replace(held, ranges=tuple(ranges), partial=reason if less else None)


def _noted(pinned: Pinned, *notes: str) -> Pinned:
    return replace(pinned, notes=(*pinned.notes, *notes))


def _sampled(pinned: Pinned, sample: Sample) -> Pinned:
    per_partition = max(1, min(BLOCKS, MOST_BLOCKS // max(1, len(pinned.filled))))
    strata, blocks = [], []
    for part in pinned.filled:
        stratum, drawn = _drawn(pinned.topic, part, sample, per_partition)
        strata.append(stratum)
        blocks += drawn
    drawn_from = Sampled(sample.share, sample.seed, tuple(strata), tuple(blocks))
    if all(stratum.complete for stratum in strata):
        return pinned
    whole = sum(part.offsets for part in pinned.filled)
    said = f"a sample: {whole - drawn_from.offsets:,} of {whole:,} offsets were not read"
    return replace(
        pinned,
        sample=drawn_from,
        partial="; ".join(filter(None, (pinned.partial, said))),
        whole=None if sample.strict else pinned,
    )


def cheapest(pinned: Pinned, *, compiled: bool) -> Pinned:
    """Everything instead of a sample, where a small topic takes less time to read than blocks of it."""
    if pinned.sample is None or pinned.whole is None:
        return pinned
    offsets = sum(part.offsets for part in pinned.whole.filled)
    in_full = offsets / COMPILED_SPEED if compiled else offsets
    if offsets > SMALL_TOPIC or in_full > pinned.sample.offsets + BLOCK_COSTS * len(pinned.sample.blocks):
        return pinned
    said = f"read in full: that takes less time than a sample of {offsets:,} offsets, and every result is certain"
    return _noted(pinned.whole, said)


def _drawn(topic: str, part: Range, sample: Sample, wanted: int) -> tuple[Stratum, list[Range]]:
    offsets = part.offsets
    size = max(SMALLEST_BLOCK, math.ceil(sample.share * offsets / wanted))
    blocks = math.ceil(offsets / size)
    count = min(blocks, math.ceil(sample.share * blocks))
    chance = random.Random(f"{sample.seed}/{topic}/{part.partition}")  # noqa: S311 - repeatable, not a secret
    drawn: list[Range] = []
    for index in sorted(chance.sample(range(blocks), count)):
        start = part.start + index * size
        end = min(start + size, part.end)
        if drawn and drawn[-1].end == start:
            start = drawn.pop().start  # neighbours are one read
        drawn.append(Range(part.partition, start, end))
    return Stratum(part.partition, size, blocks, count), drawn
