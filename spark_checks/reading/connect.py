"""A session on a Spark Connect server. The server reads Kafka, so it needs the connector."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from .spark_errors import SparkUnavailable, connector_package, in_one_line, refuse_silence, shown, spark_failures

DEFAULT_PORT = 15002
_EXTRA = "pip install 'kafka-topology[spark-connect]'"


def connect(url: str, *, jars: Sequence[Path] | None, settings: Mapping[str, str] | None) -> SparkSession:
    # The client of Spark Connect would try for minutes.
    refuse_silence("Spark Connect", shown(url), DEFAULT_PORT)
    builder = SparkSession.builder.remote(url)
    for name, value in {"spark.sql.session.timeZone": "UTC", **(settings or {})}.items():
        builder = builder.config(name, value)
    try:
        with warnings.catch_warnings(record=True) as refused:
            session = builder.getOrCreate()
        version = session.version
    except ImportError as error:
        raise SparkUnavailable(f"Spark Connect needs more packages ({error}): {_EXTRA}") from None
    except spark_failures() as error:
        raise SparkUnavailable(f"no Spark Connect session at {shown(url)} ({in_one_line(error)})") from None
    if refused:  # the client only warns of a setting that the server does not take
        session.stop()
        reason = str(refused[0].message).strip().split("\n", 1)[0]
        raise SparkUnavailable(f"no Spark Connect session at {shown(url)} as wanted ({reason})")
    _give_connector(session, jars, url, version)
    return session


def _give_connector(session: SparkSession, jars: Sequence[Path] | None, url: str, version: str) -> None:
    """The server's own connector, or ours as artifacts of the session."""
    if _reads_kafka(session):
        return
    try:
        if jars:
            session.addArtifacts(*(str(jar) for jar in jars))
    except spark_failures():
        pass  # said below
    if not _reads_kafka(session):
        session.stop()
        raise SparkUnavailable(
            f"the Spark Connect server at {shown(url)} has no Kafka connector:"
            f" start it with --packages {connector_package(version)}"
        )


def _reads_kafka(session: SparkSession) -> bool:
    options = {"kafka.bootstrap.servers": "localhost:9", "subscribe": "none"}
    try:
        return bool(session.read.format("kafka").options(**options).load().columns)
    except PySparkException as error:
        if "Failed to find data source" in str(error):  # said for Kafka without a condition of its own
            return False
        raise SparkUnavailable(f"Spark Connect: {in_one_line(error)}") from None
