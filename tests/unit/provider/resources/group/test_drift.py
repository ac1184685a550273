"""What is said of a group's offsets since the last look."""

from __future__ import annotations

from kafka_topology.cluster.live.groups import Committed, LiveGroup
from kafka_topology.provider.resources.group.drift import as_output, offset_warnings


def live(**offsets):
    partitions = {("t", int(number[1:])): Committed(offset) for number, offset in offsets.items()}
    return LiveGroup("g", offsets=partitions, ends=dict.fromkeys(partitions, 100))


def test_offsets_that_move_on_are_not_worth_a_word():
    seen = live(p0=5, p1=7)
    assert as_output(seen) == {"t-0": 5, "t-1": 7}
    assert offset_warnings({"t-0": 5, "t-1": 6}, seen, {("t", 0): 5}) == ()
    assert offset_warnings(None, seen, {}) == ()


def test_offsets_that_went_back_disappeared_or_point_at_nothing_are_reported():
    said = offset_warnings({"t-0": 9, "t-3": 4}, live(p0=5, p1=101, p2=1), {("t", 2): 2})
    assert [line.partition("offsets ")[2].partition(". ")[0] for line in said] == [
        "went back since the last look (t-0 from 9 to 5)",
        "disappeared since the last look (t-3, which was 4)",
        "lie beyond the log's end (t-1 at 101, and the log ends at 100)",
        "lie before the log's start (t-2 at 1, and the log starts at 2)",
    ]


def test_many_are_counted():
    before = {f"t-{number}": 9 for number in range(8)}
    [said] = offset_warnings(before, live(), {})
    assert "and 3 more" in said
