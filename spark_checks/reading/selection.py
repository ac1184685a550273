"""Which part of a topic is read: everything, what is new since a moment or since the last check, or a sample."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Literal

from .ranges import Identity, Pinned, Range, Sampled, Stratum
from .state import State, WrongState

BLOCKS = 10  # drawn from each partition at least, so that one bad hour does not stand for a week
MOST_BLOCKS = 2_000  # drawn from a topic
MOST_OF_PARTITION = 100  # a query of Spark's own, such as that for split keys, joins as many reads
MOST_TASKS = 200  # of the pure engine, for which each block is a Spark task with a consumer of its own
SMALLEST_BLOCK = 10
LARGEST_STRATUM = 20  # blocks, where more than one of them is drawn
# Topics with more offsets are sampled whatever it takes: a sample is asked for to spare the brokers as well.
SMALL_TOPIC = 1_000_000
# Records that an engine reads in the time that it takes for one more block, by `python benchmarks/sampling.py`. The
# compiled engine seeks and reads at least a batch: 600 with batches of 16 KB, 5,500 with batches of 256 KB. The pure
# one needs a task with a consumer: 119 ms of processor time, where a million records took 3.5 s.
SEEK_COSTS = 2_000
TASK_COSTS = 30_000
COMPILED_SPEED = 16  # of the compiled engine in relation to the pure one


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
            f"the state is about cluster {state.cluster}, and this is cluster {identity.cluster}:"
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


def _sampled(pinned: Pinned, sample: Sample, *, seeks: bool = True) -> Pinned:
    """As many blocks as take no longer to find than to read, but not too few of any partition.

    All partitions are cut into blocks of about the same size, so that each block stands for as many offsets.
    """
    offsets = sum(part.offsets for part in pinned.filled)
    affordable = int(sample.share * offsets) // (SEEK_COSTS if seeks else TASK_COSTS)
    wanted = min(MOST_BLOCKS if seeks else MOST_TASKS, max(affordable, BLOCKS * len(pinned.filled)))
    strata, blocks = [], []
    for part in pinned.filled:
        of_part = min(MOST_OF_PARTITION, max(1, round(wanted * part.offsets / offsets)))
        stratum, drawn = _drawn(pinned.topic, part, sample, of_part)
        strata.append(stratum)
        blocks += drawn
    drawn_from = Sampled(sample.share, sample.seed, tuple(strata), tuple(blocks), sample.strict)
    if all(stratum.complete for stratum in strata):
        return pinned
    whole = sum(part.offsets for part in pinned.filled)
    said = f"a sample: {whole - drawn_from.offsets:,} of {whole:,} offsets were not read"
    return replace(
        pinned,
        sample=drawn_from,
        partial="; ".join(filter(None, (pinned.partial, said))),
        whole=pinned,
    )


Reading = Literal["seeks", "compiled", "pure"]


def cheapest(pinned: Pinned, *, reading: Reading) -> Pinned:
    """Everything instead of a sample, where a small topic takes less time to read than blocks of it.

    `seeks`: the compiled engine reads blocks. `compiled`: it reads whole topics only, and the pure engine reads blocks.
    """
    if pinned.sample is None or pinned.whole is None:
        return pinned
    sampled, sample = pinned, pinned.sample
    if reading != "seeks":
        sampled = _sampled(pinned.whole, Sample(sample.share, sample.seed, sample.strict), seeks=False)
        sample = sampled.sample or sample
    offsets = sum(part.offsets for part in pinned.whole.filled)
    in_full = offsets / COMPILED_SPEED if reading == "compiled" else offsets
    block = SEEK_COSTS if reading == "seeks" else TASK_COSTS
    in_part = sample.offsets + block * len(sample.blocks)
    if sample.strict or offsets > SMALL_TOPIC or in_full > in_part:
        return sampled
    said = f"read in full: that takes less time than a sample of {offsets:,} offsets, and every result is certain"
    return _noted(pinned.whole, said)


def _drawn(topic: str, part: Range, sample: Sample, wanted: int) -> tuple[Stratum, list[Range]]:
    """Cuts the partition into strata of equally many blocks, and draws equally many from each of them.

    Only the last blocks of several strata may be empty, so something is drawn of every partition, however small the
    share.
    """
    if part.offsets <= SMALLEST_BLOCK:
        return Stratum(part.partition, part.offsets, 1, 1), [part]
    share = Fraction(sample.share).limit_denominator(LARGEST_STRATUM)
    of_stratum, each = share.denominator, share.numerator
    if abs(share - Fraction(sample.share)) > Fraction(sample.share) / 10:
        of_stratum, each = max(1, round(1 / sample.share)), 1
    most = part.offsets // SMALLEST_BLOCK
    if of_stratum > most:
        of_stratum, each = most, max(1, round(sample.share * most))
    strata = max(1, min(round(wanted / each), part.offsets // (of_stratum * SMALLEST_BLOCK)))
    blocks = strata * of_stratum
    size = math.ceil(part.offsets / blocks)
    chance = random.Random(f"{sample.seed}/{topic}/{part.partition}")  # noqa: S311 - repeatable, not a secret
    drawn: list[Range] = []
    for stratum in range(strata):
        for index in sorted(chance.sample(range(of_stratum), each)):
            block = stratum * of_stratum + index
            edges = (part.offsets * edge // blocks if strata == 1 else edge * size for edge in (block, block + 1))
            start, end = (min(part.start + edge, part.end) for edge in edges)
            if drawn and drawn[-1].end == start:
                start = drawn.pop().start  # neighbours are one read
            if start < end:
                drawn.append(Range(part.partition, start, end))
    return Stratum(part.partition, size, blocks, strata * each), drawn
