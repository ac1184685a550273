"""Whether a session runs our jar: sessions that we start have it, others get it here."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from ..jar import scan_jar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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


def _works(spark: SparkSession) -> bool:
    """Whether the session finds the jar, and its Spark has the internals that the jar was compiled against."""
    try:
        (row,) = spark.read.format(SOURCE).load().collect()
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
