"""Checks the live records of a topology: pin, scan once, look closer only at what was found, report."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from ..topology.model import Topic, Topology
from .checks import CHECKS
from .checks.base import Subject
from .closer import evidence, key_places, records_at
from .columns import Hashes
from .conditions import KeyQuestion, Stateful
from .engine import Engine, best_engine, tally
from .evidence import Evidence, KeyPlaces
from .hashes import best_hashes
from .offsets import Pinned, Unreadable
from .places import layers, places_of
from .plan import Plan, plan
from .progress import Listener, watched
from .reader import KafkaReader, Reader
from .report import CheckResult, Report, TopicReport
from .results import Results
from .scan import Tally, faulty_ranges
from .subject import subject_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CAUSE_SAMPLE = 1000  # misplaced records examined for a cause, spread over the partitions


@dataclass(frozen=True, slots=True)
class Options:
    """`examples` limits how many records each result names; counts and offsets are of all records.

    `now_ms` is the moment that timestamps are compared with, by default that of the call.
    """

    examples: int = 20
    show_keys: bool = False
    progress: Listener | None = None
    now_ms: int | None = None


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
    options = options or Options()
    now_ms = int(time.time() * 1000) if options.now_ms is None else options.now_ms
    pinned = reader.pin([topic.name for topic in wanted])
    hashes = hashes or best_hashes(spark)
    run = _Run(spark, reader, hashes, engine or best_engine(spark, hashes), options)
    reports = []
    for topic in wanted:
        part = pinned[topic.name]
        if isinstance(part, Unreadable):
            reports.append(unreadable(topic, part.reason))
        else:
            reports.append(run.topic(subject_of(topology, topic, partitions=part.partitions, now_ms=now_ms), part))
    return Report(tuple(reports))


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

    def topic(self, subject: Subject, pinned: Pinned) -> TopicReport:
        try:
            return self._readable(subject, pinned)
        except (PySparkException, Py4JError) as error:
            name = subject.topic.name
            return unreadable(subject.topic, f"Spark could not read topic {name}: {_in_one_line(error)}")

    def _readable(self, subject: Subject, pinned: Pinned) -> TopicReport:
        asked = plan(subject, CHECKS)
        found, notes = self._tally(pinned, asked)
        results = Results(subject, asked, found, examples=self.options.examples, show_keys=self.options.show_keys)
        question = results.question()
        if question is not None:
            results = replace(results, keys=self._key_places(pinned, question))
        results = replace(results, evidence=(*self._records(pinned, asked, found), *self._places(pinned, asked, found)))
        return TopicReport(
            subject.topic.name,
            found.records,
            results.ranges(pinned, self.reader.first_kept(pinned) if pinned.filled else {}),
            tuple(sorted((*results.checks(), *asked.unchecked), key=_in_order)),
            hot_keys=results.hot_keys(),
            notes=notes,
        )

    def _tally(self, pinned: Pinned, asked: Plan) -> tuple[Tally, tuple[str, ...]]:
        if not pinned.filled:
            return Tally(()), ()
        with watched(self.spark, pinned, self.options.progress):
            frame = self.reader.read(self.spark, pinned)
            return tally(self.engine, frame, asked.conditions, self.hashes, hot_keys=asked.hot_keys)

    def _key_places(self, pinned: Pinned, question: KeyQuestion) -> KeyPlaces:
        return key_places(self.reader.read(self.spark, pinned), question, self.options.examples)

    def _records(self, pinned: Pinned, asked: Plan, found: Tally) -> tuple[Evidence, ...]:
        """Records that break a condition by themselves: read again between the first and the last such record."""
        wanted = {bit: each for bit, each in asked.violations.items() if not isinstance(each, Stateful)}
        violated = found.where(sum(1 << bit for bit in wanted))
        if not violated:
            return ()
        narrowed = pinned.narrowed(faulty_ranges(violated))
        per_partition = max(self.options.examples, CAUSE_SAMPLE // narrowed.partitions + 1)
        return evidence(self.reader.read(self.spark, narrowed), wanted, self.hashes, per_partition)

    def _places(self, pinned: Pinned, asked: Plan, found: Tally) -> tuple[Evidence, ...]:
        """Records that break a condition about the records before: the ends of each group, read one by one."""
        bits = [bit for bit, each in asked.violations.items() if isinstance(each, Stateful)]
        masks = places_of(found, bits, self.options.examples)
        frames = [self.reader.read(self.spark, pinned.narrowed(layer)) for layer in layers(masks)]
        return records_at(frames, masks) if frames else ()


def unreadable(topic: Topic, reason: str) -> TopicReport:
    """Every check of the topic, not checked for the same reason."""
    results = tuple(CheckResult(each.id, "not-checked", reason=reason) for each in CHECKS)
    return TopicReport(topic.name, 0, (), results, unreadable=reason)


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
