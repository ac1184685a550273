"""The same answers by a small jar of ours: one pass over the rows, without a shuffle.

The jar holds a Spark data source that gives what is found in a query instead of its rows, so it runs on sessions of
every kind: local, a cluster's, a notebook's, Spark Connect. It gives the answers of the pure engine, which takes over
where this one cannot run or must not judge the rows it is given.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812

from ..conditions.record import Condition, KeyQuestion, Misplaced, MisplacedByTable
from ..conditions.tables import ExpressionTable
from ..reading.ranges import Range
from ..results.evidence import Evidence
from ..results.scan import HOT_KEYS, NOTHING, Group, HotKey, Tally, Wanted
from .columns.conditions import Hashes, mask
from .columns.fields import with_fields
from .compiled_spec import Spec, keys_json, spec_of
from .given_jar import load_source, takes_jar
from .pure import PureEngine, left_out, placed_column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_NUMBERS = {"partition": "int", "offset": "bigint", "timestamp": "timestamp", "timestampType": "int"}
_KAFKA = frozenset({"key", "value", "topic", *_NUMBERS})
_MOST_KEYS = 2**31 - 1  # in memory at once; the heap is the limit that is met before


def compiled_engine(spark: SparkSession, hashes: Hashes, *, most_keys: int = _MOST_KEYS) -> CompiledEngine | None:
    """None where the jar was not built, or where the session cannot run it."""
    return CompiledEngine(hashes, most_keys) if takes_jar(spark) else None


class CompiledEngine:
    def __init__(self, hashes: Hashes, most_keys: int) -> None:
        self._hashes = hashes
        self._most_keys = most_keys

    def tally(
        self, frame: DataFrame, conditions: Sequence[Condition], *, hot_keys: bool, wanted: Wanted = NOTHING
    ) -> Tally:
        """Each partition must be in one task, by ascending offset, as the Kafka source gives them.

        Other frames are left to the pure engine, as are values that are neither bytes nor text.
        """
        if not _is_readable(frame):
            return self._pure(frame, conditions, hot_keys=hot_keys, wanted=wanted)
        spec = spec_of(conditions)
        asked = spec.to_json(most_keys=self._most_keys, hot_keys=HOT_KEYS if hot_keys else 0, wanted=wanted)
        answers = _answers(self._selected(frame, conditions, spec), asked)
        if _is_refused(answers):
            return self._pure(frame, conditions, hot_keys=hot_keys, wanted=wanted)
        return merged(answers)

    def seeks(self, conditions: Sequence[Condition]) -> bool:
        """Whether it answers these of the blocks of a sample, without reading what lies between them."""
        return not spec_of(conditions).left

    def tally_blocks(
        self,
        frame: DataFrame,
        blocks: Sequence[Range],
        conditions: Sequence[Condition],
        *,
        hot_keys: bool,
        wanted: Wanted = NOTHING,
    ) -> Tally | None:
        """The tally of these blocks of a frame from `KafkaReader.read_around`; None where only others can judge."""
        if not _is_bare(frame) or not self.seeks(conditions):
            return None
        hottest = HOT_KEYS if hot_keys else 0
        spec = spec_of(conditions)
        asked = spec.to_json(most_keys=self._most_keys, hot_keys=hottest, wanted=wanted, blocks=blocks)
        answers = _answers(frame, asked)
        return None if _is_refused(answers) else replace(merged(answers), compiled=False)

    def records(
        self,
        frame: DataFrame,
        conditions: Sequence[Condition],
        placed: Misplaced | MisplacedByTable | None = None,
    ) -> DataFrame:
        """As `PureEngine.records`. A job that reads the rows fails where the engine must not judge a record."""
        spec = spec_of(conditions)
        every = Wanted((1 << len(conditions)) - 1)
        placing = placed if isinstance(placed, Misplaced) else None
        asked = spec.to_json(most_keys=self._most_keys, hot_keys=0, wanted=every, placing=placing)
        table = placed if isinstance(placed, MisplacedByTable) else None
        return _given("records", self._selected(frame, conditions, spec, table), asked)

    def keys(self, frame: DataFrame, question: KeyQuestion, views: ExitStack | None = None) -> DataFrame:
        if not _is_bare(frame) or isinstance(question.open_to, ExpressionTable):
            prepared = left_out(question).cast("bigint").alias("prepared")
            frame = frame.select("key", *_numbers(frame), prepared)
        # Both aggregations of `by_key` follow from one shuffle.
        return _given("keys", frame, keys_json(question), views).repartition("id")

    def _selected(
        self, frame: DataFrame, conditions: Sequence[Condition], spec: Spec, table: MisplacedByTable | None = None
    ) -> DataFrame:
        """The frame as it is, if nothing must be computed before: then its rows need not be copied."""
        if _is_bare(frame) and not spec.left and table is None:
            return frame
        made = [mask(conditions, self._hashes, spec.left.__contains__).alias("prepared")] if spec.left else []
        if table is not None:
            made.append(placed_column(table, self._hashes).alias("expected_partition"))
        return with_fields(frame, spec.left).select("key", "value", *_numbers(frame), *made)

    def _pure(self, frame: DataFrame, conditions: Sequence[Condition], *, hot_keys: bool, wanted: Wanted) -> Tally:
        return PureEngine(self._hashes).tally(frame, conditions, hot_keys=hot_keys, wanted=wanted)


def records_read(spark: SparkSession) -> int | None:
    """How many records scans have read so far in this very process, for a progress bar; None where nobody counts.

    On a cluster the records are read elsewhere, so the number does not change there.
    """
    from py4j.java_gateway import JavaClass  # type: ignore[import-untyped] # noqa: PLC0415

    try:
        context: Any = spark.sparkContext
    except PySparkException:  # Spark Connect has no SparkContext
        return None
    scan = context._jvm.kafkatopology.scan.Scan  # noqa: SLF001 - there is no public way to a class of one's own
    return int(scan.recordsRead()) if isinstance(scan, JavaClass) else None


def _numbers(frame: DataFrame) -> list[Column]:
    return [F.col(name).cast(kind).alias(name) for name, kind in _NUMBERS.items() if name in frame.columns]


def _is_bare(frame: DataFrame) -> bool:
    """Whether the frame is as the Kafka source gives it, so that its rows need not be copied."""
    kinds = dict(frame.dtypes)
    return kinds.keys() <= _KAFKA and all(kinds.get(name) == kind for name, kind in _NUMBERS.items())


def _is_readable(frame: DataFrame) -> bool:
    kinds = {name: dict(frame.dtypes).get(name) for name in ("key", "value")}
    return kinds["key"] == "binary" and kinds["value"] in {"binary", "string"}


def _given(what: str, rows: DataFrame, spec: str, views: ExitStack | None = None) -> DataFrame:
    """What the data source makes of the rows. It finds them by the name of a view: options are texts.

    Without `views` the view stays in the session, because nobody knows when the frame is read for the last time.
    """
    view = f"kafka_topology_{uuid.uuid4().hex}"
    rows.createOrReplaceTempView(view)
    if views is not None:
        views.enter_context(_dropped(rows.sparkSession, view))
    return load_source(rows.sparkSession, view=view, spec=spec, give=what)


def _answers(rows: DataFrame, spec: str) -> list[dict[str, Any]]:
    """One of each task, in no order."""
    with ExitStack() as views:
        found = _given("tally", rows, spec, views).collect()
    return [json.loads(row[0]) for row in found]


@contextmanager
def _dropped(spark: SparkSession, view: str) -> Iterator[None]:
    try:
        yield
    except Exception:
        with suppress(Exception):  # Spark may be gone
            spark.catalog.dropTempView(view)
        raise
    spark.catalog.dropTempView(view)


def _is_refused(answers: Iterable[dict[str, Any]]) -> bool:
    """Whether a task must not judge its records, or two tasks have records of one partition."""
    seen: set[int] = set()
    for answer in answers:
        own = {group[0] for group in answer.get("groups", ())}
        if "refused" in answer or own & seen:
            return True
        seen |= own
    return False


def merged(answers: Sequence[dict[str, Any]]) -> Tally:
    """The tally of a topic from the answers of its tasks."""
    hot = (
        HotKey(part, base64.b64decode(key), records) for answer in answers for part, key, records in answer["hotKeys"]
    )
    found = (_evidence(row) for answer in answers for row in answer["evidence"])
    return Tally(
        tuple(Group(*row) for answer in answers for row in answer["groups"]),
        # Each task has put its own in order; the sort keeps that.
        tuple(sorted(hot, key=lambda each: each.partition)),
        tuple(sorted(found, key=lambda each: (each.test, each.partition, each.offset))),
        compiled=True,
    )


def _evidence(row: Sequence[Any]) -> Evidence:
    test, partition, offset, timestamp_ms, key, length = row
    return Evidence(test, partition, offset, timestamp_ms, None if key is None else base64.b64decode(key), length)
