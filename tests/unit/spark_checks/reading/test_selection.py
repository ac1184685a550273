"""Which offsets are read, and what is said about the others."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from kafka_topology.spark_checks.judging.partial import bounded, estimated
from kafka_topology.spark_checks.judging.state import advanced
from kafka_topology.spark_checks.reading.hidden import Hidden, with_hidden
from kafka_topology.spark_checks.reading.ranges import Identity, Pinned, Range
from kafka_topology.spark_checks.reading.selection import (
    EVERYTHING,
    MOST_TASKS,
    Reading,
    Sample,
    Selection,
    cheapest,
    chosen,
)
from kafka_topology.spark_checks.reading.state import State, TopicState, WrongState, parse_state
from kafka_topology.spark_checks.results.report import CheckResult, PartitionCount, Report, ScannedRange, TopicReport

HELD = Pinned("t", (Range(0, 0, 100), Range(1, 20, 50), Range(2, 0, 0)))
ME = Identity("cluster", "topic")
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


def starts(pinned: Pinned) -> list[int]:
    return [part.start for part in pinned.ranges]


def continued(following: dict[int, int], identity: Identity = ME, held: Pinned = HELD) -> Pinned:
    state = State("cluster", {"t": TopicState("topic", following)})
    return chosen(Selection(state=state), held, identity=identity)


def test_everything_is_not_partial() -> None:
    assert chosen(EVERYTHING, HELD) == HELD
    assert HELD.partial is None


def test_since_a_moment() -> None:
    pinned = chosen(Selection(since=MOMENT), HELD, {0: 40, 1: -1, 2: -1})
    assert starts(pinned) == [40, 50, 0]
    assert [part.partition for part in pinned.filled] == [0]
    assert pinned.partial == "only records since 2026-03-01T00:00:00Z were read"


def test_since_before_the_first_record_is_everything() -> None:
    assert chosen(Selection(since=MOMENT), HELD, {0: 0, 1: 20, 2: -1}).partial is None


def test_a_moment_needs_a_zone() -> None:
    with pytest.raises(ValueError, match="time zone"):
        Selection(since=datetime(2026, 3, 1))  # noqa: DTZ001


def test_a_first_incremental_check_reads_everything() -> None:
    pinned = chosen(Selection(state=State()), HELD, identity=ME)
    assert (pinned.ranges, pinned.partial, pinned.identity) == (HELD.ranges, None, ME)


def test_the_next_one_reads_on() -> None:
    pinned = continued({0: 60, 1: 50, 2: 0})
    assert starts(pinned) == [60, 50, 0]
    assert pinned.partial == "only records after the last check were read"
    assert pinned.notes == ()


def test_deleted_offsets_stay_in_the_range_so_that_the_gap_is_seen() -> None:
    assert starts(continued({0: 0, 1: 5, 2: 0})) == [0, 5, 0]


def test_a_new_partition_is_read_from_its_start() -> None:
    pinned = continued({0: 100, 2: 0})
    assert starts(pinned) == [100, 20, 0]
    assert pinned.notes == ("partition 1 is new since the last check: read from its start",)


def test_a_partition_that_ends_earlier_is_read_from_its_start() -> None:
    pinned = continued({0: 101, 1: 50, 2: 0})
    assert starts(pinned) == [0, 50, 0]
    (note,) = pinned.notes
    assert note.startswith("partition 0 ends at offset 100, the last check reached 101: records were lost")


def test_a_topic_created_again_is_read_from_its_start() -> None:
    pinned = continued({0: 60, 1: 50, 2: 0}, Identity("cluster", "other"))
    assert (pinned.ranges, pinned.partial) == (HELD.ranges, None)
    assert pinned.notes == ("the topic was deleted and created again since the last check: read from its start",)


def test_the_state_of_another_cluster_is_refused() -> None:
    with pytest.raises(
        WrongState, match=r"state is about cluster cluster, and this is cluster other: .* delete the file"
    ):
        continued({0: 60}, Identity("other", "topic"))


def test_an_incremental_check_is_no_sample() -> None:
    with pytest.raises(ValueError, match="skips no record"):
        Selection(state=State(), sample=Sample(0.5, 1))


@pytest.mark.parametrize("share", [0, -0.1, 1.1, float("nan")])
def test_a_share_is_a_share(share: float) -> None:
    with pytest.raises(ValueError, match="above 0 and up to 1"):
        Sample(share, 1)


def test_state_is_written_and_read() -> None:
    state = State("c", {"b": TopicState("i", {1: 5, 0: 7}), "a": TopicState("j", {})})
    assert parse_state(state.to_json()) == state


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"version": 1, "cluster": "c"}', '{"version": 1, "cluster": "c", "topics": {"t": {}}}',
     '{"version": 1, "cluster": "c", "topics": {"t": {"id": "i", "next": {"0": -1}}}}',
     '{"version": 1, "cluster": "c", "topics": {"t": {"id": "i", "next": {"x": 1}}}}',
     '{"version": 1, "cluster": "c", "topics": {"t": {"id": "i", "next": {"0": true}}}}'],
)  # fmt: skip
def test_a_broken_state_is_refused_with_what_to_do(text: str) -> None:
    with pytest.raises(WrongState, match=r"not the state of an incremental check: .* delete it to read everything"):
        parse_state(text)


def test_the_state_of_a_first_check_that_finished_nothing_can_be_read() -> None:
    assert parse_state(State().to_json()) == State()
    with pytest.raises(WrongState):
        parse_state('{"version": 1, "cluster": null, "topics": {"t": {"id": "i", "next": {"0": 1}}}}')


def test_a_later_version_is_refused() -> None:
    with pytest.raises(WrongState, match="version 2, expected 1"):
        parse_state('{"version": 2, "cluster": "c", "topics": {}}')


def test_only_what_was_checked_advances() -> None:
    before = State("cluster", {name: TopicState(name, {0: 1}) for name in ("done", "failed", "other")})
    pinned = {name: replace(HELD, topic=name, identity=Identity("cluster", name)) for name in ("done", "failed")}
    scanned = tuple(ScannedRange(part, 0) for part in HELD.ranges)
    report = Report((TopicReport("done", 0, scanned, ()), TopicReport("failed", 0, (), (), unreadable="why")))
    after = advanced(before, pinned, report)
    assert after.topics["done"].next == {0: 100, 1: 50, 2: 0}
    assert after.topics["failed"].next == after.topics["other"].next == {0: 1}


WIDE = Pinned("t", (Range(0, 1_000, 11_000), Range(1, 0, 37), Range(2, 5, 5)))


def test_a_sample_draws_blocks_of_each_partition() -> None:
    pinned = chosen(Selection(sample=Sample(0.1, 7)), WIDE)
    assert pinned.sample is not None
    assert pinned.ranges == WIDE.ranges
    by_partition = {n: [b for b in pinned.filled if b.partition == n] for n in range(3)}
    assert sum(b.end - b.start for b in by_partition[0]) == 1_000
    assert 10 < len(by_partition[0]) <= 20
    assert all(1_000 <= b.start < b.end <= 11_000 for b in by_partition[0])
    assert len(by_partition[1]) == 1
    assert by_partition[2] == []
    assert not pinned.contiguous
    read = sum(b.end - b.start for b in pinned.filled)
    assert pinned.partial == f"a sample: {10_037 - read:,} of 10,037 offsets were not read"
    # Each read of Spark has a partition once, and all reads together have every block.
    assert sorted((b for parts in pinned.reads for b in parts), key=lambda b: (b.partition, b.start)) == list(
        pinned.filled
    )
    assert all(len({b.partition for b in parts}) == len(parts) for parts in pinned.reads)


@pytest.mark.parametrize("share", [0.000_001, 0.001, 0.03, 0.3, 0.95])
@pytest.mark.parametrize("offsets", [11, 27, 109, 1_009, 12_345])
def test_something_is_drawn_of_every_partition(share: float, offsets: int) -> None:
    held = Pinned("t", (Range(0, 5, 5 + offsets), Range(1, 0, 500_000), Range(2, 0, 1)))
    for seed in range(20):
        pinned = chosen(Selection(sample=Sample(share, seed, strict=True)), held)
        assert pinned.sample is not None
        assert {part.partition for part in pinned.filled} == {0, 1, 2}
        for stratum in pinned.sample.strata:
            blocks = [each for each in pinned.sample.blocks if each.partition == stratum.partition]
            sizes = sum(each.offsets for each in blocks)
            assert 0 < sizes <= stratum.size * stratum.drawn


@pytest.mark.parametrize("reading", ["seeks", "compiled", "pure"])
def test_a_tiny_topic_is_read_in_full(reading: Reading) -> None:
    held = Pinned("t", (Range(0, 0, 27), Range(1, 0, 27)))
    read = cheapest(chosen(Selection(sample=Sample(0.000_1, 1)), held), reading=reading)
    assert (read.sample, read.ranges) == (None, held.ranges)


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    one, again, other = (chosen(Selection(sample=Sample(0.1, seed)), WIDE).filled for seed in (7, 7, 8))
    assert one == again != other


def test_a_sample_of_everything_is_everything() -> None:
    assert chosen(Selection(sample=Sample(1, 7)), WIDE) == WIDE


def drawn(offsets: int, share: float, *, strict: bool = False) -> Pinned:
    held = Pinned("t", tuple(Range(number, 0, offsets // 6) for number in range(6)))
    return chosen(Selection(sample=Sample(share, 7, strict)), held)


@pytest.mark.parametrize(
    ("offsets", "share", "reading", "in_full"),
    [
        (20_000, 0.1, "seeks", True),
        (20_000, 0.1, "compiled", True),
        (20_000, 0.1, "pure", True),
        (900_000, 0.01, "seeks", False),
        (900_000, 0.01, "compiled", True),
        (900_000, 0.01, "pure", True),
        (6_000_000, 0.01, "pure", False),
        (6_000_000, 0.5, "compiled", False),  # it would be faster, but the brokers would send twice as much
    ],
)
def test_a_small_topic_is_read_in_full_where_that_is_faster(
    offsets: int, share: float, reading: Reading, in_full: bool
) -> None:
    sampled = drawn(offsets, share)
    chosen_one = cheapest(sampled, reading=reading)
    assert (chosen_one.sample is None) is in_full
    if in_full:
        assert (chosen_one.ranges, chosen_one.partial) == (sampled.ranges, None)
        assert f"{sum(part.offsets for part in sampled.ranges):,} offsets" in chosen_one.notes[0]
    else:
        assert chosen_one.sample is not None
        assert chosen_one.sample.share == share
        assert len(chosen_one.sample.blocks) <= (MOST_TASKS if reading != "seeks" else len(sampled.filled))


def test_a_strict_sample_stays_one() -> None:
    sampled = drawn(20_000, 0.1, strict=True)
    assert cheapest(sampled, reading="compiled") == sampled
    assert cheapest(WIDE, reading="compiled") == WIDE


def test_what_is_hidden_is_hidden_from_a_full_read_too() -> None:
    hidden = Hidden(Range(0, 3_333, 4_000), MOMENT)
    sampled = with_hidden(drawn(20_000, 0.1), [hidden])
    assert "a sample" in str(sampled.partial)
    in_full = cheapest(sampled, reading="compiled")
    assert in_full.hidden == (hidden,)
    assert in_full.partial == "open transactions hide 667 offsets at the end of partition 0"


def test_a_closer_look_stays_within_the_sample() -> None:
    pinned = chosen(Selection(sample=Sample(0.1, 7)), WIDE)
    first, *_, last = (block for block in pinned.filled if block.partition == 0)
    narrow = pinned.narrowed([Range(0, first.start + 3, last.start + 1)])
    assert narrow.filled[0] == Range(0, first.start + 3, first.end)
    assert narrow.filled[-1] == Range(0, last.start, last.start + 1)
    assert {block.partition for block in narrow.filled} == {0}


def result(check: str, violations: int = 0, partition: int = 0) -> CheckResult:
    counts = (PartitionCount(partition, violations, 0, 0),) if violations else ()
    return CheckResult(check, "exact", violations=violations, partitions=counts)


def test_stretches_read_whole_leave_results_as_the_checks_gave_them() -> None:
    part = chosen(Selection(since=MOMENT), HELD, {0: 40, 1: -1, 2: -1})
    assert bounded(result("placement"), part, with_estimate=True) == result("placement")
    assert bounded(result("placement"), HELD, with_estimate=True) == result("placement")


def test_a_sample_bounds_everything_and_estimates_records() -> None:
    pinned = chosen(Selection(sample=Sample(0.1, 7)), WIDE)
    already = replace(result("order", 5), status="bounded", reason=pinned.partial)
    placement = bounded(result("placement", 5), pinned, with_estimate=True)
    order = bounded(already, pinned, with_estimate=False)
    assert (placement.status, order.status) == ("bounded", "bounded")
    assert placement.reason == order.reason == pinned.partial
    assert order.estimate is None
    assert placement.estimate is not None
    assert placement.estimate.violations == 50
    assert placement.estimate.low == 5
    assert 50 < placement.estimate.high <= 10_037


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    # One bad stretch: the worst case for blocks, since records next to each other are alike.
    bad = range(4_000, 5_000)
    inside, widths = 0, []
    for seed in range(200):
        pinned = chosen(Selection(sample=Sample(0.5, seed)), WIDE)
        assert pinned.sample is not None
        seen = sum(len(set(bad) & set(range(b.start, b.end))) for b in pinned.filled if b.partition == 0)
        guess = estimated(result("placement", seen), pinned.sample, pinned)
        inside += guess.low <= len(bad) <= guess.high
        widths.append(guess.high - guess.low)
    assert inside >= 190
    assert max(widths) < 10_037


def test_what_was_read_completely_adds_no_doubt() -> None:
    pinned = Pinned("t", (Range(0, 0, 10), Range(1, 0, 1_000)))
    drawn = chosen(Selection(sample=Sample(0.5, 3)), pinned).sample
    assert drawn is not None
    assert [stratum.complete for stratum in drawn.strata] == [True, False]
    guess = estimated(result("placement", 4), drawn, pinned)
    assert (guess.violations, guess.low) == (4, 4)
    assert guess.high < 4 + 1_000 - drawn.offsets + 10
