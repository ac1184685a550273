"""An expression from a stranger: what it could do in Spark, and that a check does not let it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from planted import result

from kafka_topology.spark_checks import Options, check
from kafka_topology.spark_checks.reading.reader import FrameReader
from kafka_topology.spark_checks.results.report import Report
from kafka_topology.topology.model.declared import Key, Partitioner, Topology

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Declare = Callable[..., Topology]
COLUMNS = "key binary, value binary, partition int, offset long, timestamp timestamp, timestampType int"
SECRET = "a-secret-of-the-machine"

# Each gives a whole number, so Spark would run it on every record.
READS_A_FILE = "(SELECT count(*) FROM text.`{file}` WHERE value LIKE 'a-secret%')"
READS_THE_ENVIRONMENT = "length(reflect('java.lang.System', 'getenv', 'HOME'))"
SUBSTITUTES_THE_ENVIRONMENT = "length('${env:HOME}')"
LOADS_NATIVE_CODE = "length(java_method('java.lang.System', 'load', '{file}'))"
FAILS_WITH_A_FILE = "(SELECT max(cast(raise_error(value) AS int)) FROM text.`{file}`)"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text(SECRET, encoding="utf-8")
    return path


def checked(spark: SparkSession, declare: Declare, expression: str, **options: Any) -> tuple[Report, list[str]]:
    rows = [(b"foobar", b"{}", 0, 0, datetime(2026, 1, 1, tzinfo=UTC), 0)]
    reader = FrameReader({"t": spark.createDataFrame(rows, COLUMNS)}, {"t": 3})
    topology = declare("t", 3, key=Key("string", partitioner=Partitioner("custom", expression=expression)))
    told: list[str] = []
    asked = replace(Options(tell=told.append), **options)
    return check(spark, topology, reader=reader, options=asked), told


@pytest.mark.parametrize(
    "expression",
    [READS_A_FILE, READS_THE_ENVIRONMENT, SUBSTITUTES_THE_ENVIRONMENT, LOADS_NATIVE_CODE, FAILS_WITH_A_FILE],
)
def test_it_is_not_run(spark: SparkSession, declare: Declare, file: Path, expression: str) -> None:
    report, told = checked(spark, declare, expression.replace("{file}", str(file)))
    placement = result(report.topics[0], "placement")
    assert placement.status == "not-checked"
    assert placement.reason.startswith("the expression is not run: ")
    assert report.unchecked
    assert told == []
    assert SECRET not in str(report.to_json())


def test_the_attacks_work_where_they_are_allowed(spark: SparkSession, declare: Declare, file: Path) -> None:
    """Otherwise the test above would prove nothing."""
    for expression, gives in (
        (READS_A_FILE, 1),
        (READS_THE_ENVIRONMENT, len(os.environ["HOME"])),
        (SUBSTITUTES_THE_ENVIRONMENT, len(os.environ["HOME"])),
    ):
        zero = f"({expression.replace('{file}', str(file))}) - {gives}"
        report, _ = checked(spark, declare, zero, any_expression=True)
        placement = result(report.topics[0], "placement")
        assert (placement.status, placement.violations) == ("exact", 0), expression


def test_what_a_failing_expression_read_is_not_in_the_report(spark: SparkSession, declare: Declare, file: Path) -> None:
    for expression in (FAILS_WITH_A_FILE, LOADS_NATIVE_CODE):
        report, told = checked(spark, declare, expression.replace("{file}", str(file)), any_expression=True)
        reason = result(report.topics[0], "placement").reason
        assert reason.startswith(("the expression fails: ", "Spark cannot use the expression: "))
        assert SECRET not in str(report.to_json())
        assert str(file) not in str(report.to_json())
        assert told
