"""Why Spark did not start: the Java and the Spark that were tried, before anything else is blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from kafka_topology.spark_checks.reading.not_started import why_not_started
from kafka_topology.spark_checks.reading.session import start
from kafka_topology.spark_checks.reading.spark_errors import SparkUnavailable

UNRESOLVED = ":: UNRESOLVED DEPENDENCIES ::"


def java(home: Path, version: str) -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\necho \'openjdk version "{version}"\' >&2\n[ "$1" = -version ]\n')
    program.chmod(0o755)
    return program


def spark(home: Path, version: str) -> Path:
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "spark-submit").touch()
    (home / "jars").mkdir()
    (home / "jars" / f"spark-core_2.13-{version}.jar").touch()
    return home


def said(environ: dict[str, str], log: str = "", *, fetches: bool = False) -> str:
    return why_not_started("4.0.0", environ, log, fetches=fetches)


def test_java(tmp_path: Path) -> None:
    old, good = java(tmp_path / "old", "1.8.0_412"), java(tmp_path / "good", "21.0.2")
    none = {"PATH": str(tmp_path)}
    assert "no java on PATH, and JAVA_HOME is not set; Spark 4 needs Java 17 or 21" in said(none)
    assert f"JAVA_HOME is {tmp_path}, and there is no bin/java in it" in said({"JAVA_HOME": str(tmp_path)})
    assert f"{old} is Java 8; Spark 4 needs Java 17 or 21" in said({"PATH": str(old.parent)})
    # As Spark does: JAVA_HOME counts, whatever is on PATH.
    assert "is Java 8" in said({"PATH": str(good.parent), "JAVA_HOME": str(tmp_path / "old")})
    assert said({"PATH": str(good.parent)}) == ""


def test_spark_home(tmp_path: Path) -> None:
    good = {"PATH": str(java(tmp_path / "java", "17.0.15").parent)}
    assert f"SPARK_HOME is {tmp_path}, and there is no bin/spark-submit in it" in said(
        good | {"SPARK_HOME": str(tmp_path)}
    )
    other = spark(tmp_path / "other", "3.5.1")
    assert "which is Spark 3.5.1, but pyspark is 4.0.0" in said(good | {"SPARK_HOME": str(other)})
    assert said(good | {"SPARK_HOME": str(spark(tmp_path / "same", "4.0.0"))}) == ""


def test_the_connector_is_blamed_only_if_it_was_fetched_in_vain(tmp_path: Path) -> None:
    good = {"PATH": str(java(tmp_path / "java", "17.0.15").parent)}
    assert "could not fetch org.apache.spark:spark-sql-kafka" in said(good, UNRESOLVED, fetches=True)
    assert said(good, UNRESOLVED) == said(good, fetches=True) == ""
    assert "is Java 11" in said({"PATH": str(java(tmp_path / "old", "11.0.2").parent)}, UNRESOLVED, fetches=True)


@pytest.mark.parametrize("name", ["JAVA_HOME", "SPARK_HOME"])
def test_a_session_names_the_wrong_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, str(tmp_path / "nowhere"))
    with pytest.raises(SparkUnavailable) as error:
        start(cached=[tmp_path / "connector.jar"], log_file=tmp_path / "spark.log")
    assert f"{name} is {tmp_path / 'nowhere'}" in str(error.value)
    assert "spark-sql-kafka" not in str(error.value)
