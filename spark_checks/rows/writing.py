"""Writes the violations of a report as a data set: appended as a whole, then counted against the report."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812

from kafka_topology.cluster.outcomes import ClusterUnreachableError
from kafka_topology.topology.model.words import counted

from ..reading.interrupting import StillRunning, interruptibly
from ..reading.offsets import TopicReplaced
from ..reading.spark_errors import in_one_line, spark_failures
from ..results.report import Report
from ..results.written import Written
from .columns import NAMES, SCHEMA

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PARQUET: Final = "parquet"
# Not by topic: readers take the folder `topic=007` for a number, and `topic=__HIVE_DEFAULT_PARTITION__` for null.
_PARTITIONS: Final = ("date",)
_FILES: Final = frozenset({PARQUET, "json", "orc", "avro"})  # formats that take a schema to read with
_TABLES: Final = frozenset({"iceberg"})  # formats whose place is the name of a table
_UNKNOWN: Final = frozenset({"DATA_SOURCE_NOT_FOUND", "AVRO_NOT_LOADED_SQL_FUNCTIONS_UNUSABLE"})
_ABSENT: Final = ("NOT_FOUND", "DOES_NOT_EXIST", "UNABLE_TO_INFER_SCHEMA")  # the last: a folder without data
_OTHER_FILES: Final = ("CANNOT_READ", "FAILED_READ_FILE", "MALFORMED")
_CORRUPT: Final = "_corrupt_record"  # Spark's column for what is no JSON


class UnusableDestination(ValueError):
    """Rows cannot be written there; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Destination:
    """`path` is as Spark's machines see it: a folder, an address of theirs, or the name of a table."""

    path: str
    format: str = PARQUET

    def refuse_if_unusable(self, spark: SparkSession) -> None:
        """Asked before a record is read. Raises `UnusableDestination` unless it is new or holds rows of checks."""
        try:
            columns = set(interruptibly(spark, lambda: self._read(spark).columns))
        except spark_failures() as error:
            condition = _condition(error)
            if condition in _UNKNOWN or "Failed to find" in str(error):
                raise UnusableDestination(
                    f"this Spark has no format {self.format}: use parquet or json, or give Spark the package of the"
                    " format, for example with --spark-config spark.jars.packages=…"
                ) from None
            if condition.endswith(_ABSENT):
                return
            why = in_one_line(error)
            if condition.startswith(_OTHER_FILES) or "not a Parquet file" in why:
                why = "it holds files of another format"
            raise UnusableDestination(f"{self.path} cannot be read as {self.format} ({why}): {_FIX}") from None
        if _CORRUPT in columns:
            raise UnusableDestination(
                f"{self.path} cannot be read as {self.format} (it holds files of another format): {_FIX}"
            )
        if columns != set(NAMES):
            found = ", ".join(sorted(columns)) or "no columns"
            raise UnusableDestination(f"{self.path} holds something else ({found}): {_FIX}")

    def append(self, rows: DataFrame) -> None:
        """One job: either all rows are added, or none."""
        if self.format in _TABLES:
            writer = rows.writeTo(self.path)
            if rows.sparkSession.catalog.tableExists(self.path):
                writer.append()
            else:
                writer.using(self.format).partitionedBy(*(F.col(name) for name in _PARTITIONS)).create()
            return
        # Without nulls a reader of JSON would not know all columns.
        options = {"ignoreNullFields": "false"} if self.format == "json" else {}
        rows.write.format(self.format).options(**options).mode("append").partitionBy(*_PARTITIONS).save(self.path)

    def read(self, spark: SparkSession) -> DataFrame:
        """All rows, also those of other runs."""
        return self._read(spark, SCHEMA if self.format in _FILES else None)

    def _read(self, spark: SparkSession, schema: str | None = None) -> DataFrame:
        if self.format in _TABLES:
            # Asked by the format first, which says whether the session has it.
            spark.read.format(self.format).load(self.path).schema  # noqa: B018 - Spark looks at it here
            return spark.table(self.path)
        reader = spark.read.format(self.format)
        return (reader if schema is None else reader.schema(schema)).load(self.path)


_FIX: Final = "give a new folder, or one that a check wrote in this format"


def write(spark: SparkSession, report: Report, to: Destination) -> Written:
    """Where the rows are, and whether all of them are. Without violations nothing is written."""
    run_id = "" if report.rows is None else report.rows.run_id
    written = Written(to.path, to.format, run_id, 0)
    if not report.complete:
        return _with(written, 0, "the check was interrupted, so nothing was written")
    if not report.violation_count:
        return written
    appended = threading.Event()

    def append_and_count() -> Written:
        to.append(report.violations(spark))
        appended.set()
        if report.rows is not None:
            report.rows.refuse_others()
        return _counted(spark, report, to, written)

    try:
        return interruptibly(spark, append_and_count)
    except KeyboardInterrupt as interruption:
        running = isinstance(interruption, StillRunning)
        return _with(written, 0, _interrupted(run_id, appended=appended.is_set(), running=running))
    except (TopicReplaced, ClusterUnreachableError) as error:
        said = f": do not use rows of run {run_id}" if appended.is_set() else ", so nothing was written"
        return _with(written, 0, f"{error}{said}")
    except spark_failures() as error:
        return _with(written, 0, f"Spark could not write them: {in_one_line(error)}")


def _interrupted(run_id: str, *, appended: bool, running: bool) -> str:
    if appended:
        return f"interrupted: the rows of run {run_id} were written, but not compared with the report; check again"
    if running:
        return f"interrupted, but Spark did not stop: rows of run {run_id} may still be added, do not use them"
    return f"interrupted before the rows were written: do not use rows of run {run_id}"


def _with(written: Written, rows: int, problem: str | None) -> Written:
    return Written(written.path, written.format, written.run_id, rows, problem)


def _counted(spark: SparkSession, report: Report, to: Destination, written: Written) -> Written:
    """Reads the rows of this run back, by topic and check."""
    wanted = {
        (topic.topic, each.check): (each.violations, sum(each.faults.values()))
        for topic in report.topics
        for each in topic.results
        if each.violations
    }
    own = to.read(spark).where(
        F.col("topic").isin(*{topic for topic, _ in wanted}) & (F.col("run_id") == written.run_id)
    )
    counts = own.groupBy("topic", "check").agg(F.count("*"), F.sum(F.size("faults"))).collect()
    found = {(row[0], row[1]): (row[2], row[3]) for row in counts}
    lost = "; ".join(_differences(wanted, found))
    problem = f"{lost}: records were deleted or compacted after they were counted; check again" if lost else None
    return _with(written, sum(rows for rows, _ in found.values()), problem)


def _differences(
    wanted: dict[tuple[str, str], tuple[int, int]], found: dict[tuple[str, str], tuple[int, int]]
) -> Iterator[str]:
    for topic, check in sorted(wanted.keys() | found.keys()):
        expected, there = wanted.get((topic, check), (0, 0)), found.get((topic, check), (0, 0))
        if expected != there:
            rows = f"{counted(there[0], 'row')} with {counted(there[1], 'fault')}"
            yield f"{topic} {check}: {rows}, the report counts {expected[0]:,} with {expected[1]:,}"


def _condition(error: Exception) -> str:
    return (error.getCondition() or "").split(".")[0] if isinstance(error, PySparkException) else ""
