"""The same tally by a small jar of ours: one pass over the rows, without a shuffle.

It runs on sessions whose driver is here (local, standalone) and gives the answers of the pure engine, which takes over
where this one cannot run or must not judge the rows it is given.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812

from ..conditions.record import Condition
from ..jar import scan_jar
from ..results.scan import HOT_KEYS, NOWHERE, Group, HotKey, Located, Overflow, Tally
from .columns import Hashes, mask
from .compiled_spec import Spec, spec_of
from .fields import with_fields
from .pure import PureEngine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_NUMBERS = {"partition": "int", "offset": "bigint", "timestamp": "timestamp", "timestampType": "int"}
_KAFKA = frozenset({"key", "value", "topic", *_NUMBERS})
_MOST_KEYS = 2**31 - 1  # of one partition; memory is the limit that is met before


def compiled_engine(spark: SparkSession, hashes: Hashes, *, most_keys: int = _MOST_KEYS) -> CompiledEngine | None:
    scan = _scan_class(spark)
    return CompiledEngine(scan, hashes, most_keys) if scan is not None and _works(scan) else None


class CompiledEngine:
    def __init__(self, scan: Any, hashes: Hashes, most_keys: int) -> None:
        self._scan = scan
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
        answer = json.loads(self._scan.tally(rows._jdf, asked))  # noqa: SLF001 - the way to Java
        if "refused" in answer:
            return self._pure(frame, conditions, hot_keys=hot_keys, located=located)
        return Overflow(answer["overflow"]) if "overflow" in answer else _tally(answer)

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
    scan = _scan_class(spark)
    return None if scan is None else int(scan.recordsRead())


def _is_bare(frame: DataFrame) -> bool:
    """Whether the frame is as the Kafka source gives it, so that its rows need not be copied."""
    kinds = dict(frame.dtypes)
    return kinds.keys() <= _KAFKA and all(kinds.get(name) == kind for name, kind in _NUMBERS.items())


def _is_readable(frame: DataFrame) -> bool:
    kinds = {name: dict(frame.dtypes).get(name) for name in ("key", "value")}
    return kinds["key"] == "binary" and kinds["value"] in {"binary", "string"}


def _tally(answer: Mapping[str, Any]) -> Tally:
    hot = (HotKey(part, base64.b64decode(key), records) for part, key, records in answer["hotKeys"])
    return Tally(
        tuple(map(_group, answer["groups"])),
        # Each task has put its own in order; the sort keeps that.
        tuple(sorted(hot, key=lambda each: each.partition)),
    )


def _group(row: Sequence[Any]) -> Group:
    partition, mask_, records, first, last, size, places = row
    return Group(partition, mask_, records, first, last, size, tuple(places))


def _scan_class(spark: SparkSession) -> Any | None:
    """The jar's class, where this session can call it."""
    path = scan_jar()
    if path is None:
        return None
    try:
        context = spark.sparkContext
    except PySparkException:  # Spark Connect has no SparkContext
        return None
    if not _is_class(_named(context)):
        _add(context, path)
    found = _named(context)
    return found if _is_class(found) else None


def _named(context: Any) -> Any:
    return context._jvm.kafkatopology.scan.Scan  # noqa: SLF001 - there is no public way to a class of one's own


def _is_class(found: Any) -> bool:
    from py4j.java_gateway import JavaClass  # type: ignore[import-untyped] # noqa: PLC0415

    return isinstance(found, JavaClass)


def _add(context: Any, path: Path) -> None:
    """Gives the jar to a session that others have started, such as a notebook's, if its class loader takes it."""
    try:
        location = context._jvm.java.io.File(str(path)).toURI().toURL()  # noqa: SLF001
        context._jvm.java.lang.Thread.currentThread().getContextClassLoader().addURL(location)  # noqa: SLF001
        context._jsc.addJar(str(path))  # noqa: SLF001 - for the executors
    except Exception:  # noqa: BLE001 - whatever stands in the way, the columns give the same answers
        return


def _works(scan: Any) -> bool:
    """Whether this Spark has the internals that the jar was compiled against."""
    try:
        return bool(scan.works())
    except Exception:  # noqa: BLE001 - as above
        return False
