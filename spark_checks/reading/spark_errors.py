"""What goes wrong in Spark, in words for people."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pyspark
from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger

SCALA = "2.13"  # the only one Spark 4 is built with
_PATIENCE_S = 10.0
_NOT_ALLOWED = "TopicAuthorizationException"  # of Kafka's Java client; Spark wraps it in failures of its own
_DATA_EXCEPTIONS = "22"  # the class of SQL states for values that an operation cannot take


class SparkUnavailable(Exception):
    """Spark did not start or answer: no Java, no server or no Kafka connector."""


def connector_package(version: str = pyspark.__version__) -> str:
    return f"org.apache.spark:spark-sql-kafka-0-10_{SCALA}:{version}"


def spark_failures() -> tuple[type[Exception], ...]:
    """What a query raises when Spark fails or is gone, on a session of any kind."""
    try:
        from google.protobuf.message import DecodeError  # noqa: PLC0415 - only with Spark Connect
        from grpc import RpcError  # noqa: PLC0415
    except ImportError:
        return (PySparkException, Py4JError, ConnectionError)
    return (PySparkException, Py4JError, ConnectionError, RpcError, DecodeError)  # the last: a query nested too deep


def refuse_silence(what: str, url: str, default_port: int) -> None:
    """Raises at once when nobody listens at any of the addresses; Spark itself would try for a minute."""
    scheme, _, hosts = url.partition("://")
    for host in hosts.split(","):
        try:
            parts = urlsplit(f"{scheme}://{host}")
            with socket.create_connection((parts.hostname or "", parts.port or default_port), _PATIENCE_S):
                return
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
    raise SparkUnavailable(f"no answer from {what} at {url} ({reason}): check the address, and that it runs")


def shown(url: str) -> str:
    """Without the parameters of a Spark Connect address, which may hold a token."""
    return url.split(";", 1)[0].rstrip("/")


def in_one_line(error: Exception) -> str:
    """What went wrong without Java's stack: the innermost message, where a failed job has its reason.

    The message about a wrong value quotes it. Values and keys of records do not belong into a report, so only the name
    of such an error is shown.
    """
    if _is_about_data(error):
        return error_name(error)
    if isinstance(error, Py4JJavaError):
        inner = error.java_exception
        while inner.getCause() is not None:
            inner = inner.getCause()
        text = inner.getMessage() or inner.getClass().getName()
    else:
        text = _details(error) or str(error) or type(error).__name__
    return str(text).strip().split("\n", 1)[0]


def error_name(error: Exception) -> str:
    """Which kind of error it is, without a word that a query could have chosen: for reports."""
    if not isinstance(error, PySparkException) or not error.getCondition():
        return type(error).__name__
    return f"{error.getCondition()} on a record" if _is_about_data(error) else str(error.getCondition())


def missing_access(error: Exception) -> str | None:
    """The access that the principal needs, if Kafka refused to give records; its own message does not say."""
    return "the principal needs Read on the topic" if _NOT_ALLOWED in str(error) else None


def unheld_timestamp(error: Exception) -> str | None:
    """The record that Spark's connector cannot hold: it has microseconds in 64 bits, and Kafka milliseconds."""
    if "long overflow" not in str(error):
        return None
    return (
        "a record has a timestamp that Spark's connector cannot hold, as from a producer that sets nanoseconds; only"
        " the compiled engine without conditions on headers or key patterns reads it"
    )


def _is_about_data(error: Exception) -> bool:
    state = error.getSqlState() if isinstance(error, PySparkException) and error.getCondition() else None
    return state is not None and state.startswith(_DATA_EXCEPTIONS)


def silence_queries() -> None:
    """PySpark also logs each failed query with its message and stack as JSON, beside raising it."""
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True


def _details(error: Exception) -> str | None:
    """The message of a gRPC error, without its page of details."""
    details = getattr(error, "details", None)
    return str(details()) if callable(details) else None
