"""Checks the live records of a topology: pin, scan once, look closer only at what was found, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..topology.model import Topic, Topology
from .cause import expected_partition
from .checks import CHECKS
from .checks.base import Check, Found, NotChecked, RowTests, Subject
from .columns import Hashes
from .conditions import Misplaced, RowTest
from .evidence import Evidence
from .hashes import best_hashes
from .keys import shown
from .partial import with_bounds
from .progress import Listener, watched
from .ranges import Pinned, Unreadable
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
from .selection import EVERYTHING, Selection
from .session import cancel
from .spark_errors import in_one_line, spark_failures
from .state import advanced

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CAUSE_SAMPLE = 1000  # misplaced records examined for a cause, spread over the partitions


@dataclass(frozen=True, slots=True)
class Options:
    """`examples` limits how many records each result names; counts and offsets are of all records.

    `selection` says which part of the topics is read; a `reader` that is given has one of its own.
    """

    examples: int = 20
    show_keys: bool = False
    progress: Listener | None = None
    selection: Selection = EVERYTHING


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while records were read: `report` has the topics that were done, and says which were not."""

    def __init__(self, report: Report) -> None:
        super().__init__("interrupted")
        self.report = report


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

    Raises `Unreachable` when the cluster does not answer, `ValueError` for a topic that is not declared or a state
    of something else, and `Interrupted` with what is done on Ctrl-C.
    """
    options = options or Options()
    wanted = declared_topics(topology, topics)
    if reader is None:
        if bootstrap_servers is None:
            raise ValueError("check needs bootstrap_servers or a reader")
        client = {**(client_config or {}), "bootstrap.servers": bootstrap_servers}
        reader = KafkaReader(client, selection=options.selection)
    pinned = reader.pin([topic.name for topic in wanted])
    run = _Run(spark, reader, hashes or best_hashes(spark), options)
    done: list[TopicReport] = []
    try:
        for topic in wanted:
            done.append(run.topic(topic, pinned[topic.name]))  # noqa: PERF401 - kept when interrupted
    except KeyboardInterrupt:
        cancel(spark)
        left = (unreadable(topic, "interrupted") for topic in wanted[len(done) :])
        raise Interrupted(_report((*done, *left), pinned, options, complete=False)) from None
    return _report(tuple(done), pinned, options)


def _report(
    topics: tuple[TopicReport, ...],
    pinned: Mapping[str, Pinned | Unreadable],
    options: Options,
    *,
    complete: bool = True,
) -> Report:
    report = Report(topics, complete)
    state = options.selection.state
    return report if state is None else replace(report, state=advanced(state, pinned, report))


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

    def topic(self, topic: Topic, pinned: Pinned | Unreadable) -> TopicReport:
        if isinstance(pinned, Unreadable):
            return unreadable(topic, pinned.reason)
        try:
            return self._readable(Subject(topic, pinned.partitions), pinned)
        except spark_failures() as error:
            return unreadable(topic, f"Spark could not read topic {topic.name}: {in_one_line(error)}")

    def _readable(self, subject: Subject, pinned: Pinned) -> TopicReport:
        planned, unchecked = _plan(subject)
        rows = [test for plan in planned for test in plan.tests.rows]
        found = self._tally(pinned, rows)
        violated = found.where(sum(plan.bits("violation") for plan in planned))
        seen = self._look_closer(pinned.narrowed(faulty_ranges(violated)), rows) if violated else ()
        results = [self._result(subject, plan, found, seen) for plan in planned]
        return TopicReport(
            subject.topic.name,
            found.records,
            _scanned(pinned, found, self.reader.first_kept(pinned) if pinned.filled else {}),
            with_bounds(sorted((*results, *unchecked), key=_in_order), pinned),
            partial=pinned.partial,
            sample=pinned.sample,
            notes=pinned.notes,
        )

    def _tally(self, pinned: Pinned, rows: Sequence[RowTest]) -> Tally:
        if not pinned.filled:
            return Tally(())
        with watched(self.spark, pinned, self.options.progress):
            return tally(self.reader.read(self.spark, pinned), rows, self.hashes)

    def _look_closer(self, narrowed: Pinned, rows: Sequence[RowTest]) -> tuple[Evidence, ...]:
        per_partition = max(self.options.examples, CAUSE_SAMPLE // narrowed.partitions + 1)
        return evidence(self.reader.read(self.spark, narrowed), rows, self.hashes, per_partition)

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
                expected_partition(test.condition, record) if isinstance(test.condition, Misplaced) else None,
            )
            for test, record in ordered[: self.options.examples]
        )


def unreadable(topic: Topic, reason: str) -> TopicReport:
    """Every check of the topic, not checked for the same reason."""
    results = tuple(CheckResult(each.id, "not-checked", reason=reason) for each in CHECKS)
    return TopicReport(topic.name, 0, (), results, unreadable=reason)


def _plan(subject: Subject) -> tuple[list[_Planned], list[CheckResult]]:
    planned: list[_Planned] = []
    unchecked: list[CheckResult] = []
    next_bit = 0
    for each in CHECKS:
        tests = each.tests(subject)
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
