"""Violations in a data set: appended as a whole, counted, and nothing of others overwritten."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient
from delivering import SureProducer
from planted_formats import write_files, write_records
from pyspark.sql import functions as F  # noqa: N812
from spark_places import ConnectServer

from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.reading.reader import FrameReader
from kafka_topology.spark_checks.results.report import Report
from kafka_topology.spark_checks.rows.columns import NAMES, SCHEMA
from kafka_topology.spark_checks.rows.frame import ReportRows
from kafka_topology.spark_checks.rows.writing import Destination, UnusableDestination, write
from kafka_topology.topology import load
from kafka_topology.topology.model.declared import Key, Topology

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PATIENCE_S = 900.0


@pytest.fixture(scope="module")
def files(bootstrap: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A topology with violations in many formats."""
    name = f"written.{os.getpid()}"
    path = write_files(tmp_path_factory.mktemp("written") / "files", name)
    write_records(bootstrap, name)
    return path


@pytest.fixture(scope="module")
def question(bootstrap: str, files: Path) -> tuple[str | Path, ...]:
    return files, "--bootstrap", bootstrap, "--format", "json"


@pytest.fixture(scope="module")
def report(spark: SparkSession, bootstrap: str, files: Path) -> Report:
    topology = load(files).topology
    assert topology is not None
    return check(spark, topology, bootstrap_servers=bootstrap)


@pytest.fixture(scope="module")
def expected(spark: SparkSession, report: Report) -> set[tuple[Any, ...]]:
    return as_set(report.violations(spark))


def as_set(frame: DataFrame) -> set[tuple[Any, ...]]:
    """All but the id of the run."""
    rows = frame.select(*NAMES[1:]).collect()
    found = {tuple(tuple(value) if isinstance(value, list) else value for value in row) for row in rows}
    assert len(found) == len(rows)
    return found


# Names that a folder would turn into a number, a date or null.
@pytest.fixture(scope="module", params=["007", "2026-05-28", "__HIVE_DEFAULT_PARTITION__"])
def of_a_table(spark: SparkSession, declare: Callable[..., Topology], request: pytest.FixtureRequest) -> Report:
    """Records of three days: half of them have no uuid, and one has no key."""
    name = request.param
    day = 24 * 60 * 60 * 1000
    wrong = F.when(F.col("id") % 2 == 0, F.expr("uuid()")).otherwise(F.concat(F.lit("wrong-"), "id"))
    frame = spark.range(0, 30, 1, 1).select(
        F.when(F.col("id") != 7, wrong).cast("binary").alias("key"),
        F.lit(b"{}").alias("value"),
        F.lit(0).alias("partition"),
        F.col("id").alias("offset"),
        F.timestamp_millis(F.lit(1_780_000_000_000) + F.col("id") % 3 * day).alias("timestamp"),
        F.lit(0).alias("timestampType"),
    )
    declared = declare(name, 1, key=Key("uuid", nulls="forbidden"))
    return check(spark, declared, reader=FrameReader({name: frame}, {name: 1}))


@pytest.mark.parametrize("form", ["parquet", "json"])
def test_rows_are_read_back_and_added_to(spark: SparkSession, of_a_table: Report, tmp_path: Path, form: str) -> None:
    to = Destination(str(tmp_path / "rows"), form)
    expected = as_set(of_a_table.violations(spark))
    assert (len(expected), of_a_table.violation_count) == (15, 15)
    assert isinstance(of_a_table.rows, ReportRows)
    for number, run_id in enumerate(("first", "second"), start=1):
        to.refuse_if_unusable(spark)
        written = write(spark, replace(of_a_table, rows=replace(of_a_table.rows, run_id=run_id)), to)
        assert (written.problem, written.rows, written.run_id) == (None, 15, run_id)
        assert to.read(spark).count() == 15 * number
        assert as_set(to.read(spark).where(F.col("run_id") == run_id)) == expected
    folders = {each.relative_to(to.path).parent.as_posix() for each in Path(to.path).glob("date=*/*")}
    assert folders == {f"date=2026-05-{day}" for day in (28, 29, 30)}
    # A reader that knows no schema gets the name as it is.
    plain = spark.read.format(form).load(to.path).select("topic").distinct().collect()
    assert [row[0] for row in plain] == [topic.topic for topic in of_a_table.topics]
    with pytest.raises(
        UnusableDestination, match=r"\(it holds files of another format\): give a new folder, or one that"
    ):
        Destination(to.path, "json" if form == "parquet" else "parquet").refuse_if_unusable(spark)


def test_what_is_not_such_a_data_set_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(3).write.parquet(str(tmp_path / "other"))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "empty").mkdir()
    for name, form, said in (
        ("other", "parquet", r"holds something else \(id\)"),
        ("notes", "parquet", "cannot be read as parquet"),
        ("notes", "json", "cannot be read as json"),
        ("file", "parquet", "cannot be read as parquet"),
        ("new", "nosuch", "this Spark has no format nosuch: use parquet or json"),
        ("new", "delta", "this Spark has no format delta"),
        ("a.table", "iceberg", "this Spark has no format iceberg"),
    ):
        with pytest.raises(UnusableDestination, match=said):
            Destination(str(tmp_path / name), form).refuse_if_unusable(spark)
    for name in ("empty", "new"):
        Destination(str(tmp_path / name)).refuse_if_unusable(spark)
    assert (tmp_path / "notes" / "a.txt").read_text() == "mine"
    assert not (tmp_path / "new").exists()


def test_records_that_are_gone_are_missed(
    spark: SparkSession,
    bootstrap: str,
    declare: Callable[..., Topology],
    create_topic: Callable[..., str],
    tmp_path: Path,
) -> None:
    name = create_topic(1)
    producer = SureProducer({"bootstrap.servers": bootstrap})
    for number in range(10):
        producer.produce(name, b"", b"wrong-%d" % number)
    producer.flush(60)
    report = check(spark, declare(name, 1, key=Key("uuid")), bootstrap_servers=bootstrap)
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for deleted in admin.delete_records([TopicPartition(name, 0, 4)]).values():
        deleted.result(60)
    written = write(spark, report, Destination(str(tmp_path / "rows")))
    assert written.rows == 6
    assert written.problem is not None
    assert f"{name} key-type: 6 rows with 6 faults, the report counts 10 with 10" in written.problem
    assert "check again" in written.problem


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    program = "from kafka_topology.cli.main import main; main()"
    command = [sys.executable, "-c", program, "check", *map(str, arguments)]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    return subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False, env=environment)


def test_the_command_writes_the_same_rows(
    spark: SparkSession, question: tuple[str | Path, ...], expected: set[tuple[Any, ...]], tmp_path: Path
) -> None:
    state = tmp_path / "state.json"
    done = run(*question, "--violations", tmp_path / "rows", "--incremental", state)
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)["violationRows"]
    assert (told["rows"], told["problem"], told["path"]) == (len(expected), None, str(tmp_path / "rows"))
    assert as_set(spark.read.schema(SCHEMA).parquet(told["path"]).where(F.col("run_id") == told["runId"])) == expected
    # Nothing is new, so nothing is added, and the text says so.
    done = run(*question[:3], "--violations", tmp_path / "rows", "--incremental", state)
    assert done.returncode == 0, done.stderr
    assert "No violations, so nothing was written to" in " ".join(done.stdout.split())
    assert spark.read.parquet(told["path"]).count() == len(expected)


def test_a_connect_server_writes_the_same_rows(
    spark: SparkSession,
    connect: ConnectServer,
    question: tuple[str | Path, ...],
    expected: set[tuple[Any, ...]],
    tmp_path: Path,
) -> None:
    there = tmp_path / "there"
    done = run(*question, "--remote", connect.address, "--violations", there, "--violations-format", "json")
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["violationRows"]["rows"] == len(expected)
    assert as_set(spark.read.schema(SCHEMA).json(str(there))) == expected
    done = run(*question, "--remote", connect.address, "--violations", there, "--violations-format", "nosuch")
    assert done.returncode == 2, done.stderr
    assert "this Spark has no format nosuch" in done.stderr
    assert "Reading" not in done.stderr
