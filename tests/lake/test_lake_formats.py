"""Violations as a Delta table and as an Iceberg table: `make lake`, because the jars are large."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest
from planted_formats import violations, write_files, write_records

from kafka_topology.local import LocalCluster
from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.reading.session import start
from kafka_topology.spark_checks.results.report import Report
from kafka_topology.spark_checks.rows.columns import NAMES
from kafka_topology.toolchain import cache_root, ensure_spark
from kafka_topology.toolchain.java import find_maven
from kafka_topology.toolchain.pins import FILE, read, refuse_differing
from kafka_topology.topology import load

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

POM = Path(__file__).with_name("pom.xml")
DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


@dataclass(frozen=True, slots=True)
class Lake:
    folder: Path
    settings: dict[str, str]

    def place(self, format_: str, name: str = "violations") -> str:
        return f"lake.quality.{name}" if format_ == "iceberg" else str(self.folder / format_ / name)

    def read(self, spark: SparkSession, format_: str) -> DataFrame:
        place = self.place(format_)
        return spark.table(place) if format_ == "iceberg" else spark.read.format(format_).load(place)


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    jars = cache_root() / "lake-spark-4.0"
    if not list(jars.glob("iceberg-*.jar")):
        command = [find_maven(), "--quiet", "--strict-checksums", "--file", str(POM), "dependency:copy-dependencies"]
        subprocess.run([*command, f"-DoutputDirectory={jars}"], check=True)
    refuse_differing(jars.glob("*.jar"), read(POM.with_name(FILE).read_text())["lake"], "Delta and Iceberg")
    folder = tmp_path_factory.mktemp("lake")
    iceberg = {
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": str(folder / "warehouse"),
    }
    return Lake(folder, {"spark.jars": ",".join(map(str, sorted(jars.glob("*.jar")))), **DELTA, **iceberg})


@pytest.fixture(scope="session")
def spark(lake: Lake) -> Iterator[SparkSession]:
    settings = {**lake.settings, "spark.driver.memory": "1g"}
    jars, log = ensure_spark(pyspark.__version__), lake.folder / "spark.log"
    session = start(jars=jars, master="local[2]", settings=settings, log_file=log)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def files(kafka: LocalCluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write_files(tmp_path_factory.mktemp("files") / "files", "lake")
    write_records(kafka.bootstrap_servers, "lake")
    return path


@pytest.fixture(scope="session")
def question(kafka: LocalCluster, files: Path) -> tuple[str | Path, ...]:
    return files, "--bootstrap", kafka.bootstrap_servers


@pytest.fixture(scope="session")
def report(spark: SparkSession, kafka: LocalCluster, files: Path) -> Report:
    topology = load(files).topology
    assert topology is not None
    return check(spark, topology, bootstrap_servers=kafka.bootstrap_servers)


def run(*arguments: str | Path, settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    program = "from kafka_topology.cli.main import main; main()"
    configured = [f"--spark-config={name}={value}" for name, value in settings.items()]
    command = [sys.executable, "-c", program, "check", *map(str, arguments), *configured]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    return subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False, env=environment)


def as_rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    """All but the id of the run."""
    rows = frame.select(*NAMES[1:]).collect()
    return sorted(tuple(map(str, row)) for row in rows)


@pytest.mark.parametrize("format_", ["delta", "iceberg"])
def test_every_violation_is_a_row(
    spark: SparkSession, lake: Lake, question: tuple[str | Path, ...], report: Report, format_: str
) -> None:
    expected = as_rows(report.violations(spark))
    assert len(expected) == report.violation_count > 30
    to = ("--violations", lake.place(format_), "--violations-format", format_)
    runs = []
    for _ in range(2):  # the second one is added to the first
        done = run(*question, *to, "--format", "json", settings=lake.settings)
        assert done.returncode == 1, done.stderr
        found = json.loads(done.stdout)
        assert violations(found) >= {"placement", "key-type", "order", "headers", "value-schema"}
        assert (found["violationRows"]["rows"], found["violationRows"]["problem"]) == (len(expected), None)
        runs.append(found["violationRows"]["runId"])
        if format_ == "iceberg":
            spark.catalog.refreshTable(lake.place(format_))
        for each in runs:
            assert as_rows(lake.read(spark, format_).where(f"run_id = '{each}'")) == expected
    assert lake.read(spark, format_).count() == 2 * len(expected)


@pytest.mark.parametrize("format_", ["delta", "iceberg"])
def test_a_table_of_something_else_is_refused(
    spark: SparkSession, lake: Lake, question: tuple[str | Path, ...], format_: str
) -> None:
    place = lake.place(format_, "other")
    others = spark.range(3)
    if format_ == "iceberg":
        others.writeTo(place).using(format_).create()
    else:
        others.write.format(format_).save(place)
    done = run(*question, "--violations", place, "--violations-format", format_, settings=lake.settings)
    assert done.returncode == 2, done.stderr
    assert f"{place} holds something else (id)" in done.stderr
    assert "Traceback" not in done.stderr
