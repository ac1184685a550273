"""What only Spark can tell of a declaration, asked before the scan: a fault in it costs one check, not the topic.

An expression, a pattern or a schema is written by people, and a cluster may lack a jar or a Python package. Each is
tried alone on next to nothing; what fails is not checked, with Spark's own words as the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from .checks.base import Subject
from .conditions import Outcome
from .decode_columns import decoded
from .decoding import Decoding
from .schemas import AvroSchema, JsonSchema, Schema, UnusableSchema
from .spark_errors import SCALA, in_one_line, spark_failures
from .table_columns import expression_column
from .tables import ExpressionTable, UnusableTable, table_of
from .validator import PACKAGE, BrokenSchema, compiled, json_outcome

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXPRESSION_COLUMNS = "key binary, key_text string, partitions int, timestamp timestamp"
_WHOLE_NUMBERS = frozenset({"tinyint", "smallint", "int", "bigint"})


def tried(subject: Subject, spark: SparkSession, columns: Collection[str]) -> Subject:
    """The same subject, without what Spark refuses. `columns` are those of the frame to read."""
    refused = {check: reason for check, reason in _refusals(subject, spark, columns) if reason is not None}
    schemas = {path: _tried_schema(schema, spark) for path, schema in subject.used_schemas().items()}
    return replace(subject, refused={**subject.refused, **refused}, schemas={**subject.schemas, **schemas})


def sturdier(subject: Subject, reason: str) -> Subject | None:
    """The subject without what may have failed in the midst of a scan; None when there is nothing of that kind."""
    if _expression(subject) is not None and "placement" not in subject.refused:
        return replace(subject, refused={**subject.refused, "placement": f"the expression fails: {reason}"})
    usable = [path for path, schema in subject.used_schemas().items() if not isinstance(schema, UnusableSchema)]
    if not usable:
        return None
    unusable = dict.fromkeys(usable, UnusableSchema(f"Spark fails on a record with the schema: {reason}"))
    return replace(subject, schemas={**subject.schemas, **unusable})


def _refusals(subject: Subject, spark: SparkSession, columns: Collection[str]) -> Iterator[tuple[str, str | None]]:
    expression = _expression(subject)
    if expression is not None:
        yield "placement", _wrong_with_expression(expression, spark)
    key = subject.key
    if key is not None and key.type == "pattern" and key.pattern is not None:
        matches = F.lit("").rlike(rf"\A(?:{key.pattern})\z")
        failure = _failure(lambda: spark.range(1).select(matches).collect())
        yield "key-type", None if failure is None else f"Spark cannot use pattern {key.pattern}: {failure}"
    if subject.topic.headers is not None and "headers" not in columns:
        yield "headers", "the records were given without a column `headers`"


def _expression(subject: Subject) -> str | None:
    try:
        table = None if subject.key is None else table_of(subject.key)
    except UnusableTable:
        return None
    return table.expression if isinstance(table, ExpressionTable) else None


def _wrong_with_expression(expression: str, spark: SparkSession) -> str | None:
    """Only analysed: on made-up keys a good expression may fail."""
    kinds: list[str] = []

    def analyse() -> None:
        empty = spark.createDataFrame([], EXPRESSION_COLUMNS)
        kinds.append(empty.withColumn("placed", F.expr(expression)).schema["placed"].dataType.simpleString())
        empty.select(expression_column(expression)).schema  # noqa: B018 - Spark looks at it here

    failure = _failure(analyse)
    if failure is not None:
        return f"Spark cannot use the expression: {failure}"
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
        return f"the schema is no valid JSON Schema: {error}"
    outcomes: list[int] = []

    def judge() -> None:
        frame = spark.createDataFrame([(bytearray(b"{}"),)], "value binary")
        outcomes.append(frame.select(json_outcome(F.col("value"), schema)).collect()[0][0])

    failure = _failure(judge)
    if failure is not None:
        return f"Spark's Python workers cannot validate: {failure}"
    lacking = f"{missing} for the Python of Spark's workers: install it there, or name another by PYSPARK_PYTHON"
    return lacking if outcomes[0] == Outcome.NOT_VALIDATED else None


def _failure(attempt: Callable[[], object]) -> str | None:
    try:
        attempt()
    except spark_failures() as error:
        return in_one_line(error)
    return None
