"""What a sample says of a topic: how often its interval holds the truth, and how wide it is."""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections.abc import Callable, Mapping
from statistics import mean, median

import pytest

from kafka_topology.spark_checks.judging.partial import CONFIDENCE, estimated, likely
from kafka_topology.spark_checks.reading.ranges import Pinned, Range
from kafka_topology.spark_checks.reading.selection import Sample, Selection, chosen
from kafka_topology.spark_checks.results.report import CheckResult, PartitionCount

OFFSETS = 1_000_000
HELD = Pinned("t", (Range(0, 500, 500 + OFFSETS), Range(1, 0, OFFSETS), Range(2, 0, OFFSETS // 4), Range(3, 7, 12)))
SEEDS = range(60)
Faults = Mapping[int, list[int]]


def uniform(chance: random.Random) -> Faults:
    return {
        part.partition: sorted(chance.sample(range(part.start, part.end), part.offsets // 200)) for part in HELD.ranges
    }


def clustered(chance: random.Random) -> Faults:
    """One bad stretch of one partition: records next to each other are alike, the worst case for blocks."""
    begin = chance.randrange(OFFSETS - 40_000)
    return {1: list(range(begin, begin + 40_000))}


def everywhere_bad_at_times(chance: random.Random) -> Faults:
    """Every record of two hundred short stretches, such as an hour of each night."""
    begins = sorted(chance.sample(range(0, OFFSETS - 500, 500), 200))
    return {0: [500 + begin + offset for begin in begins for offset in range(500)]}


def nothing(_: random.Random) -> Faults:
    return {}


def seen(faults: Faults, blocks: tuple[Range, ...]) -> dict[int, int]:
    counted: dict[int, int] = {}
    for block in blocks:
        bad = faults.get(block.partition, [])
        found = bisect_left(bad, block.end) - bisect_left(bad, block.start)
        counted[block.partition] = counted.get(block.partition, 0) + found
    return counted


def width_of_ten_blocks(share: float) -> float:
    """Of the interval that ten blocks of each partition give by Hoeffding's and Serfling's inequalities."""
    spread = 0.0
    for part in HELD.filled:
        size = max(10, math.ceil(share * part.offsets / 10))
        blocks = math.ceil(part.offsets / size)
        drawn = min(blocks, math.ceil(share * blocks))
        spread += 0 if drawn == blocks else (size * blocks) ** 2 * (1 - (drawn - 1) / blocks) / drawn
    return math.sqrt(math.log(2 / (1 - CONFIDENCE)) / 2 * spread)  # one side is enough: the other ends at 0


@pytest.mark.parametrize("planted", [uniform, clustered, everywhere_bad_at_times, nothing])
@pytest.mark.parametrize(("share", "narrower"), [(0.01, 0.7), (0.1, 0.45), (0.3, 0.35)])
def test_the_interval_holds_its_confidence_and_is_narrow(
    planted: Callable[[random.Random], Faults], share: float, narrower: float
) -> None:
    faults = planted(random.Random(1))  # noqa: S311 - repeatable
    truth = sum(map(len, faults.values()))
    held, widths, guesses = 0, [], []
    for seed in SEEDS:
        pinned = chosen(Selection(sample=Sample(share, seed)), HELD)
        assert pinned.sample is not None
        assert pinned.sample.offsets == pytest.approx(share * sum(part.offsets for part in HELD.ranges), rel=0.02)
        counts = seen(faults, pinned.sample.blocks)
        result = CheckResult(
            "placement",
            "exact",
            violations=sum(counts.values()),
            partitions=tuple(PartitionCount(part, found, 0, 0) for part, found in counts.items()),
        )
        guess = estimated(result, pinned.sample, pinned)
        held += guess.low <= truth <= guess.high
        widths.append(guess.high - guess.low)
        guesses.append(guess.violations)
    assert held >= CONFIDENCE * len(SEEDS)
    assert median(widths) < narrower * width_of_ten_blocks(share)
    assert mean(guesses) == pytest.approx(truth, rel=0.2)


@pytest.mark.parametrize(("share", "draws"), [(0, 100), (0.01, 100), (0.5, 20), (1, 7), (0.999, 1_000)])
def test_likely_shares_end_where_the_inequality_says(share: float, draws: int) -> None:
    low, high = likely(share, draws)
    assert 0 <= low <= share <= high <= 1
    for end in {low, high} - {0, 1, share}:
        parts = ((share, end), (1 - share, 1 - end))
        entropy = sum(one * math.log(one / other) for one, other in parts if one)
        assert math.exp(-draws * entropy) == pytest.approx((1 - CONFIDENCE) / 2, rel=1e-6)
    if share == 0:
        assert high == pytest.approx(1 - 0.025 ** (1 / draws))


def test_every_stretch_of_a_partition_is_drawn_from() -> None:
    pinned = chosen(Selection(sample=Sample(0.01, 3)), Pinned("t", (Range(0, 0, 10_000_000),)))
    assert pinned.sample is not None
    blocks = pinned.sample.blocks
    assert len(blocks) == 50  # each as long as it takes to seek it
    assert [block.start // 200_000 for block in blocks] == list(range(50))
