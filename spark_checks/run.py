"""Checks the live records of a topology: pin, scan once, ask again only what the scan left open, report."""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ..topology.model.declared import Topic, Topology
from ..topology.model.words import listed
from .conditions.record import KeyQuestion
from .conditions.schemas import schema_reader, schemas_of
from .engines.choice import Engine, best_engine, seeking
from .engines.columns.conditions import Hashes
from .engines.columns.decoding import decoded
from .engines.columns.hashes import best_hashes
from .engines.compiled import CompiledEngine, records_read
from .engines.key_places import key_places
from .engines.pure import PureEngine
from .judging.empty import not_checked, why_empty
from .judging.results import Results
from .judging.state import advanced
from .planning.check import Check
from .planning.decoding import decoding_of
from .planning.limits import known_limits
from .planning.missing import OPTIONAL, without_columns
from .planning.plan import Plan, plan
from .planning.preflight import Tell, sturdier, tried, untold
from .planning.subject import Subject, subject_of
from .reading.interrupting import ctrl_c_raises, interruptibly
from .reading.offsets import TopicReplaced
from .reading.progress import Listener, watched
from .reading.ranges import Pinned, Unreadable
from .reading.reader import KafkaReader, Reader, with_columns
from .reading.selection import EVERYTHING, Reading, Selection, cheapest
from .reading.spark_errors import in_one_line, missing_access, spark_failures, unheld_timestamp
from .registry import installed_checks
from .results.evidence import KeyPlaces
from .results.report import CheckResult, Report, ScannedRange, TopicReport
from .results.scan import Tally, Wanted
from .rows.frame import FoundTopic, ReportRows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CAUSE_SAMPLE = 1000  # misplaced records examined for a cause, spread over the partitions


@dataclass(frozen=True, slots=True)
class Options:
    """`examples` limits how many records each result names; counts and offsets are of all records.

    `now_ms` is the moment that timestamps are compared with, by default that of the call.
    `selection` says which part of the topics is read; a `reader` that is given has one of its own. With
    `require_records`, a topic of which no record was read counts as unreadable.

    With `any_expression`, an expression of a partitioner may do whatever Spark can, such as read files; use it for
    topologies that you trust as you trust code. `tell` gets what Spark says of an expression: it may quote what the
    expression read, so reports do not have it.
    """

    examples: int = 20
    show_keys: bool = False
    progress: Listener | None = None
    now_ms: int | None = None
    selection: Selection = EVERYTHING
    require_records: bool = False
    any_expression: bool = False
    tell: Tell = untold


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

    Raises `ClusterUnreachableError` when the cluster does not answer, `ValueError` for a topic that is not declared,
    limits of a check that does not exist, or a state of something else, `BrokenPack` for installed checks that cannot
    be used, and `Interrupted` with what is done on Ctrl-C, or another `KeyboardInterrupt` before the first topic.
    """
    options = options or Options()
    wanted = declared_topics(topology, topics)
    if reader is None:
        if bootstrap_servers is None:
            raise ValueError("check needs bootstrap_servers or a reader")
        client = {**(client_config or {}), "bootstrap.servers": bootstrap_servers}
        reader = KafkaReader(client, selection=options.selection)
    checks = installed_checks()
    known_limits(wanted, checks)
    settings = {name for each in checks for name in each.about.settings}
    now_ms = int(time.time() * 1000) if options.now_ms is None else options.now_ms
    pinned = interruptibly(spark, partial(reader.pin, [topic.name for topic in wanted]))
    hashes, engine = interruptibly(spark, lambda: _equipped(spark, hashes, engine))
    run = _Run(spark, reader, hashes, engine, checks, options, [])
    schemas = schemas_of(topology.schemas, schema_reader(topology.root))
    reports: list[TopicReport] = []
    try:
        with ctrl_c_raises():
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
                        any_expression=options.any_expression,
                    )
                    reports.append(interruptibly(spark, partial(run.topic, subject, part)))
    except KeyboardInterrupt:
        left = (unreadable(topic, "interrupted") for topic in wanted[len(reports) :])
        raise Interrupted(run.report((*reports, *left), pinned, complete=False)) from None
    return run.report(tuple(reports), pinned)


def _equipped(spark: SparkSession, hashes: Hashes | None, engine: Engine | None) -> tuple[Hashes, Engine]:
    hashes = hashes or best_hashes(spark)
    return hashes, engine or best_engine(spark, hashes)


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
    found: list[FoundTopic]  # grows while topics are checked

    def report(
        self, topics: tuple[TopicReport, ...], pinned: Mapping[str, Pinned | Unreadable], *, complete: bool = True
    ) -> Report:
        read = {each.topic for each in topics if each.unreadable is None}
        found = tuple(each for each in self.found if each.pinned.topic in read)
        rows = ReportRows(found, uuid.uuid4().hex, self.options.show_keys)
        report = Report(topics, complete, rows=rows)
        state = self.options.selection.state
        return report if state is None else replace(report, state=advanced(state, pinned, report))

    def topic(self, subject: Subject, pinned: Pinned) -> TopicReport:
        try:
            pinned = cheapest(pinned, reading=self._reading(subject, pinned))
            subject = replace(subject, unseen=pinned.partial)
            asked = plan(subject, self.checks)
            columns = self._columns(asked, pinned)
            missing = [name for name in OPTIONAL if name not in columns]
            able = replace(subject, refused={**subject.refused, **without_columns(asked, missing)})
            return self._sturdily(tried(able, asked, self.spark, columns, self._tell(subject)), _noted(pinned, missing))
        except TopicReplaced as error:
            return unreadable(subject.topic, str(error))
        except spark_failures() as error:
            name = subject.topic.name
            known = self.reader.why_silent(pinned) if isinstance(self.reader, KafkaReader) else None
            why = "; ".join(filter(None, (known, in_one_line(error), missing_access(error), unheld_timestamp(error))))
            return unreadable(subject.topic, f"Spark could not read topic {name}: {why}")
        except Exception as error:  # noqa: BLE001 - one topic must not cost the reports of the others
            what = f"{type(error).__name__}: {in_one_line(error)}"
            return unreadable(subject.topic, f"topic {subject.topic.name} could not be checked: {what}")

    def _tell(self, subject: Subject) -> Tell:
        return lambda words: self.options.tell(f"topic {subject.topic.name}: {words}")

    def _reading(self, subject: Subject, pinned: Pinned) -> Reading:
        """How blocks of the topic would be read."""
        if isinstance(self.engine, PureEngine) or pinned.sample is None:
            return "pure"
        return "compiled" if self._seeking(subject, plan(subject, self.checks)) is None else "seeks"

    def _seeking(self, subject: Subject, asked: Plan) -> CompiledEngine | None:
        decoding = decoding_of(subject, headers=asked.reads_headers)
        return seeking(self.engine, decoding, asked.conditions) if isinstance(self.reader, KafkaReader) else None

    def _columns(self, asked: Plan, pinned: Pinned) -> Collection[str]:
        """Kafka has all of them; a table of somebody's own is looked at."""
        if isinstance(self.reader, KafkaReader) or not pinned.filled:
            return (*OPTIONAL, "headers")
        return self.reader.read(self.spark, pinned, headers=asked.reads_headers).columns

    def _read(self, pinned: Pinned, *, headers: bool = False) -> DataFrame:
        """The records, with nulls in columns that they were given without: no check that is made reads those."""
        frame = self.reader.read(self.spark, pinned, headers=headers)
        return with_columns(frame, OPTIONAL)

    def _sturdily(self, subject: Subject, pinned: Pinned) -> TopicReport:
        """Reads again without what may fail on a record, if something failed."""
        try:
            return self._readable(subject, pinned)
        except spark_failures() as error:
            left = sturdier(subject, error, self._tell(subject))
            if left is None:
                raise
        return self._sturdily(left, pinned)

    def _frame(self, subject: Subject, pinned: Pinned, asked: Plan) -> DataFrame:
        """The records, with their headers if a check reads them, and with what is decoded of keys and values."""
        decoding = decoding_of(subject, headers=asked.reads_headers)
        return decoded(self._read(pinned, headers=decoding.headers), decoding)

    def _readable(self, subject: Subject, pinned: Pinned) -> TopicReport:
        asked = plan(subject, self.checks)
        found = self._tally(subject, pinned, asked)
        if not found.records:
            return self._empty(subject, pinned, asked)
        results = Results(subject, asked, found, examples=self.options.examples, show_keys=self.options.show_keys)
        question = results.question()
        if question is not None:
            results = replace(results, keys=self._key_places(subject, pinned, asked, found, question))
        ranges = results.ranges(pinned, self.reader.first_kept(pinned) if pinned.filled else {})
        deleted = _deleted(ranges)
        if deleted:  # checks that compare partitions must know
            results = replace(results, subject=replace(subject, unseen=pinned.partial or "records were deleted"))
        results = results.sound()
        checked = results.checks(pinned, deleted)
        if any(each.violations for each in checked):
            self.found.append(self._found_topic(subject, pinned, results.plan, results, question))
        return TopicReport(
            subject.topic.name,
            found.records,
            ranges,
            checked,
            hot_keys=results.hot_keys(),
            partial=pinned.partial,
            sample=pinned.sample,
            hidden=pinned.hidden,
            notes=pinned.notes,
            missed=self._missed(ranges),
        )

    def _missed(self, ranges: Sequence[ScannedRange]) -> int:
        """Between two checks nobody else looks. A first check reads what there is, and claims no more."""
        if self.options.selection.state is None:
            return 0
        return _deleted(ranges)

    def _empty(self, subject: Subject, pinned: Pinned, asked: Plan) -> TopicReport:
        reason = why_empty(pinned)
        if self.options.require_records and not pinned.hidden:
            return replace(unreadable(subject.topic, f"{reason}, but records are required"), empty=reason)
        if pinned.sample is not None and not pinned.hidden:
            # The topic has offsets, and nobody knows what the rest of them holds.
            return replace(
                unreadable(subject.topic, f"{reason}: draw a larger sample, or read all of it"), empty=reason
            )
        results = Results(subject, asked, Tally(()))
        ranges = results.ranges(pinned, self.reader.first_kept(pinned) if pinned.filled else {})
        return TopicReport(
            subject.topic.name,
            0,
            ranges,
            not_checked(asked, reason),
            partial=pinned.partial,
            sample=pinned.sample,
            hidden=pinned.hidden,
            notes=pinned.notes,
            empty=reason,
            missed=self._missed(ranges),
        )

    def _tally(self, subject: Subject, pinned: Pinned, asked: Plan) -> Tally:
        if not pinned.filled:
            return Tally(())
        per_partition = max(self.options.examples, CAUSE_SAMPLE // pinned.partitions + 1)
        wanted = Wanted(sum(1 << bit for bit in asked.violations), per_partition)
        with watched(self.spark, pinned, self.options.progress, records_read):
            found = self._tally_sample(subject, pinned, asked, wanted)
            if found is not None:
                return found
            frame = self._frame(subject, pinned, asked)
            # Spark reads each block of a sample in a task of its own, and the compiled engine keeps keys within a task.
            engine = self.engine if pinned.contiguous else PureEngine(self.hashes)
            return engine.tally(frame, asked.conditions, hot_keys=asked.hot_keys, wanted=wanted)

    def _tally_sample(self, subject: Subject, pinned: Pinned, asked: Plan, wanted: Wanted) -> Tally | None:
        engine = self._seeking(subject, asked)
        if pinned.sample is None or engine is None or not isinstance(self.reader, KafkaReader):
            return None
        around = self.reader.read_around(self.spark, pinned)
        return engine.tally_blocks(around, pinned.filled, asked.conditions, hot_keys=asked.hot_keys, wanted=wanted)

    def _key_places(
        self, subject: Subject, pinned: Pinned, asked: Plan, found: Tally, question: KeyQuestion
    ) -> KeyPlaces:
        with ExitStack() as views:
            places = self._answering(found).keys(self._frame(subject, pinned, asked), question, views)
            return key_places(places, question, self.options.examples)

    def _answering(self, found: Tally) -> Engine:
        """The engine that gave the tally: another one may not be able to."""
        return self.engine if found.compiled else PureEngine(self.hashes)

    def _found_topic(
        self, subject: Subject, pinned: Pinned, asked: Plan, results: Results, question: KeyQuestion | None
    ) -> FoundTopic:
        return FoundTopic(
            pinned,
            asked,
            results.tally,
            self._answering(results.tally),
            lambda part: self._frame(subject, part, asked),
            results.faults(),
            question,
            lambda: self.reader.refuse_other(pinned),
        )


def _deleted(ranges: Sequence[ScannedRange]) -> int:
    """Offsets that were there when the check began, and were not when it ended."""
    return sum(each.deleted_to - each.pinned.start for each in ranges if each.deleted_to is not None)


def _noted(pinned: Pinned, missing: Sequence[str]) -> Pinned:
    if not missing:
        return pinned
    said = f"the records were given without {listed([f'`{name}`' for name in missing])}: bytes count only what is there"
    return replace(pinned, notes=(*pinned.notes, said))


def unreadable(topic: Topic, reason: str) -> TopicReport:
    """Every check of the topic, not checked for the same reason."""
    results = tuple(CheckResult(each.id, "not-checked", reason=reason) for each in installed_checks())
    return TopicReport(topic.name, 0, (), results, unreadable=reason)
