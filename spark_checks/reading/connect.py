"""A session on a Spark Connect server. The server reads Kafka, so it needs the connector or our own source."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from ..jar import scan_jar
from .outages import give_up_soon
from .source import CONNECTOR, OWN, V2_KAFKA, can_read, use
from .spark_errors import SparkUnavailable, connector_package, in_one_line, refuse_silence, shown, spark_failures

DEFAULT_PORT = 15002
_SETTINGS = {"spark.sql.session.timeZone": "UTC", **V2_KAFKA}
_EXTRA = "pip install 'kafka-topology[spark-connect]'"
# Given as artifacts, these read in the first session of a server only: see TopicSource.java.
_ONCE_PER_SERVER = ("spark-sql-kafka-", "spark-token-provider-kafka-")


def connect(url: str, *, jars: Sequence[Path] | None, settings: Mapping[str, str] | None) -> SparkSession:
    # The client of Spark Connect would try for minutes.
    refuse_silence("Spark Connect", shown(url), DEFAULT_PORT)
    builder = SparkSession.builder.remote(url)
    for name, value in {**_SETTINGS, **(settings or {})}.items():
        builder = builder.config(name, value)
    try:
        with warnings.catch_warnings(record=True) as refused:
            session = builder.getOrCreate()
        give_up_soon(session)
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
    """The server's own connector, or our source and Kafka's client as artifacts of the session."""
    if _has_connector(session):
        return
    own = scan_jar()
    try:
        if jars and own:
            given = [str(jar) for jar in jars if not jar.name.startswith(_ONCE_PER_SERVER)]
            session.addArtifacts(str(own), *given)
            if can_read(session, OWN):
                use(session, OWN)
                return
    except spark_failures():
        pass  # said below
    session.stop()
    raise SparkUnavailable(
        f"the Spark Connect server at {shown(url)} has no Kafka connector:"
        f" start it with --packages {connector_package(version)}"
    )


def _has_connector(session: SparkSession) -> bool:
    try:
        return can_read(session, CONNECTOR)
    except PySparkException as error:
        raise SparkUnavailable(f"Spark Connect: {in_one_line(error)}") from None
