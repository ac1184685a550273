"""Names of Java that Python asks for all the time, asked for once.

For `jvm.functions`, py4j lets Java look for a class of that name in every imported package, which means in every jar of
Spark. pyspark does so for each column that it makes: a third of the processor time of a small query with many columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_USED_FOR_COLUMNS = ("functions", "org.apache.spark.sql.functions", "PythonSQLUtils", "PythonUtils")


class Remembered:
    """Gives the attributes of another object, each of which is looked up once."""

    def __init__(self, of: Any) -> None:
        self._of = of

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._of, name)
        vars(self)[name] = found
        return found


def remember_names(spark: SparkSession) -> None:
    """As long as the session's Java lives: the next one has a view of its own. Spark Connect asks for no names."""
    try:
        jvm: Any = spark.sparkContext._jvm  # noqa: SLF001 - the only way to what pyspark itself uses
    except PySparkException:
        return
    for name in _USED_FOR_COLUMNS:
        if name not in vars(jvm):
            vars(jvm)[name] = Remembered(getattr(jvm, name))
