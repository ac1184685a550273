"""Names of Java are looked up once, not for every column."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from pyspark.errors import PySparkAttributeError

from kafka_topology.spark_checks.reading.names import Remembered, remember_names


class Asked:
    """Keeps what it was asked for, as py4j asks Java."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.names.append(name)
        return Asked()


def test_each_attribute_is_looked_up_once() -> None:
    java = Asked()
    functions = Remembered(java)
    assert functions.lit is functions.lit
    assert functions.col is not functions.lit
    assert java.names == ["lit", "col"]


def test_the_names_that_columns_need_are_looked_up_when_the_session_starts() -> None:
    jvm = Asked()
    session: Any = SimpleNamespace(sparkContext=SimpleNamespace(_jvm=jvm))
    for _ in range(2):  # a session that already runs is given again
        remember_names(session)
    assert jvm.functions is jvm.functions
    full_name = "org.apache.spark.sql.functions"
    assert getattr(jvm, full_name) is getattr(jvm, full_name)
    assert jvm.names == ["functions", full_name, "PythonSQLUtils", "PythonUtils"]
    assert jvm.SomethingElse is not jvm.SomethingElse


def test_a_session_without_java_is_left_alone() -> None:
    class Remote:
        @property
        def sparkContext(self) -> Any:
            raise PySparkAttributeError("JVM_ATTRIBUTE_NOT_SUPPORTED")

    session: Any = Remote()
    remember_names(session)
