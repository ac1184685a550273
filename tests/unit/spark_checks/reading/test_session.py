"""Where the connector comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from kafka_topology.spark_checks.reading.session import connector_settings, with_settings

GIVEN, CACHED = [Path("/jars/given.jar"), Path("/jars/more.jar")], [Path("/jars/cached.jar")]


def test_given_jars_come_first() -> None:
    assert connector_settings(GIVEN, CACHED) == {"spark.jars": "/jars/given.jar,/jars/more.jar"}


def test_then_cached_jars() -> None:
    assert connector_settings(None, CACHED) == {"spark.jars": "/jars/cached.jar"}


@pytest.mark.parametrize("cached", [None, []])
def test_else_spark_fetches_the_package_of_its_own_version(cached: list[Path] | None) -> None:
    packages = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.1,org.apache.spark:spark-avro_2.13:4.0.1"
    assert connector_settings(None, cached, version="4.0.1") == {"spark.jars.packages": packages}


def test_settings_that_are_lists_are_added_to() -> None:
    ours = {"spark.jars": "ours.jar", "spark.driver.extraJavaOptions": "-Dours", "spark.ui.enabled": "false"}
    given = {
        "spark.jars": "delta.jar",
        "spark.jars.packages": "io.delta:delta",
        "spark.driver.extraJavaOptions": "-Dtheirs",
        "spark.ui.enabled": "true",
    }
    assert with_settings(ours, given) == {
        "spark.jars": "ours.jar,delta.jar",
        "spark.jars.packages": "io.delta:delta",
        "spark.driver.extraJavaOptions": "-Dours -Dtheirs",
        "spark.ui.enabled": "true",
    }
    assert with_settings({"spark.jars.packages": "kafka"}, given)["spark.jars.packages"] == "kafka,io.delta:delta"
