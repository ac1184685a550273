"""Numbers in values, whatever the session's time zone is, and an engine that gives up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.conditions.record import Condition, NumberField
from kafka_topology.spark_checks.engines.choice import Engine
from kafka_topology.spark_checks.engines.columns import number
from kafka_topology.spark_checks.engines.hashes import best_hashes
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.reading.reader import FrameReader
from kafka_topology.spark_checks.results.scan import Overflow, Tally
from kafka_topology.topology.model.declared import Key, Topology, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = "key binary, value binary, partition int, offset long, timestamp timestamp, timestampType int"


def test_numbers_and_moments(spark: SparkSession) -> None:
    noon = int(datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()) * 1_000_000
    texts: dict[str, tuple[int | None, int | None]] = {  # as a number, as a time
        "0": (0, 0),
        "-17": (-17, -17),
        '"42"': (42, 42),
        "999999999999999999": (999999999999999999, 999999999999999999),
        "1234567890123456789": (None, None),
        "1.5": (None, None),
        '"+1"': (None, None),
        '"1\\n"': (None, None),
        '"2026-03-01"': (None, noon - 12 * 3_600_000_000),
        '"2026-03-01T12:00:00"': (None, noon),
        '"2026-03-01 12:00:00.25"': (None, noon + 250_000),
        '"2026-03-01T12:00:00Z"': (None, noon),
        '"2026-03-01T14:00:00+02:00"': (None, noon),
        '"2026-03-01T10:30:00-0130"': (None, noon),
        '"2026-02-30"': (None, None),
        '"12:00:00"': (None, None),
        '"2026"': (2026, 2026),
        "null": (None, None),
        "{}": (None, None),
    }
    frame = spark.createDataFrame([(text, f'{{"n": {text}}}'.encode()) for text in texts], "text string, value binary")
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")  # must not matter
    try:
        rows = frame.select("text", number(NumberField(("n",))), number(NumberField(("n",), time=True))).collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone or "UTC")
    assert {row[0]: (row[1], row[2]) for row in rows} == texts


class GivesUp:
    """An engine whose memory is always full."""

    def tally(self, frame: DataFrame, conditions: Sequence[Condition], *, hot_keys: bool) -> Overflow:  # noqa: ARG002
        return Overflow("more keys than fit into memory")


def test_an_engine_that_gives_up_is_replaced_and_the_report_says_so(
    spark: SparkSession, declare: Callable[..., Topology]
) -> None:
    topology = declare("t", 3, key=Key("string"), ordering="per-key", value=Value("json", sequence="n"))
    rows = [(b"k", b'{"n": %d}' % (n % 5), n % 3, n, datetime(2026, 1, 1), 0) for n in range(30)]  # noqa: DTZ001
    reader = FrameReader({"t": spark.createDataFrame(rows, COLUMNS)}, {"t": 3})
    (plain,) = check(spark, topology, reader=reader).topics
    (replaced,) = check(spark, topology, reader=reader, engine=GivesUp()).topics
    assert replaced.notes == ("read twice: more keys than fit into memory",)
    assert replaced.results == plain.results
    assert plain.notes == ()
    assert plain.violations > 0


class Fails:
    """An engine that breaks in a way that nobody has thought of, at the second topic."""

    def __init__(self, then: Engine) -> None:
        self._then = then
        self._topics = 0

    def tally(self, frame: DataFrame, conditions: Sequence[Condition], *, hot_keys: bool) -> Tally | Overflow:
        self._topics += 1
        if self._topics == 2:
            raise RuntimeError("nested too deep")
        return self._then.tally(frame, conditions, hot_keys=hot_keys)


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
