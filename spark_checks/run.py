"""Checks the live records of a topology: pin, scan once, look closer only at what was found, report."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..topology.model.declared import Topic, Topology
from .conditions.record import KeyQuestion, Stateful
from .conditions.schemas import schema_reader, schemas_of
from .engines.choice import Engine, best_engine, tally
from .engines.closer import evidence, key_places, records_at
from .engines.columns import Hashes
from .engines.compiled import records_read
from .engines.decode_columns import decoded
from .engines.hashes import best_hashes
from .engines.pure import PureEngine
from .judging.places import layers, places_of
from .judging.results import Results
from .judging.state import advanced
from .planning.check import Check
from .planning.decoding import decoding_of
from .planning.plan import Plan, plan
from .planning.preflight import sturdier, tried
from .planning.subject import Subject, subject_of
from .reading.progress import Listener, watched
from .reading.ranges import Pinned, Unreadable
from .reading.reader import KafkaReader, Reader
from .reading.selection import EVERYTHING, Selection
from .reading.session import cancel, interruptible
from .reading.spark_errors import in_one_line, spark_failures
from .registry import installed_checks
from .results.evidence import Evidence, KeyPlaces
from .results.report import CheckResult, Report, TopicReport
from .results.scan import Tally, faulty_ranges

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CAUSE_SAMPLE = 1000  # misplaced records examined for a cause, spread over the partitions


@dataclass(frozen=True, slots=True)
class Options:
    """`examples` limits how many records each result names; counts and offsets are of all records.

    `now_ms` is the moment that timestamps are compared with, by default that of the call.
    `selection` says which part of the topics is read; a `reader` that is given has one of its own.
    """

    examples: int = 20
    show_keys: bool = False
    progress: Listener | None = None
    now_ms: int | None = None
    selection: Selection = EVERYTHING


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while records were read: `report` has the finished topics, and says which were not read."""

    def __init__(self, report: Report) -> None:
        super().__init__("interrupted")
        self.report = report


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

    Raises `ClusterUnreachableError` when the cluster does not answer, `ValueError` for a topic that is not declared or
    a state of something else, `BrokenPack` for installed checks that cannot be used, and `Interrupted` with what is
    done on Ctrl-C.
    """
    options = options or Options()
    wanted = declared_topics(topology, topics)
    if reader is None:
        if bootstrap_servers is None:
            raise ValueError("check needs bootstrap_servers or a reader")
        client = {**(client_config or {}), "bootstrap.servers": bootstrap_servers}
        reader = KafkaReader(client, selection=options.selection)
    checks = installed_checks()
    settings = {name for each in checks for name in each.about.settings}
    now_ms = int(time.time() * 1000) if options.now_ms is None else options.now_ms
    pinned = reader.pin([topic.name for topic in wanted])
    hashes = hashes or best_hashes(spark)
    run = _Run(spark, reader, hashes, engine or best_engine(spark, hashes), checks, options)
    schemas = schemas_of(topology.schemas, schema_reader(topology.root))
    reports: list[TopicReport] = []
    try:
        with interruptible():
            for topic in wanted:
                part = pinned[topic.name]
                if isinstance(part, Unreadable):
                    reports.append(unreadable(topic, part.reason))
                else:
                    subject = subject_of(
                        topology,
                        topic,
                        partitions=part.partitions,
                        now_ms=now_ms,
                        settings=settings,
                        unseen=part.partial,
                        schemas=schemas,
                    )
                    reports.append(run.topic(subject, part))
    except KeyboardInterrupt:
        cancel(spark)
        left = (unreadable(topic, "interrupted") for topic in wanted[len(reports) :])
        raise Interrupted(_report((*reports, *left), pinned, options, complete=False)) from None
    return _report(tuple(reports), pinned, options)


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
    engine: Engine
    checks: tuple[Check, ...]
    options: Options

    def topic(self, subject: Subject, pinned: Pinned) -> TopicReport:
        try:
            asked = plan(subject, self.checks)
            return self._sturdily(tried(subject, asked, self.spark, self._columns(asked, pinned)), pinned)
        except spark_failures() as error:
            name = subject.topic.name
            return unreadable(subject.topic, f"Spark could not read topic {name}: {in_one_line(error)}")
        except Exception as error:  # noqa: BLE001 - one topic must not cost the reports of the others
            what = f"{type(error).__name__}: {in_one_line(error)}"
            return unreadable(subject.topic, f"topic {subject.topic.name} could not be checked: {what}")

    def _columns(self, asked: Plan, pinned: Pinned) -> Sequence[str]:
        """Only the headers may be missing, so this looks only where a check reads them."""
        if not asked.reads_headers or not pinned.filled:
            return ("headers",)
        return self.reader.read(self.spark, pinned, headers=True).columns

    def _sturdily(self, subject: Subject, pinned: Pinned) -> TopicReport:
        """Reads again without what may fail on a record, if something failed."""
        try:
            return self._readable(subject, pinned)
        except spark_failures() as error:
            left = sturdier(subject, in_one_line(error))
            if left is None:
                raise
        return self._sturdily(left, pinned)

    def _frame(self, subject: Subject, pinned: Pinned, asked: Plan) -> DataFrame:
        """The records, with their headers if a check reads them, and with what is decoded of keys and values."""
        decoding = decoding_of(subject, headers=asked.reads_headers)
        return decoded(self.reader.read(self.spark, pinned, headers=decoding.headers), decoding)

    def _readable(self, subject: Subject, pinned: Pinned) -> TopicReport:
        asked = plan(subject, self.checks)
        found, notes = self._tally(subject, pinned, asked)
        results = Results(subject, asked, found, examples=self.options.examples, show_keys=self.options.show_keys)
        question = results.question()
        if question is not None:
            results = replace(results, keys=self._key_places(subject, pinned, asked, question))
        records = self._records(subject, pinned, asked, found)
        results = replace(results, evidence=(*records, *self._places(pinned, asked, found)))
        return TopicReport(
            subject.topic.name,
            found.records,
            results.ranges(pinned, self.reader.first_kept(pinned) if pinned.filled else {}),
            results.checks(pinned),
            hot_keys=results.hot_keys(),
            partial=pinned.partial,
            sample=pinned.sample,
            notes=(*pinned.notes, *notes),
        )

    def _tally(self, subject: Subject, pinned: Pinned, asked: Plan) -> tuple[Tally, tuple[str, ...]]:
        if not pinned.filled:
            return Tally(()), ()
        with watched(self.spark, pinned, self.options.progress, records_read):
            frame = self._frame(subject, pinned, asked)
            # The blocks of a sample are tasks of their own, and the compiled engine remembers keys within a task.
            engine = self.engine if pinned.contiguous else PureEngine(self.hashes)
            return tally(engine, frame, asked.conditions, self.hashes, hot_keys=asked.hot_keys)

    def _key_places(self, subject: Subject, pinned: Pinned, asked: Plan, question: KeyQuestion) -> KeyPlaces:
        return key_places(self._frame(subject, pinned, asked), question, self.options.examples)

    def _records(self, subject: Subject, pinned: Pinned, asked: Plan, found: Tally) -> tuple[Evidence, ...]:
        """Records that break a condition by themselves: read again between the first and the last such record."""
        wanted = {bit: each for bit, each in asked.violations.items() if not isinstance(each, Stateful)}
        violated = found.where(sum(1 << bit for bit in wanted))
        if not violated:
            return ()
        narrowed = pinned.narrowed(faulty_ranges(violated))
        per_partition = max(self.options.examples, CAUSE_SAMPLE // narrowed.partitions + 1)
        return evidence(self._frame(subject, narrowed, asked), wanted, self.hashes, per_partition)

    def _places(self, pinned: Pinned, asked: Plan, found: Tally) -> tuple[Evidence, ...]:
        """Records that break a condition about the records before: the ends of each group, read one by one."""
        bits = [bit for bit, each in asked.violations.items() if isinstance(each, Stateful)]
        masks = places_of(found, bits, self.options.examples)
        frames = [self.reader.read(self.spark, pinned.narrowed(layer)) for layer in layers(masks)]
        return records_at(frames, masks) if frames else ()


def unreadable(topic: Topic, reason: str) -> TopicReport:
    """Every check of the topic, not checked for the same reason."""
    results = tuple(CheckResult(each.id, "not-checked", reason=reason) for each in installed_checks())
    return TopicReport(topic.name, 0, (), results, unreadable=reason)
