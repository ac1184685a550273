"""Whether a session runs our jar: sessions that we start have it, others get it here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from ..jar import scan_jar
from ..reading.spark_errors import spark_failures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SOURCE = "kafkatopology.scan.TallySource"


def takes_jar(spark: SparkSession) -> bool:
    """False where the jar was not built, or where the session cannot run it. Tried rather than guessed."""
    path = scan_jar()
    if path is None:
        return False
    if not _works(spark):
        _give(spark, str(path))
        return _works(spark)
    return True


def load_source(spark: SparkSession, **options: str) -> DataFrame:
    """A frame of our data source, in whichever thread it is asked for.

    `ADD JAR` shows a jar to the one thread of Java that runs it, and each thread of Python has another.
    """
    reader = spark.read.format(SOURCE).options(**options)
    try:
        return reader.load()
    except spark_failures():
        if _is_connect(spark):
            raise
    with _added_jars(spark):
        return reader.load()


@contextmanager
def _added_jars(spark: SparkSession) -> Iterator[None]:
    """This thread finds the classes of all jars that were added to a classic session."""
    session: Any = spark
    thread = session._jvm.java.lang.Thread.currentThread()  # noqa: SLF001 - there is no public way to a thread of Java
    before = thread.getContextClassLoader()
    thread.setContextClassLoader(session._jsparkSession.sharedState().jarClassLoader())  # noqa: SLF001
    try:
        yield
    finally:
        thread.setContextClassLoader(before)


def _works(spark: SparkSession) -> bool:
    """Whether the session finds the jar, and its Spark has the internals that the jar was compiled against."""
    try:
        (row,) = load_source(spark).collect()
        return bool(json.loads(row[0])["works"])
    except Exception:  # noqa: BLE001 - whatever stands in the way, the columns give the same answers
        return False


def _give(spark: SparkSession, jar: str) -> None:
    """Gives the jar to a session that was started without it: a notebook's, or one of Spark Connect."""
    with suppress(Exception):  # as above
        if _is_connect(spark):
            spark.addArtifacts(jar)
        else:
            # A classic session takes artifacts too, but looks for data sources elsewhere.
            spark.sql("ADD JAR '{}'".format(jar.replace("\\", "\\\\").replace("'", "\\'")))


def _is_connect(spark: SparkSession) -> bool:
    try:
        return spark.sparkContext is None
    except PySparkException:  # Spark Connect has no SparkContext
        return True
