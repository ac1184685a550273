"""What only Spark knows about a declaration, asked before the scan: a fault in it costs one check, not the topic.

People write expressions, patterns and schemas, and a cluster may be without a jar or a Python package. Each is tried
alone on next to nothing; what fails is not checked, with Spark's own words as the reason. Those about an expression
may quote whatever it read, and reports are shared: they get the name of the error only, and `tell` gets the words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from ..conditions.decoding import Decoding
from ..conditions.record import Condition, HeaderMissing, HeadersTooLarge, MisplacedByTable, NotOfType, Outcome
from ..conditions.schemas import AvroSchema, JsonSchema, Schema, UnusableSchema
from ..conditions.tables import ExpressionTable
from ..engines.columns.decoding import decoded
from ..engines.columns.tables import expression_column
from ..engines.validator import PACKAGE, BrokenSchema, compiled, json_outcome
from ..reading.spark_errors import SCALA, error_name, in_one_line, spark_failures
from .placing import PLACEMENT
from .plan import Plan
from .subject import Subject

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXPRESSION_COLUMNS = "key binary, key_text string, partitions int, timestamp timestamp"
Tell = Callable[[str], None]  # gets what is not for reports
_WHOLE_NUMBERS = frozenset({"tinyint", "smallint", "int", "bigint"})


def untold(words: str) -> None:
    """For who does not want to know."""


def tried(subject: Subject, asked: Plan, spark: SparkSession, columns: Collection[str], tell: Tell = untold) -> Subject:
    """The same subject, without what Spark refuses of the plan. `columns` are those of the frame to read."""
    refused = dict(_refusals(asked, spark, columns, tell))
    schemas = {path: _tried_schema(schema, spark) for path, schema in subject.used_schemas().items()}
    return replace(subject, refused={**subject.refused, **refused}, schemas={**subject.schemas, **schemas})


def sturdier(subject: Subject, error: Exception, tell: Tell = untold) -> Subject | None:
    """The subject without what may have failed during the scan; None when there is nothing of that kind."""
    reason = in_one_line(error)
    if subject.has_expression and PLACEMENT not in subject.refused:
        tell(f"the expression fails: {reason}")
        return replace(subject, refused={**subject.refused, PLACEMENT: f"the expression fails: {error_name(error)}"})
    usable = [path for path, schema in subject.used_schemas().items() if not isinstance(schema, UnusableSchema)]
    if not usable:
        return None
    unusable = dict.fromkeys(usable, UnusableSchema(f"Spark fails on a record with the schema: {reason}"))
    return replace(subject, schemas={**subject.schemas, **unusable})


def _refusals(asked: Plan, spark: SparkSession, columns: Collection[str], tell: Tell) -> Iterator[tuple[str, str]]:
    """Checks with a violation that Spark cannot compute, each with the reason."""
    for each in asked.planned:
        violations = (row.condition for row in each.tests.rows if row.meaning == "violation")
        reasons = (_wrong_with(condition, spark, columns, tell) for condition in violations)
        reason = next(filter(None, reasons), None)
        if reason is not None:
            yield each.check.id, reason


def _wrong_with(condition: Condition, spark: SparkSession, columns: Collection[str], tell: Tell) -> str | None:
    match condition:
        case MisplacedByTable(ExpressionTable(expression)):
            return _wrong_with_expression(expression, spark, tell)
        case NotOfType("pattern", str(pattern)):
            matches = F.lit("").rlike(rf"\A(?:{pattern})\z")
            failure = _failure(lambda: spark.range(1).select(matches).collect())
            return None if failure is None else f"Spark cannot use pattern {pattern}: {failure}"
        case HeaderMissing() | HeadersTooLarge() if "headers" not in columns:
            return "the records were given without a column `headers`"
    return None


def _wrong_with_expression(expression: str, spark: SparkSession, tell: Tell) -> str | None:
    """Only analysed: on made-up keys a good expression may fail."""
    kinds: list[str] = []

    def analyse() -> None:
        empty = spark.createDataFrame([], EXPRESSION_COLUMNS)
        kinds.append(empty.withColumn("placed", F.expr(expression)).schema["placed"].dataType.simpleString())
        empty.select(expression_column(expression)).schema  # noqa: B018 - Spark looks at it here

    try:
        analyse()
    except spark_failures() as error:
        tell(f"Spark cannot use the expression: {in_one_line(error)}")
        return f"Spark cannot use the expression: {error_name(error)}"
    if kinds[0] not in _WHOLE_NUMBERS and not (kinds[0].startswith("decimal") and kinds[0].endswith(",0)")):
        return f"the expression gives {kinds[0]}, a partition is a whole number"
    return None


def _tried_schema(schema: Schema, spark: SparkSession) -> Schema:
    match schema:
        case AvroSchema():
            reason = _wrong_with_avro(schema, spark)
        case JsonSchema():
            reason = _wrong_with_json(schema, spark)
        case UnusableSchema():
            return schema
    return schema if reason is None else UnusableSchema(reason)


def _wrong_with_avro(schema: AvroSchema, spark: SparkSession) -> str | None:
    def analyse() -> None:
        empty = spark.createDataFrame([], "key binary, value binary")
        decoded(empty, Decoding(value_avro=schema)).schema  # noqa: B018 - Spark looks at it here

    try:
        failure = _failure(analyse)
    except TypeError:  # what the Java gateway says of a class that is not there
        failure = "AVRO_NOT_LOADED"
    if failure is not None and ("AVRO" in failure or "org.apache.spark.sql.avro" in failure):
        package = f"org.apache.spark:spark-avro_{SCALA}:{spark.version}"
        return f"Avro is decoded by {package}, which Spark did not load: give it as a jar or in spark.jars.packages"
    return None if failure is None else f"Spark cannot use the Avro schema: {failure}"


def _wrong_with_json(schema: JsonSchema, spark: SparkSession) -> str | None:
    missing = f"{PACKAGE}, which validates JSON Schema, is not installed"
    try:
        compiled(schema)
    except ImportError:
        return f"{missing}: pip install 'kafka-topology[spark]'"
    except BrokenSchema as error:
        return f"the schema is not a valid JSON Schema: {error}"
    outcomes: list[int] = []

    def judge() -> None:
        frame = spark.createDataFrame([(bytearray(b"{}"),)], "value binary")
        outcomes.append(frame.select(json_outcome(F.col("value"), schema)).collect()[0][0])

    failure = _failure(judge)
    if failure is not None:
        return f"Spark's Python workers cannot validate: {failure}"
    not_there = f"{missing} for the Python of Spark's workers: install it there, or name another by PYSPARK_PYTHON"
    return not_there if outcomes[0] == Outcome.NOT_VALIDATED else None


def _failure(attempt: Callable[[], object]) -> str | None:
    try:
        attempt()
    except spark_failures() as error:
        return in_one_line(error)
    return None
