"""Checks the live records of a topology: pin, scan once, look closer only at what was found, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from ..topology.model import Topic, Topology
from .cause import expected_partition
from .checks import CHECKS
from .checks.base import Check, Found, NotChecked, RowTests, Subject, asked_by
from .columns import Hashes
from .conditions import Misplaced, MisplacedByTable, RowTest
from .decode_columns import decoded
from .decoding import decoding_of
from .evidence import Evidence
from .hashes import best_hashes
from .keys import shown
from .offsets import Pinned, Unreadable
from .preflight import sturdier, tried
from .progress import Listener, watched
from .reader import KafkaReader, Reader
from .report import (
    CheckResult,
    Example,
    PartitionCount,
    Position,
    Report,
    ScannedRange,
    TopicReport,
)
from .scan import Tally, evidence, faulty_ranges, tally
from .schemas import Schema, schema_reader, schemas_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CAUSE_SAMPLE = 1000  # misplaced records examined for a cause, spread over the partitions


@dataclass(frozen=True, slots=True)
class Options:
    """`examples` limits how many records each result names; counts and offsets are of all records."""

    examples: int = 20
    show_keys: bool = False
    progress: Listener | None = None


@dataclass(frozen=True, slots=True)
class _Planned:
    """A check with its tests, and the bit at which they start in the mask."""

    check: Check
    tests: RowTests
    first_bit: int

    def bits(self, meaning: str) -> int:
        held = (i for i, test in enumerate(self.tests.rows) if test.meaning == meaning)
        return sum(1 << (self.first_bit + index) for index in held)


def check(
    spark: SparkSession,
    topology: Topology,
    *,
    bootstrap_servers: str | None = None,
    client_config: Mapping[str, str] | None = None,
    reader: Reader | None = None,
    topics: Sequence[str] | None = None,
    hashes: Hashes | None = None,
    options: Options | None = None,
) -> Report:
    """Give `bootstrap_servers` (and librdkafka settings in `client_config`) or a `reader`.

    Raises `Unreachable` when the cluster does not answer and `ValueError` for a topic that is not declared.
    """
    wanted = declared_topics(topology, topics)
    if reader is None:
        if bootstrap_servers is None:
            raise ValueError("check needs bootstrap_servers or a reader")
        reader = KafkaReader({**(client_config or {}), "bootstrap.servers": bootstrap_servers})
    pinned = reader.pin([topic.name for topic in wanted])
    schemas = schemas_of(topology.schemas, schema_reader(topology.root))
    run = _Run(spark, reader, hashes or best_hashes(spark), options or Options(), schemas)
    return Report(tuple(run.topic(topic, pinned[topic.name]) for topic in wanted))


def declared_topics(topology: Topology, names: Sequence[str] | None) -> tuple[Topic, ...]:
    if names is None:
        return tuple(topology.topics.values())
    unknown = [name for name in names if name not in topology.topics]
    if unknown:
        declared = ", ".join(topology.topics) or "none"
        raise ValueError(f"topic {', '.join(unknown)} is not declared; declared are {declared}")
    return tuple(topology.topics[name] for name in dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class _Run:
    spark: SparkSession
    reader: Reader
    hashes: Hashes
    options: Options
    schemas: Mapping[str, Schema]

    def topic(self, topic: Topic, pinned: Pinned | Unreadable) -> TopicReport:
        if isinstance(pinned, Unreadable):
            return unreadable(topic, pinned.reason)
        try:
            return self._judged(self._subject(topic, pinned), pinned)
        except (PySparkException, Py4JError) as error:
            return unreadable(topic, f"Spark could not read topic {topic.name}: {_in_one_line(error)}")

    def _subject(self, topic: Topic, pinned: Pinned) -> Subject:
        columns: Sequence[str] = ("headers",)
        if topic.headers is not None and pinned.filled:
            columns = self.reader.read(self.spark, pinned, headers=True).columns
        return tried(Subject(topic, pinned.partitions, self.schemas), self.spark, columns)

    def _judged(self, subject: Subject, pinned: Pinned) -> TopicReport:
        """Once more without what may fail on some record, when something did."""
        try:
            return self._readable(subject, pinned)
        except (PySparkException, Py4JError) as error:
            left = sturdier(subject, _in_one_line(error))
            if left is None:
                raise
        return self._judged(left, pinned)

    def _frame(self, subject: Subject, pinned: Pinned) -> DataFrame:
        """The records, with the declared headers and what is decoded of keys and values."""
        decoding = decoding_of(subject)
        return decoded(self.reader.read(self.spark, pinned, headers=decoding.headers), decoding)

    def _readable(self, subject: Subject, pinned: Pinned) -> TopicReport:
        planned, unchecked = _plan(subject)
        rows = [test for plan in planned for test in plan.tests.rows]
        found = self._tally(subject, pinned, rows)
        violated = found.where(sum(plan.bits("violation") for plan in planned))
        seen = self._look_closer(subject, pinned.narrowed(faulty_ranges(violated)), rows) if violated else ()
        results = [self._result(subject, plan, found, seen) for plan in planned]
        return TopicReport(
            subject.topic.name,
            found.records,
            _scanned(pinned, found, self.reader.first_kept(pinned) if pinned.filled else {}),
            tuple(sorted((*results, *unchecked), key=_in_order)),
        )

    def _tally(self, subject: Subject, pinned: Pinned, rows: Sequence[RowTest]) -> Tally:
        if not pinned.filled:
            return Tally(())
        with watched(self.spark, pinned, self.options.progress):
            return tally(self._frame(subject, pinned), rows, self.hashes)

    def _look_closer(self, subject: Subject, narrowed: Pinned, rows: Sequence[RowTest]) -> tuple[Evidence, ...]:
        per_partition = max(self.options.examples, CAUSE_SAMPLE // narrowed.partitions + 1)
        return evidence(self._frame(subject, narrowed), rows, self.hashes, per_partition)

    def _result(self, subject: Subject, plan: _Planned, found: Tally, seen: Sequence[Evidence]) -> CheckResult:
        groups = found.where(plan.bits("violation"))
        violations = sum(group.records for group in groups)
        counts = tuple(
            PartitionCount(
                part.partition,
                sum(group.records for group in groups if group.partition == part.partition),
                part.start,
                part.end - 1,
            )
            for part in faulty_ranges(groups)
        )
        own = _evidence_of(plan, seen)
        explained = None
        if violations:
            explained = plan.check.explain(subject, Found(violations, found.records, own))
        return CheckResult(
            check=plan.check.id,
            status="exact" if plan.tests.bound is None else "bounded",
            violations=violations,
            unjudged=sum(group.records for group in found.where(plan.bits("unjudged"))),
            first=Position(counts[0].partition, counts[0].first) if counts else None,
            last=Position(counts[-1].partition, counts[-1].last) if counts else None,
            faults=_by_fault(plan, found),
            partitions=counts,
            examples=self._examples(own),
            cause=None if explained is None else explained.cause,
            remediation=None if explained is None else explained.remediation,
            reason=plan.tests.bound,
            notes=plan.tests.notes,
        )

    def _examples(self, own: Sequence[tuple[RowTest, Evidence]]) -> tuple[Example, ...]:
        ordered = sorted(own, key=lambda pair: (pair[1].partition, pair[1].offset))
        return tuple(
            Example(
                Position(record.partition, record.offset),
                test.name,
                shown(record.key, record.key_length, reveal=self.options.show_keys),
                _expected(test, record),
            )
            for test, record in ordered[: self.options.examples]
        )


def _expected(test: RowTest, record: Evidence) -> int | None:
    misplaced = test.condition
    return expected_partition(misplaced, record) if isinstance(misplaced, Misplaced | MisplacedByTable) else None


def unreadable(topic: Topic, reason: str) -> TopicReport:
    """Every check of the topic, not checked for the same reason."""
    results = tuple(CheckResult(each.id, "not-checked", reason=reason) for each in CHECKS)
    return TopicReport(topic.name, 0, (), results, unreadable=reason)


def _plan(subject: Subject) -> tuple[list[_Planned], list[CheckResult]]:
    planned: list[_Planned] = []
    unchecked: list[CheckResult] = []
    next_bit = 0
    for each in CHECKS:
        tests = asked_by(each, subject)
        if isinstance(tests, NotChecked):
            unchecked.append(CheckResult(each.id, "not-checked", reason=tests.reason))
        elif tests is not None:
            planned.append(_Planned(each, tests, next_bit))
            next_bit += len(tests.rows)
    return planned, unchecked


def _evidence_of(plan: _Planned, seen: Sequence[Evidence]) -> list[tuple[RowTest, Evidence]]:
    tests = plan.tests.rows
    return [
        (tests[record.test - plan.first_bit], record)
        for record in seen
        if 0 <= record.test - plan.first_bit < len(tests)
    ]


def _by_fault(plan: _Planned, found: Tally) -> dict[str, int]:
    counts = {
        test.name: sum(group.records for group in found.where(1 << (plan.first_bit + index)))
        for index, test in enumerate(plan.tests.rows)
        if test.meaning == "violation"
    }
    return {name: count for name, count in counts.items() if count}


def _scanned(pinned: Pinned, found: Tally, kept: Mapping[int, int]) -> tuple[ScannedRange, ...]:
    return tuple(
        ScannedRange(
            part,
            found.records_in(part.partition),
            min(kept[part.partition], part.end) if kept.get(part.partition, part.start) > part.start else None,
        )
        for part in pinned.ranges
    )


def _in_order(result: CheckResult) -> int:
    return [each.id for each in CHECKS].index(result.check)


def _in_one_line(error: Exception) -> str:
    """What went wrong without Java's stack: the innermost message, where a failed job has its reason."""
    if isinstance(error, Py4JJavaError):
        inner = error.java_exception
        while inner.getCause() is not None:
            inner = inner.getCause()
        text = inner.getMessage() or inner.getClass().getName()
    else:
        text = str(error)
    return str(text).strip().split("\n", 1)[0]
