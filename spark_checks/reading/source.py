"""Which of Spark's data sources reads Kafka in a session: the connector, or our own where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONNECTOR = "kafka"
OWN = "kafkatopology.scan.TopicSource"  # the same options and columns
# Spark's default list has kafka in it: the older reader, which makes every record twice.
V2_KAFKA = {"spark.sql.sources.useV1SourceList": "avro,csv,json,orc,parquet,text"}
_SETTING = "spark.kafkaTopology.source"
_REDACTION = "spark.sql.redaction.string.regex"
_SECRETS = r'key: "kafka\.(sasl|ssl)\.[^"]*"\s*value: "(?:[^"\\]++|\\.)*+"?'


def kafka_source(spark: SparkSession) -> str:
    """The format to read Kafka with."""
    return spark.conf.get(_SETTING, CONNECTOR) or CONNECTOR


def hide_secrets(spark: SparkSession) -> None:
    """A Spark Connect server keeps the text of each request for its UI and event log, the options of readers too.

    Spark replaces what matches this setting there.
    """
    hidden = spark.conf.get(_REDACTION, "") or ""
    if _SECRETS not in hidden:
        spark.conf.set(_REDACTION, f"{hidden}|{_SECRETS}" if hidden else _SECRETS)


def use(spark: SparkSession, source: str) -> None:
    spark.conf.set(_SETTING, source)


def can_read(spark: SparkSession, source: str) -> bool:
    """Whether the session finds this source and all that it needs. Raises what else goes wrong."""
    options = {
        "kafka.bootstrap.servers": "localhost:9",
        "assign": '{"none": []}',
        "startingOffsets": "{}",
        "endingOffsets": "{}",
    }
    try:
        return bool(spark.read.format(source).options(**options).load().columns)
    except PySparkException as error:
        if "Failed to find" in str(error):  # said for Kafka without a condition of its own
            return False
        raise
