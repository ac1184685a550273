"""The same tally by a small jar of ours: one pass over the rows, without a shuffle.

It runs on sessions whose driver is here (local, standalone) and gives the answers of the SQL columns. Where it cannot
run, or must not judge the rows it is given, it gives None, and the caller uses the columns instead.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812

from .columns import Hashes, mask
from .compiled_spec import spec_of
from .conditions import RowTest
from .scan import HOT_KEY_RECORDS, HOT_KEYS, Group, HotKey, Tally

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_JAR = "kafka-topology-scan.jar"
MOST_KEYS = 2**31 - 1  # of one partition; memory is the limit that is met


@dataclass(frozen=True, slots=True)
class Overflow:
    """A partition has more distinct keys than fit into memory. The columns can do it: they spill to disk."""

    reason: str


def jar() -> Path | None:
    """The jar that `make setup` builds. Without it everything works, slower."""
    found = Path(__file__).resolve().with_name(_JAR)  # linked file by file, only the source folder surely has it
    return found if found.exists() else None


def tally(
    spark: SparkSession,
    frame: DataFrame,
    tests: Sequence[RowTest],
    hashes: Hashes,
    *,
    most_keys: int = MOST_KEYS,
) -> Tally | Overflow | None:
    """The frame must hold each partition in one task, by ascending offset, as the Kafka source does."""
    spec = spec_of(tests, frame.columns)
    described = spec.to_json(most_keys=most_keys, most_hot_keys=HOT_KEYS, hot_key_records=HOT_KEY_RECORDS)
    scan = _scan_class(spark)
    if scan is None or not _works(scan, described):
        return None
    rows = frame.select(
        F.col("key"),
        F.col("value"),
        F.col("partition").cast("int"),
        F.col("offset").cast("bigint"),
        F.col("timestamp").cast("timestamp"),
        F.col("timestampType").cast("int") if "timestampType" in frame.columns else F.lit(0),
        mask(tests, hashes, spec.left) if spec.left else F.lit(0).cast("bigint"),
    )
    return _read(json.loads(scan.tally(rows._jdf, described)))  # noqa: SLF001 - the way from a frame to Java


def records_read(spark: SparkSession) -> int | None:
    """How many records scans have read so far in this very process, for a progress bar; None where nobody counts.

    On a cluster the records are read elsewhere, so the number does not change there.
    """
    scan = _scan_class(spark)
    return None if scan is None else int(scan.recordsRead())


def _read(answer: dict[str, Any]) -> Tally | Overflow | None:
    if "overflow" in answer:
        return Overflow(answer["overflow"])
    if "refused" in answer:
        return None
    return Tally(
        tuple(Group(*group) for group in sorted(answer["groups"])),
        # Each task has put its own in order; tasks end in any.
        tuple(HotKey(part, base64.b64decode(key), count) for part, key, count in sorted(answer["hotKeys"], key=_part)),
    )


def _part(hot_key: Sequence[Any]) -> int:
    return int(hot_key[0])


def _scan_class(spark: SparkSession) -> Any | None:
    """The jar's class, where this session can call it."""
    path = jar()
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


def _works(scan: Any, described: str) -> bool:
    """Whether this Spark has the internals that the jar was compiled against."""
    try:
        return bool(scan.works(described))
    except Exception:  # noqa: BLE001 - as above
        return False
