"""Checks the live records of a topology: pin, scan once, look closer only at what was found, report."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..topology.model.declared import Topic, Topology
from ..topology.model.words import listed
from .conditions.record import Condition, KeyQuestion, Stateful
from .conditions.schemas import schema_reader, schemas_of
from .engines.choice import Engine, best_engine, tally
from .engines.closer import evidence, key_places, records_at
from .engines.columns.conditions import Hashes
from .engines.columns.decoding import decoded
from .engines.columns.hashes import best_hashes
from .engines.compiled import records_read
from .engines.pure import PureEngine
from .judging.empty import not_checked, why_empty
from .judging.places import layers, places_of
from .judging.results import Results
from .judging.state import advanced
from .planning.check import Check
from .planning.decoding import decoding_of
from .planning.limits import known_limits
from .planning.missing import OPTIONAL, without_columns
from .planning.plan import Plan, plan
from .planning.preflight import sturdier, tried
from .planning.subject import Subject, subject_of
from .reading.progress import Listener, watched
from .reading.ranges import Pinned, Unreadable
from .reading.reader import KafkaReader, Reader, with_columns
from .reading.selection import EVERYTHING, Selection, cheapest
from .reading.session import cancel, interruptible
from .reading.spark_errors import in_one_line, spark_failures
from .registry import installed_checks
from .results.evidence import Evidence, KeyPlaces
from .results.report import CheckResult, Report, TopicReport
from .results.scan import Located, Tally, faulty_ranges, first_parts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CAUSE_SAMPLE = 1000  # misplaced records examined for a cause, spread over the partitions
# Read again at most, for examples and causes. Spark's columns take about 20 times as long for a record as the compiled
# engine, so this costs as much as two million records in the scan.
EVIDENCE_OFFSETS = 100_000


@dataclass(frozen=True, slots=True)
class Options:
    """`examples` limits how many records each result names; counts and offsets are of all records.

    `now_ms` is the moment that timestamps are compared with, by default that of the call.
    `selection` says which part of the topics is read; a `reader` that is given has one of its own. With
    `require_records`, a topic of which no record was read counts as unreadable.
    """

    examples: int = 20
    show_keys: bool = False
    progress: Listener | None = None
    now_ms: int | None = None
    selection: Selection = EVERYTHING
    require_records: bool = False


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
    be used, and `Interrupted` with what is done on Ctrl-C.
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
                    part = cheapest(part, compiled=not isinstance(run.engine, PureEngine))
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
            columns = self._columns(asked, pinned)
            missing = [name for name in OPTIONAL if name not in columns]
            able = replace(subject, refused={**subject.refused, **without_columns(asked, missing)})
            return self._sturdily(tried(able, asked, self.spark, columns), _noted(pinned, missing))
        except spark_failures() as error:
            name = subject.topic.name
            return unreadable(subject.topic, f"Spark could not read topic {name}: {in_one_line(error)}")
        except Exception as error:  # noqa: BLE001 - one topic must not cost the reports of the others
            what = f"{type(error).__name__}: {in_one_line(error)}"
            return unreadable(subject.topic, f"topic {subject.topic.name} could not be checked: {what}")

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
            left = sturdier(subject, in_one_line(error))
            if left is None:
                raise
        return self._sturdily(left, pinned)

    def _frame(self, subject: Subject, pinned: Pinned, asked: Plan) -> DataFrame:
        """The records, with their headers if a check reads them, and with what is decoded of keys and values."""
        decoding = decoding_of(subject, headers=asked.reads_headers)
        return decoded(self._read(pinned, headers=decoding.headers), decoding)

    def _readable(self, subject: Subject, pinned: Pinned) -> TopicReport:
        asked = plan(subject, self.checks)
        found, notes = self._tally(subject, pinned, asked)
        if not found.records:
            return self._empty(subject, pinned, asked)
        results = Results(subject, asked, found, examples=self.options.examples, show_keys=self.options.show_keys)
        question = results.question()
        if question is not None:
            results = replace(results, keys=self._key_places(subject, pinned, asked, question))
        results = replace(results, evidence=self._evidence(subject, pinned, asked, found))
        return TopicReport(
            subject.topic.name,
            found.records,
            results.ranges(pinned, self.reader.first_kept(pinned) if pinned.filled else {}),
            results.checks(pinned),
            hot_keys=results.hot_keys(),
            partial=pinned.partial,
            sample=pinned.sample,
            hidden=pinned.hidden,
            notes=(*pinned.notes, *notes),
        )

    def _empty(self, subject: Subject, pinned: Pinned, asked: Plan) -> TopicReport:
        reason = why_empty(pinned)
        if self.options.require_records and not pinned.hidden:
            return replace(unreadable(subject.topic, f"{reason}, but records are required"), empty=reason)
        results = Results(subject, asked, Tally(()))
        return TopicReport(
            subject.topic.name,
            0,
            results.ranges(pinned, self.reader.first_kept(pinned) if pinned.filled else {}),
            not_checked(asked, reason),
            partial=pinned.partial,
            sample=pinned.sample,
            hidden=pinned.hidden,
            notes=pinned.notes,
            empty=reason,
        )

    def _tally(self, subject: Subject, pinned: Pinned, asked: Plan) -> tuple[Tally, tuple[str, ...]]:
        if not pinned.filled:
            return Tally(()), ()
        with watched(self.spark, pinned, self.options.progress, records_read):
            frame = self._frame(subject, pinned, asked)
            # The blocks of a sample are tasks of their own, and the compiled engine remembers keys within a task.
            engine = self.engine if pinned.contiguous else PureEngine(self.hashes)
            located = Located(sum(1 << bit for bit in _looking_around(asked)), self.options.examples)
            return tally(engine, frame, asked.conditions, self.hashes, hot_keys=asked.hot_keys, located=located)

    def _key_places(self, subject: Subject, pinned: Pinned, asked: Plan, question: KeyQuestion) -> KeyPlaces:
        return key_places(self._frame(subject, pinned, asked), question, self.options.examples)

    def _evidence(self, subject: Subject, pinned: Pinned, asked: Plan, found: Tally) -> tuple[Evidence, ...]:
        """Violating records, read again: the first of each partition, and those whose places are known."""
        alone = {bit: each for bit, each in asked.violations.items() if not isinstance(each, Stateful)}
        faulty = faulty_ranges(found.where(sum(1 << bit for bit in alone)))
        looked_at = first_parts(faulty, EVIDENCE_OFFSETS)
        records = self._records(subject, pinned.narrowed(looked_at), asked, alone) if looked_at else ()
        # Where not all is read again, the ends of each group are known all the same.
        by_place = [bit for bit in asked.violations if bit not in alone or looked_at != faulty]
        return tuple(dict.fromkeys((*records, *self._places(pinned, found, by_place))))

    def _records(
        self, subject: Subject, narrowed: Pinned, asked: Plan, alone: Mapping[int, Condition]
    ) -> tuple[Evidence, ...]:
        """Records that break a condition by themselves, so that it can be asked again of a part of them."""
        per_partition = max(self.options.examples, CAUSE_SAMPLE // narrowed.partitions + 1)
        return evidence(self._frame(subject, narrowed, asked), alone, self.hashes, per_partition)

    def _places(self, pinned: Pinned, found: Tally, bits: Sequence[int]) -> tuple[Evidence, ...]:
        """The located records, or the ends of each group, that have one of these conditions: read one by one."""
        masks = places_of(found, bits, self.options.examples)
        frames = [self._read(pinned.narrowed(layer)) for layer in layers(masks)]
        return records_at(frames, masks) if frames else ()


def _looking_around(asked: Plan) -> list[int]:
    """The bits of violations that depend on other records."""
    return [bit for bit, each in asked.violations.items() if isinstance(each, Stateful)]


def _noted(pinned: Pinned, missing: Sequence[str]) -> Pinned:
    if not missing:
        return pinned
    said = f"the records were given without {listed([f'`{name}`' for name in missing])}: bytes count only what is there"
    return replace(pinned, notes=(*pinned.notes, said))


def unreadable(topic: Topic, reason: str) -> TopicReport:
    """Every check of the topic, not checked for the same reason."""
    results = tuple(CheckResult(each.id, "not-checked", reason=reason) for each in installed_checks())
    return TopicReport(topic.name, 0, (), results, unreadable=reason)
