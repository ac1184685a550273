"""The rows of a report: one for each violation that it counts, read again from the same offsets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from ..conditions.record import (
    Condition,
    KeyQuestion,
    Misplaced,
    MisplacedByTable,
    RowTest,
    Stateful,
    SupersededOverdue,
)
from ..engines.choice import Engine
from ..engines.key_places import by_key
from ..planning.check import Fault
from ..planning.plan import Plan, Planned
from ..reading.halves import by_halves
from ..reading.interrupting import interruptibly
from ..reading.ranges import Pinned, Range
from ..results.scan import Tally, faulty_ranges
from .columns import as_rows, no_rows

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class FoundTopic:
    """A topic with violations: what was read of it, by which engine, and what was found.

    `frame` reads a part of what was pinned. `faults` are by check: violations that are not about single records.
    `refuse_other` raises `TopicReplaced` if another topic has its name by now.
    """

    pinned: Pinned
    plan: Plan
    tally: Tally
    engine: Engine
    frame: Callable[[Pinned], DataFrame]
    faults: Sequence[tuple[Planned, Fault]] = ()
    question: KeyQuestion | None = None
    refuse_other: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class ReportRows:
    """All violations of a report. Each action on the frame reads the violating topics again."""

    topics: tuple[FoundTopic, ...]
    run_id: str
    reveal: bool

    def frame(self, spark: SparkSession) -> DataFrame:
        return interruptibly(spark, lambda: self._frame(spark))

    def refuse_others(self) -> None:
        """Raises `TopicReplaced` if one of the topics is another one by now: its rows would be of records unseen."""
        for topic in self.topics:
            topic.refuse_other()

    def _frame(self, spark: SparkSession) -> DataFrame:
        self.refuse_others()
        parts = [
            as_rows(found, run_id=self.run_id, topic=topic.pinned.topic, reveal=self.reveal)
            for topic in self.topics
            for found in _violations(spark, topic)
        ]
        return by_halves(lambda left, right: left.union(right), parts or [no_rows(spark)])

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        """A report that travels to another process leaves its Spark behind."""
        return type(None), ()


def _violations(spark: SparkSession, topic: FoundTopic) -> list[DataFrame]:
    found = [_records(topic)] if _held(topic) else []
    found += [_split_keys(topic, planned, fault) for planned, fault in topic.faults if fault.keys]
    whole = [row for planned, fault in topic.faults if not fault.keys for row in _whole(planned, fault)]
    if whole:
        # Literals: a frame made of Python's values would need a Python on the machines of a cluster.
        each = spark.range(1).select(F.inline(F.array(*whole)))
        found.append(each.withColumn("time", F.explode(F.sequence(F.lit(1), F.col("times")))).drop("time", "times"))
    return found


def _held(topic: FoundTopic) -> list[int]:
    """The bits of violations that there are."""
    return [bit for bit in topic.plan.violations if topic.tally.where(1 << bit)]


def _records(topic: FoundTopic) -> DataFrame:
    """A row for each violating record and check. Only the conditions that hold somewhere are asked again."""
    held = _held(topic)
    conditions = [topic.plan.conditions[bit] for bit in held]
    placed = next((each for each in conditions if isinstance(each, Misplaced | MisplacedByTable)), None)
    narrowed = topic.pinned.narrowed(_ranges(topic, held, conditions))
    rows = topic.engine.records(topic.frame(narrowed), conditions, placed)
    if any(isinstance(each, SupersededOverdue) for each in conditions):
        # The compiled engine gives what a later record decides as a row of its own.
        rows = rows.groupBy("partition", "offset", "timestamp_ms", "key", "key_length").agg(
            F.bit_or("mask").alias("mask"), F.max("expected_partition").alias("expected_partition")
        )
    places = {bit: place for place, bit in enumerate(held)}
    broken = [_broken(planned, places) for planned in topic.plan.planned if planned.bits_of("violation")]
    by_check = F.filter(F.array(*broken), lambda each: F.size(each["faults"]) > 0)
    return rows.withColumn("violation", F.explode(by_check)).select(
        "partition", "offset", "timestamp_ms", "key", "key_length", "violation.*"
    )


def _ranges(topic: FoundTopic, held: Sequence[int], conditions: Sequence[Condition]) -> list[Range]:
    """Of the partitions with violations: from the first to the last, or all where earlier records matter."""
    faulty = faulty_ranges(topic.tally.where(sum(1 << bit for bit in held)))
    if not any(isinstance(each, Stateful) for each in conditions):
        return list(faulty)
    partitions = {part.partition for part in faulty}
    return [part for part in topic.pinned.ranges if part.partition in partitions]


def _broken(planned: Planned, places: dict[int, int]) -> Column:
    """What one check says of a record: no faults where it finds none."""
    own = [
        (test, F.col("mask").bitwiseAND(F.lit(1 << places[bit]).cast("bigint")) != 0)
        for test, bit in planned.numbered()
        if test.meaning == "violation" and bit in places
    ]
    names = F.array(*(F.when(holds, F.lit(test.name)) for test, holds in own), F.lit(None).cast("string"))
    expected = (F.when(holds, _expected(planned, test)) for test, holds in own)
    return F.struct(
        F.lit(planned.check.id).alias("check"),
        F.array_compact(names).alias("faults"),
        F.concat_ws("; ", *expected, F.lit(None).cast("string")).alias("expected"),
    )


def _expected(planned: Planned, test: RowTest) -> Column:
    said = F.lit(test.expected or planned.check.about.summary)
    if isinstance(test.condition, Misplaced | MisplacedByTable):
        return F.coalesce(F.concat(F.lit("partition "), F.col("expected_partition")), said)
    return said


def _split_keys(topic: FoundTopic, planned: Planned, fault: Fault) -> DataFrame:
    """A row for each key, at the place of its first record."""
    assert topic.question is not None  # noqa: S101 - or nobody would know the keys
    places = topic.engine.keys(topic.frame(topic.pinned), topic.question)
    said = f"{fault.expected or planned.check.about.summary}; it is in "
    return (
        by_key(places)
        .where("split")
        .select(
            F.col("begins.partition").alias("partition"),
            F.col("begins.first").alias("offset"),
            F.col("begins.first_ms").alias("timestamp_ms"),
            "key",
            "key_length",
            F.lit(planned.check.id).alias("check"),
            F.array(F.lit(fault.name)).alias("faults"),
            F.concat(F.lit(said), F.array_join(F.col("partitions").cast("array<string>"), ", ")).alias("expected"),
        )
    )


def _whole(planned: Planned, fault: Fault) -> list[Column]:
    """A row for each partition, or for the topic, and how many times it counts."""
    counts: list[tuple[int | None, int]] = [(count.partition, count.violations) for count in fault.partitions]
    if sum(times for _, times in counts) != fault.violations:
        counts = [(None, fault.violations)]
    return [
        F.struct(
            F.lit(partition).cast("int").alias("partition"),
            F.lit(None).cast("bigint").alias("offset"),
            F.lit(None).cast("bigint").alias("timestamp_ms"),
            F.lit(None).cast("binary").alias("key"),
            F.lit(None).cast("int").alias("key_length"),
            F.lit(planned.check.id).alias("check"),
            F.array(F.lit(fault.name)).alias("faults"),
            F.lit(fault.expected or planned.check.about.summary).alias("expected"),
            F.lit(times).alias("times"),
        )
        for partition, times in counts
    ]
