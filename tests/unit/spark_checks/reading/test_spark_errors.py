"""What is said of a failure in Spark."""

from __future__ import annotations

from pyspark.errors import AnalysisException, PySparkException
from pyspark.errors.exceptions.captured import CapturedException

from kafka_topology.spark_checks.reading.spark_errors import in_one_line


class Failed(PySparkException):
    """As Spark raises it: with a condition, a state and a message."""

    def __init__(self, condition: str, state: str, message: str) -> None:
        super().__init__(message)
        self._made = condition, state

    def getCondition(self) -> str:
        return self._made[0]

    def getSqlState(self) -> str:
        return self._made[1]

    def __str__(self) -> str:
        return self._message or ""


def test_a_wrong_value_is_not_quoted() -> None:
    """It is a key or a value of a record, which a report must not show."""
    error = Failed("CAST_INVALID_INPUT", "22018", "The value 'mueller.secret42' of the type STRING cannot be cast")
    assert in_one_line(error) == "CAST_INVALID_INPUT on a record"


def test_any_other_failure_keeps_its_first_line() -> None:
    error = Failed("UNRESOLVED_COLUMN", "42703", "A column `nam` cannot be resolved.\n'Project ['nam]")
    assert in_one_line(error) == "A column `nam` cannot be resolved."
    assert issubclass(CapturedException, PySparkException)
    assert issubclass(AnalysisException, PySparkException)
