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
from .checks.base import Found, Subject
from .closer import evidence
from .columns import Hashes
from .conditions import Condition, Misplaced, RowTest, Stateful
from .engine import Engine, best_engine, tally
from .evidence import Evidence
from .hashes import best_hashes
from .keys import shown
from .offsets import Pinned, Unreadable
from .plan import Plan, Planned, plan
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
from .scan import Tally, faulty_ranges

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CAUSE_SAMPLE = 1000  # misplaced records examined for a cause, spread over the partitions


@dataclass(frozen=True, slots=True)
class Options:
    """`examples` limits how many records each result names; counts and offsets are of all records."""

    examples: int = 20
    show_keys: bool = False
    progress: Listener | None = None


def check(
    spark: SparkSession,
    topology: Topology,
    *,
    bootstrap_servers: str | None = None,
    client_config: Mapping[str, str] | None = None,
    reader: Reader | None = None,
    topics: Sequence[str] | None = None,
    hashes: Hashes | None = None,
    engine: Engine | None = None,
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
    hashes = hashes or best_hashes(spark)
    run = _Run(spark, reader, hashes, engine or best_engine(spark, hashes), options or Options())
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
    engine: Engine
    options: Options

    def topic(self, topic: Topic, pinned: Pinned | Unreadable) -> TopicReport:
        if isinstance(pinned, Unreadable):
            return unreadable(topic, pinned.reason)
        try:
            return self._readable(Subject(topic, pinned.partitions), pinned)
        except (PySparkException, Py4JError) as error:
            return unreadable(topic, f"Spark could not read topic {topic.name}: {_in_one_line(error)}")

    def _readable(self, subject: Subject, pinned: Pinned) -> TopicReport:
        asked = plan(subject, CHECKS)
        found, notes = self._tally(pinned, asked.conditions)
        seen = self._look_closer(pinned, asked, found)
        results = [self._result(subject, each, found, seen) for each in asked.planned]
        return TopicReport(
            subject.topic.name,
            found.records,
            _scanned(pinned, found, self.reader.first_kept(pinned) if pinned.filled else {}),
            tuple(sorted((*results, *asked.unchecked), key=_in_order)),
            notes=notes,
        )

    def _tally(self, pinned: Pinned, conditions: Sequence[Condition]) -> tuple[Tally, tuple[str, ...]]:
        if not pinned.filled:
            return Tally(()), ()
        with watched(self.spark, pinned, self.options.progress):
            frame = self.reader.read(self.spark, pinned)
            return tally(self.engine, frame, conditions, self.hashes, hot_keys=False)

    def _look_closer(self, pinned: Pinned, asked: Plan, found: Tally) -> tuple[Evidence, ...]:
        wanted = {
            bit: condition
            for bit, condition in enumerate(asked.conditions)
            if asked.violations >> bit & 1 and not isinstance(condition, Stateful)
        }
        violated = found.where(sum(1 << bit for bit in wanted))
        if not violated:
            return ()
        narrowed = pinned.narrowed(faulty_ranges(violated))
        per_partition = max(self.options.examples, CAUSE_SAMPLE // narrowed.partitions + 1)
        return evidence(self.reader.read(self.spark, narrowed), wanted, self.hashes, per_partition)

    def _result(self, subject: Subject, each: Planned, found: Tally, seen: Sequence[Evidence]) -> CheckResult:
        groups = found.where(each.bits_of("violation"))
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
        own = each.violated(seen)
        explained = None
        if violations:
            explained = each.check.explain(subject, Found(violations, found.records, own))
        return CheckResult(
            check=each.check.id,
            status="exact" if each.tests.bound is None else "bounded",
            violations=violations,
            unjudged=sum(group.records for group in found.where(each.bits_of("unjudged"))),
            first=Position(counts[0].partition, counts[0].first) if counts else None,
            last=Position(counts[-1].partition, counts[-1].last) if counts else None,
            faults=_by_fault(each, found),
            partitions=counts,
            examples=self._examples(own),
            cause=None if explained is None else explained.cause,
            remediation=None if explained is None else explained.remediation,
            reason=each.tests.bound,
            notes=each.tests.notes,
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


def _by_fault(each: Planned, found: Tally) -> dict[str, int]:
    counts = {
        test.name: sum(group.records for group in found.where(each.mask_of(test.name)))
        for test in each.tests.rows
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
