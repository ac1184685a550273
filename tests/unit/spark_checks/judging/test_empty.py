"""Why no record was read."""

from __future__ import annotations

from dataclasses import replace

from kafka_topology.spark_checks.judging.empty import why_empty
from kafka_topology.spark_checks.reading.ranges import Pinned, Range


def test_an_empty_topic_and_one_with_nothing_to_read_are_told_apart() -> None:
    held = Pinned("t", (Range(0, 5, 5),))
    assert why_empty(held) == "the topic holds no records"
    since = replace(held, partial="only records after the last check were read")
    assert why_empty(since) == "no record was read: only records after the last check were read"
    aborted = Pinned("t", (Range(0, 5, 9),))
    assert why_empty(aborted) == "no record was read: its offsets hold only deleted or aborted records"
