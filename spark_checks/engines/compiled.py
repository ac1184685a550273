"""The same tally by a small jar of ours: one pass over the rows, without a shuffle.

The jar holds a Spark data source that gives the tally of a query instead of its rows, so it runs on sessions of every
kind: local, a cluster's, a notebook's, Spark Connect. It gives the answers of the pure engine, which takes over where
this one cannot run or must not judge the rows it is given.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812

from ..conditions.record import Condition
from ..results.scan import HOT_KEYS, NOWHERE, Group, HotKey, Located, Overflow, Tally
from .columns.conditions import Hashes, mask
from .columns.fields import with_fields
from .compiled_spec import Spec, spec_of
from .given_jar import SOURCE, takes_jar
from .pure import PureEngine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_NUMBERS = {"partition": "int", "offset": "bigint", "timestamp": "timestamp", "timestampType": "int"}
_KAFKA = frozenset({"key", "value", "topic", *_NUMBERS})
_MOST_KEYS = 2**31 - 1  # of one partition; memory is the limit that is met before


def compiled_engine(spark: SparkSession, hashes: Hashes, *, most_keys: int = _MOST_KEYS) -> CompiledEngine | None:
    """None where the jar was not built, or where the session cannot run it."""
    return CompiledEngine(hashes, most_keys) if takes_jar(spark) else None


class CompiledEngine:
    def __init__(self, hashes: Hashes, most_keys: int) -> None:
        self._hashes = hashes
        self._most_keys = most_keys

    def tally(
        self, frame: DataFrame, conditions: Sequence[Condition], *, hot_keys: bool, located: Located = NOWHERE
    ) -> Tally | Overflow:
        """Each partition must be in one task, by ascending offset, as the Kafka source gives them.

        Other frames are left to the pure engine, as are values that are neither bytes nor text.
        """
        if not _is_readable(frame):
            return self._pure(frame, conditions, hot_keys=hot_keys, located=located)
        spec = spec_of(conditions)
        asked = spec.to_json(most_keys=self._most_keys, hot_keys=HOT_KEYS if hot_keys else 0, located=located)
        rows = frame if _is_bare(frame) and not spec.left else self._selected(frame, conditions, spec)
        answers = _answers(rows, asked)
        for answer in answers:
            if "overflow" in answer:
                return Overflow(answer["overflow"])
        if _is_refused(answers):
            return self._pure(frame, conditions, hot_keys=hot_keys, located=located)
        return _tally(answers)

    def _selected(self, frame: DataFrame, conditions: Sequence[Condition], spec: Spec) -> DataFrame:
        kept = [F.col(name).cast(kind).alias(name) for name, kind in _NUMBERS.items() if name in frame.columns]
        left = [mask(conditions, self._hashes, spec.left.__contains__).alias("prepared")] if spec.left else []
        return with_fields(frame, spec.left).select("key", "value", *kept, *left)

    def _pure(self, frame: DataFrame, conditions: Sequence[Condition], *, hot_keys: bool, located: Located) -> Tally:
        return PureEngine(self._hashes).tally(frame, conditions, hot_keys=hot_keys, located=located)


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


def _is_bare(frame: DataFrame) -> bool:
    """Whether the frame is as the Kafka source gives it, so that its rows need not be copied."""
    kinds = dict(frame.dtypes)
    return kinds.keys() <= _KAFKA and all(kinds.get(name) == kind for name, kind in _NUMBERS.items())


def _is_readable(frame: DataFrame) -> bool:
    kinds = {name: dict(frame.dtypes).get(name) for name in ("key", "value")}
    return kinds["key"] == "binary" and kinds["value"] in {"binary", "string"}


def _answers(rows: DataFrame, spec: str) -> list[dict[str, Any]]:
    """One of each task, in no order."""
    with _as_view(rows) as view:
        found = rows.sparkSession.read.format(SOURCE).options(view=view, spec=spec).load().collect()
    return [json.loads(row[0]) for row in found]


@contextmanager
def _as_view(rows: DataFrame) -> Iterator[str]:
    """The name by which the data source finds the query: options are texts.

    After Ctrl-C it stays: the answer of the interrupted call is still to come, and the next call would take it for its
    own.
    """
    name = f"kafka_topology_{uuid.uuid4().hex}"
    rows.createOrReplaceTempView(name)
    try:
        yield name
    except Exception:
        with suppress(Exception):  # Spark may be gone
            rows.sparkSession.catalog.dropTempView(name)
        raise
    rows.sparkSession.catalog.dropTempView(name)


def _is_refused(answers: Iterable[dict[str, Any]]) -> bool:
    """Whether a task must not judge its records, or two tasks have records of one partition."""
    seen: set[int] = set()
    for answer in answers:
        own = {group[0] for group in answer.get("groups", ())}
        if "refused" in answer or own & seen:
            return True
        seen |= own
    return False


def _tally(answers: Sequence[dict[str, Any]]) -> Tally:
    hot = (
        HotKey(part, base64.b64decode(key), records) for answer in answers for part, key, records in answer["hotKeys"]
    )
    return Tally(
        tuple(_group(group) for answer in answers for group in answer["groups"]),
        # Each task has put its own in order; the sort keeps that.
        tuple(sorted(hot, key=lambda each: each.partition)),
    )


def _group(row: Sequence[Any]) -> Group:
    partition, mask_, records, first, last, size, places = row
    return Group(partition, mask_, records, first, last, size, tuple(places))
