"""A Spark session that can read Kafka: the connector found, the logs quiet, tuned for a scan."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from ..jar import scan_jar
from .connect import connect
from .names import remember_names
from .not_started import read_log, why_not_started
from .source import V2_KAFKA
from .spark_errors import (
    SCALA,
    SparkUnavailable,
    connector_package,
    in_one_line,
    refuse_silence,
    silence_queries,
)

if TYPE_CHECKING:
    from io import BufferedWriter

LOCAL = "local[*]"
STANDALONE_PORT = 7077
_LOGGING = Path(__file__).with_name("log4j2.xml")


def avro_package(version: str = pyspark.__version__) -> str:
    return f"org.apache.spark:spark-avro_{SCALA}:{version}"


def connector_settings(
    jars: Sequence[Path] | None = None,
    cached: Sequence[Path] | None = None,
    version: str = pyspark.__version__,
) -> dict[str, str]:
    """The jars given, else those already on this machine, else Spark fetches the package itself."""
    found = jars or cached
    if found:
        return {"spark.jars": ",".join(str(jar.absolute()) for jar in found)}
    return {"spark.jars.packages": f"{connector_package(version)},{avro_package(version)}"}


def _with_own_jar(settings: Mapping[str, str]) -> dict[str, str]:
    """Adds the jar of the compiled scan, where it was built."""
    jars = [settings.get("spark.jars"), str(scan_jar()) if scan_jar() else None]
    return {**settings, "spark.jars": ",".join(filter(None, jars))}


# Lists: what somebody adds to them must not cost the connector, the quiet log or the limits of Avro.
_JOINED_BY = {
    "spark.jars": ",",
    "spark.jars.packages": ",",
    "spark.driver.extraJavaOptions": " ",
    "spark.executor.extraJavaOptions": " ",
}


def with_settings(ours: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """What is given counts, and is added to ours where a setting is a list."""
    joined = {
        name: by.join((ours[name], given[name])) for name, by in _JOINED_BY.items() if ours.get(name) and name in given
    }
    return {**ours, **given, **joined}


def start(
    *,
    jars: Sequence[Path] | None = None,
    cached: Sequence[Path] | None = None,
    master: str | None = None,
    remote: str | None = None,
    settings: Mapping[str, str] | None = None,
    log_file: Path | None = None,
) -> SparkSession:
    """Starts Spark here or on the cluster at `master`, or connects to the Spark Connect server at `remote`.

    Returns the session that already runs, if there is one. With `log_file`, nothing of Java reaches the terminal.
    """
    if remote is not None:
        return connect(remote, jars=jars or cached, settings=settings)
    master = master or LOCAL
    if master.startswith("spark://"):
        refuse_silence("the Spark cluster", master, STANDALONE_PORT)
    if master.startswith("local"):
        # Workers on this machine run our own Python, which has what a schema's validator needs; else it is `python3`.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("kafka-topology check").master(master)
    wanted = with_settings({**_tuned(master), **_with_own_jar(connector_settings(jars, cached))}, settings or {})
    for name, value in wanted.items():
        builder = builder.config(name, value)
    silence_queries()
    try:
        with _jvm_kept_to(log_file):
            session = builder.getOrCreate()
    # A cluster that does not answer fails in Java, and then Python trips over the half-made context.
    except (PySparkException, Py4JError, OSError, AttributeError, TypeError) as error:
        fetches = "spark.jars.packages" in wanted
        cause = why_not_started(pyspark.__version__, os.environ, read_log(log_file), fetches=fetches)
        where = f"; Spark's own words are in {log_file}" if log_file else ""
        said = f"Spark {pyspark.__version__} did not start on {master} ({in_one_line(error)})"
        raise SparkUnavailable(f"{said}: {cause}{where}" if cause else f"{said}{where}") from None
    remember_names(session)
    return session


# What is no Avro may read as a length of gigabytes, which Avro would reserve before it looks further.
_AVRO_LIMITS = " ".join(
    f"-Dorg.apache.avro.limits.{kind}.maxLength={64 << 20}" for kind in ("bytes", "string", "collectionItems")
)


def _tuned(master: str) -> dict[str, str]:
    settings = {
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_LOGGING.as_uri()} {_AVRO_LIMITS}",
        "spark.executor.extraJavaOptions": _AVRO_LIMITS,
        # Every scan has consumers of its own, so those of an earlier one only hold their fetched bytes:
        # kept for minutes, as is the default, they fill the heap.
        "spark.kafka.consumer.cache.capacity": "1",
        "spark.kafka.consumer.cache.timeout": "5s",
        "spark.kafka.consumer.cache.evictorThreadRunInterval": "5s",
        "spark.kafka.consumer.fetchedData.cache.timeout": "5s",
        "spark.kafka.consumer.fetchedData.cache.evictorThreadRunInterval": "5s",
        "spark.log.level": "ERROR",
        "spark.redaction.regex": "(?i)secret|password|token|access[.]?key|jaas",
        "spark.sql.session.timeZone": "UTC",
        **V2_KAFKA,
        # Results are a few rows per partition: many small tasks would cost more than they share.
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if master.startswith("local"):
        settings |= {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "2g",
            "spark.executor.heartbeatInterval": "1s",  # how often progress is seen
        }
    return settings


@contextmanager
def _jvm_kept_to(log_file: Path | None) -> Iterator[None]:
    """Lets the JVM inherit the log file as its stderr, and the log's folder as its own.

    Some of its warnings come before any logging set-up, and Spark makes a folder `artifacts` wherever it runs.
    """
    if log_file is None:
        yield
        return
    sys.stderr.flush()
    kept, here = os.dup(2), Path.cwd()
    stream: BufferedWriter
    with log_file.open("wb") as stream:
        os.dup2(stream.fileno(), 2)
        os.chdir(log_file.parent)
        try:
            yield
        finally:
            os.chdir(here)
            os.dup2(kept, 2)
            os.close(kept)
