"""Ctrl-C and SIGTERM at every moment of a check: it ends, the session stays usable, and no output looks complete."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Producer
from pyspark.sql import functions as F  # noqa: N812

from kafka_topology.spark_checks import FrameReader, Options, check
from kafka_topology.spark_checks.reading import interrupting
from kafka_topology.spark_checks.reading.ranges import Pinned, Range, Unreadable
from kafka_topology.spark_checks.reading.spark_errors import spark_failures
from kafka_topology.spark_checks.results.report import CheckResult, Report, TopicReport
from kafka_topology.spark_checks.rows.columns import SCHEMA
from kafka_topology.spark_checks.rows.writing import Destination, write
from kafka_topology.spark_checks.run import Interrupted
from kafka_topology.topology.model.declared import Key, Topology

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PATIENCE_S = 900.0
ENDLESS = 10**13  # rows, in as many tasks as there are cores
GROUP = "of-somebody-else"


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def usable_afterwards(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # Spark plans a query before it can be cancelled, which takes its time on a busy machine.
    monkeypatch.setattr(interrupting, "PATIENCE_S", PATIENCE_S)
    handler = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is handler
    assert spark.range(3).count() == 3


@contextmanager
def another_job(spark: SparkSession) -> Iterator[Callable[[], bool]]:
    """A job of another thread, which takes one core until the end. Gives whether it still runs."""
    failed = threading.Event()

    def work() -> None:
        spark.sparkContext.setJobGroup(GROUP, "waits")
        try:
            spark.range(0, ENDLESS, 1, 1).agg(F.max(F.hash("id"))).collect()
        except spark_failures():
            failed.set()

    thread = threading.Thread(target=work)
    thread.start()
    until(lambda: bool(spark.sparkContext.statusTracker().getJobIdsForGroup(GROUP)))
    try:
        yield lambda: not failed.is_set()
    finally:
        spark.sparkContext.cancelJobGroup(GROUP)
        thread.join()


def jobs(spark: SparkSession) -> int:
    return len(spark.sparkContext.statusTracker().getActiveJobsIds())


def until(holds: Callable[[], bool]) -> None:
    """Asked again and again, without a limit of its own."""
    waiting = threading.Event()
    while not holds():
        waiting.wait(0.02)


@contextmanager
def interrupted_when(holds: Callable[[], bool]) -> Iterator[None]:
    watcher = threading.Thread(target=lambda: (until(holds), interrupt()), daemon=True)
    watcher.start()
    yield
    watcher.join()


class Endless:
    """Rows without an end."""

    run_id = "endless"

    def refuse_others(self) -> None:
        """Nobody replaces its topic."""

    def frame(self, spark: SparkSession) -> DataFrame:
        return rows(spark, ENDLESS)


class Short(Endless):
    run_id = "short"

    def frame(self, spark: SparkSession) -> DataFrame:
        return rows(spark, 1)


def rows(spark: SparkSession, count: int) -> DataFrame:
    kinds = [column.split() for column in SCHEMA.split(", ")]
    made = {"topic": F.lit("t"), "date": F.current_date(), "offset": F.col("id"), "run_id": F.lit("short")}
    columns = [made.get(name, F.lit(None)).cast(kind).alias(name) for name, kind in kinds]
    return spark.range(count).select(*columns)


def report_with(found: Endless) -> Report:
    results = (CheckResult("nulls", "exact", violations=1, faults={"null key": 1}),)
    return Report((TopicReport("t", 1, (), results),), rows=found)


class Interrupting(Destination):
    """Interrupted before the job of the write is there to be cancelled."""

    def append(self, rows: DataFrame) -> None:
        interrupt()
        super().append(rows)


class EndlesslyCounted(Destination):
    def read(self, spark: SparkSession) -> DataFrame:
        interrupt()
        return rows(spark, ENDLESS)


def nothing_looks_complete(folder: Path) -> bool:
    return not list(folder.glob("*=*")) and not (folder / "_SUCCESS").exists()


@pytest.mark.parametrize("when", ["before", "while"])
def test_rows_that_are_being_written(spark: SparkSession, tmp_path: Path, when: str) -> None:
    folder, report = tmp_path / "rows", report_with(Endless())
    if when == "before":
        written = write(spark, report, Interrupting(str(folder)))
    else:
        with interrupted_when(lambda: any(folder.glob("_temporary/*"))):
            written = write(spark, report, Destination(str(folder)))
    assert (written.rows, written.problem) == (
        0,
        "interrupted before the rows were written: do not use rows of run endless",
    )
    assert nothing_looks_complete(folder)
    assert Report(report.topics, rows=report.rows, written=written).unchecked


def test_rows_that_are_being_counted(spark: SparkSession, tmp_path: Path) -> None:
    to = EndlesslyCounted(str(tmp_path / "rows"))
    written = write(spark, report_with(Short()), to)
    assert written.problem is not None
    assert "the rows of run short were written, but not compared with the report" in written.problem
    assert Destination(to.path).read(spark).count() == 1


def endless_records(spark: SparkSession) -> DataFrame:
    return spark.range(0, ENDLESS, 1, 1).select(
        F.col("id").cast("string").cast("binary").alias("key"),
        F.lit(b"{}").alias("value"),
        F.lit(0).alias("partition"),
        F.col("id").alias("offset"),
        F.timestamp_millis(F.lit(1_780_000_000_000)).alias("timestamp"),
        F.lit(0).alias("timestampType"),
    )


class Pinning(FrameReader):
    """Knows the offsets, which another reader of frames would look for."""

    def pin(self, topics: Sequence[str]) -> Mapping[str, Pinned | Unreadable]:
        return {topic: Pinned(topic, (Range(0, 0, ENDLESS),)) for topic in topics}


@pytest.mark.parametrize("when", ["before", "while"])
def test_records_that_are_being_read(spark: SparkSession, declare: Callable[..., Topology], when: str) -> None:
    """In a session of the caller, whose other jobs go on."""
    declared = declare("endless", 1, key=Key("uuid"))
    reader = Pinning({"endless": endless_records(spark)}, {"endless": 1})
    with another_job(spark) as goes_on:
        if when == "before":
            with pytest.raises(Interrupted) as raised:
                check(spark, declared, reader=reader, options=Options(progress=lambda _: interrupt()))
        else:
            with interrupted_when(lambda: jobs(spark) > 1), pytest.raises(Interrupted) as raised:
                check(spark, declared, reader=reader)
        assert goes_on()
    (topic,) = raised.value.report.topics
    assert (topic.unreadable, raised.value.report.complete) == ("interrupted", False)
    assert raised.value.report.violations(spark).count() == 0


def test_offsets_that_are_being_looked_for(spark: SparkSession, declare: Callable[..., Topology]) -> None:
    reader = FrameReader({"endless": endless_records(spark)}, {"endless": 1})
    with interrupted_when(lambda: jobs(spark) > 0), pytest.raises(KeyboardInterrupt):
        check(spark, declare("endless", 1, key=Key("uuid")), reader=reader)


# As the command, but it gets the signal as soon as the moment has come, and what it then does has no end.
PROGRAM = """
import os, signal, sys
from kafka_topology.spark_checks.reading import interrupting
from kafka_topology.spark_checks.rows.writing import Destination
moment, number = sys.argv.pop(1), int(sys.argv.pop(1))
original = getattr(Destination, moment)
interrupting.PATIENCE_S = 900.0

def endless(self, given):
    os.kill(os.getpid(), number)
    if moment == "append":
        spark = given.sparkSession
        return original(self, given.crossJoin(spark.range(10**13).select()))
    return original(self, given).crossJoin(given.range(10**13).select())

setattr(Destination, moment, endless)
from kafka_topology.cli.main import main
main()
"""


SAID = {
    "append": "interrupted before the rows were written: do not use rows of run",
    "read": "were written, but not compared with the report",
}


@pytest.mark.parametrize(("moment", "number"), [("append", signal.SIGTERM), ("read", signal.SIGINT)])
def test_the_command_ends(
    bootstrap: str, create_topic: Callable[..., str], tmp_path: Path, moment: str, number: int
) -> None:
    name, path, folder, state = create_topic(1), tmp_path / "topology.yaml", tmp_path / "rows", tmp_path / "state.json"
    path.write_text(f"version: 1\ntopics:\n  {name}: {{partitions: 1, replication: 1, key: {{type: uuid}}}}\n")
    producer = Producer({"bootstrap.servers": bootstrap})
    for each in range(10):
        producer.produce(name, b"{}", b"wrong-%d" % each)
    assert producer.flush(60) == 0
    arguments: list[Any] = ["check", path, "--bootstrap", bootstrap, "--violations", folder, "--incremental", state]
    command = [sys.executable, "-c", PROGRAM, moment, str(int(number)), *map(str, arguments), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    report = json.loads(done.stdout)
    assert SAID[moment] in report["violationRows"]["problem"]
    assert report["topics"][0]["records"] == 10
    assert nothing_looks_complete(folder) is (moment == "append")
    assert not state.exists()
