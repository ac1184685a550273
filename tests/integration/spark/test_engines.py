"""Numbers in values, whatever the session's time zone is, and an engine that fails."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812

from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.conditions.record import Condition
from kafka_topology.spark_checks.engines.choice import Engine
from kafka_topology.spark_checks.engines.columns.hashes import best_hashes
from kafka_topology.spark_checks.engines.columns.json_text import json_field
from kafka_topology.spark_checks.engines.columns.numbers import sortable_decimal, sortable_moment
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.reading.reader import FrameReader
from kafka_topology.spark_checks.results.scan import Tally
from kafka_topology.topology.model.declared import Key, Topology

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = "key binary, value binary, partition int, offset long, timestamp timestamp, timestampType int"


def test_numbers_and_moments_sort_as_what_they_say(spark: SparkSession) -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    numbers = {
        "0": 0,
        "-0": 0,
        "-17": -17,
        '"42"': 42,
        "4.2e1": 42,
        "1.5": Fraction(3, 2),
        '"2026"': 2026,
        "-0.001": Fraction(-1, 1000),
        "999999999999999999": 10**18 - 1,
        "1234567890123456789": 1234567890123456789,
        "1234567890123456788": 1234567890123456788,
        f"1{'0' * 40}": 10**40,
        f"-1{'0' * 40}": -(10**40),
    }
    moments = {
        '"2026-03-01"': noon - timedelta(hours=12),
        '"2026-03-01T12:00:00"': noon,
        '"2026-03-01T12:00Z"': noon,
        '"2026-03-01t12:00:00z"': noon,
        '"2026-03-01 12:00:00.25"': noon + timedelta(microseconds=250_000),
        '"2026-03-01T14:00:00+02:00"': noon,
        '"2026-03-01T10:30:00-0130"': noon,
        '"1969-12-31T23:59:59Z"': datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC),
    }
    neither = ['"+1"', '"1\\n"', '"2026-02-30"', '"12:00:00"', "null", "{}"]
    texts = [*numbers, *moments, *neither]
    frame = spark.createDataFrame([(text, f'{{"n": {text}}}'.encode()) for text in texts], "text string, value binary")
    found = json_field(F.col("value"), ("n",))
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")  # must not matter
    try:
        rows = frame.select("text", sortable_decimal(found), sortable_moment(found)).collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone or "UTC")
    as_number = {row[0]: row[1] for row in rows if row[1] is not None}
    as_moment = {row[0]: row[2] for row in rows if row[2] is not None}
    assert (as_number.keys(), as_moment.keys()) == (numbers.keys(), moments.keys())
    for one, other in itertools.combinations(numbers, 2):
        assert _order(as_number[one], as_number[other]) == _order(numbers[one], numbers[other]), (one, other)
    for one, other in itertools.combinations(moments, 2):
        assert _order(as_moment[one], as_moment[other]) == _order(moments[one], moments[other]), (one, other)


def _order(one: Any, other: Any) -> int:
    return (one > other) - (one < other)


class Fails:
    """An engine that breaks in a way that nobody has thought of, at the second topic."""

    def __init__(self, then: Engine) -> None:
        self._then = then
        self._topics = 0

    def tally(self, frame: DataFrame, conditions: Sequence[Condition], **asked: Any) -> Tally:
        self._topics += 1
        if self._topics == 2:
            raise RuntimeError("nested too deep")
        return self._then.tally(frame, conditions, **asked)


def test_a_topic_that_fails_does_not_cost_the_reports_of_the_others(
    spark: SparkSession, declare: Callable[..., Topology]
) -> None:
    first, *others = (declare(name, 1, key=Key("string")) for name in "abc")
    topology = replace(first, topics={name: topic for each in (first, *others) for name, topic in each.topics.items()})
    frame = spark.createDataFrame([(b"k", b"", 0, 0, datetime(2026, 1, 1), 0)], COLUMNS)  # noqa: DTZ001
    reader = FrameReader(dict.fromkeys("abc", frame), dict.fromkeys("abc", 1))
    report = check(spark, topology, reader=reader, engine=Fails(PureEngine(best_hashes(spark))))
    assert [each.records for each in report.topics] == [1, 0, 1]
    assert [each.unreadable for each in report.topics] == [
        None,
        "topic b could not be checked: RuntimeError: nested too deep",
        None,
    ]
