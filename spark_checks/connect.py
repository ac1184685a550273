"""A session on a Spark Connect server. The server reads Kafka, so it needs the connector."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from .spark_errors import SparkUnavailable, connector_package, in_one_line, spark_failures

DEFAULT_PORT = 15002
_PATIENCE_S = 10.0
_EXTRA = "pip install 'kafka-topology[spark-connect]'"


def connect(url: str, *, jars: Sequence[Path] | None, settings: Mapping[str, str] | None) -> SparkSession:
    _refuse_silence(url)
    builder = SparkSession.builder.remote(url)
    for name, value in {"spark.sql.session.timeZone": "UTC", **(settings or {})}.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
        version = session.version
    except ImportError as error:
        raise SparkUnavailable(f"Spark Connect needs more packages ({error}): {_EXTRA}") from None
    except spark_failures() as error:
        raise SparkUnavailable(f"no Spark Connect session at {_shown(url)} ({in_one_line(error)})") from None
    _give_connector(session, jars, url, version)
    return session


def _refuse_silence(url: str) -> None:
    """The client of Spark Connect tries for minutes; an address where nobody listens is known at once."""
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or DEFAULT_PORT), _PATIENCE_S):
            return
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SparkUnavailable(f"no answer from Spark Connect at {_shown(url)} ({reason}): is it running?") from None


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
            f"the Spark Connect server at {_shown(url)} has no Kafka connector:"
            f" start it with --packages {connector_package(version)}"
        )


def _reads_kafka(session: SparkSession) -> bool:
    options = {"kafka.bootstrap.servers": "localhost:9", "subscribe": "none"}
    try:
        return bool(session.read.format("kafka").options(**options).load().columns)
    except PySparkException as error:
        if error.getCondition() == "DATA_SOURCE_NOT_FOUND":
            return False
        raise SparkUnavailable(f"Spark Connect: {in_one_line(error)}") from None


def _shown(url: str) -> str:
    """Without the parameters, which may hold a token."""
    return url.split(";", 1)[0].rstrip("/")
