"""What Spark says of a declaration before anything is read: a fault in it costs one check, with Spark's own words."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from planted import result

from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.conditions.schemas import UnusableSchema, schema_reader, schemas_of
from kafka_topology.spark_checks.planning.plan import plan
from kafka_topology.spark_checks.planning.preflight import sturdier, tried
from kafka_topology.spark_checks.planning.subject import Subject
from kafka_topology.spark_checks.reading.reader import FrameReader
from kafka_topology.spark_checks.registry import builtin_checks
from kafka_topology.spark_checks.results.report import CheckResult, TopicReport
from kafka_topology.topology.language.expressions import FUNCTIONS
from kafka_topology.topology.model.declared import Headers, Key, Partitioner, Topology, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Declare = Callable[..., Topology]


def subject(topology: Topology) -> Subject:
    (topic,) = topology.topics.values()
    return Subject(topic, 3, schemas=schemas_of(topology.schemas, schema_reader(topology.root)))


def trying(topology: Topology, spark: SparkSession) -> Subject:
    about = subject(topology)
    return tried(about, plan(about, builtin_checks()), spark, ())


def expressed(expression: str) -> Key:
    return Key("string", partitioner=Partitioner("custom", expression=expression))


@pytest.mark.parametrize(
    ("expression", "named", "said"),
    [
        ("1 +", "PARSE_SYNTAX_ERROR", "Syntax error"),
        ("key_text % partitions[0]", "INVALID_EXTRACT_BASE_FIELD_TYPE", "Can't extract a value"),
        ("crc32()", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "requires 1 parameters"),
        ("1) + (1", "PARSE_SYNTAX_ERROR", "Syntax error"),
    ],
)
def test_a_broken_expression(spark: SparkSession, declare: Declare, expression: str, named: str, said: str) -> None:
    about, told = subject(declare("t", key=expressed(expression))), []
    found = tried(about, plan(about, builtin_checks()), spark, (), told.append)
    assert found.refused["placement"] == f"Spark cannot use the expression: {named}"
    assert len(told) == 1
    assert said in told[0]
    assert "\n" not in told[0]


def test_an_expression_that_gives_no_number(spark: SparkSession, declare: Declare) -> None:
    reason = trying(declare("t", key=expressed("key_text")), spark).refused["placement"]
    assert "gives string, a partition is a whole number" in reason


@pytest.mark.parametrize("expression", ["crc32(key) % partitions", "CAST(key_text AS INT)", "1 -- all in one", "(1)"])
def test_a_good_expression(spark: SparkSession, declare: Declare, expression: str) -> None:
    found = trying(declare("t", key=expressed(expression)), spark)
    assert found.refused == {}
    told: list[str] = []
    weaker = sturdier(found, ConnectionError("because of /etc/passwd"), told.append)
    assert weaker is not None
    assert weaker.refused == {"placement": "the expression fails: ConnectionError"}
    assert told == ["the expression fails: because of /etc/passwd"]
    assert sturdier(weaker, ConnectionError()) is None


def test_spark_has_every_function_that_an_expression_may_call(spark: SparkSession) -> None:
    assert {row[0] for row in spark.sql("SHOW FUNCTIONS").collect()} | {"try_cast"} >= FUNCTIONS


def test_a_pattern_that_java_does_not_know(spark: SparkSession, declare: Declare) -> None:
    key = Key("pattern", pattern="(?P<ticket>TT[0-9]+)")
    assert "Spark cannot use pattern (?P<ticket>" in trying(declare("t", key=key), spark).refused["key-type"]


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ('{"type": "objekt"}', "not a valid JSON Schema"),
        ('{"$ref": "missing.json"}', "refers to `missing.json`, which cannot be read"),
        ('{"$ref": "https://example.org/x.json"}', "nothing is read from a network"),
        ('{"$ref": "#/$defs/none"}', "not a valid JSON Schema"),
        ("{", "is not JSON"),
    ],
)
def test_a_json_schema_that_cannot_be_used(
    spark: SparkSession, declare: Declare, tmp_path: Path, schema: str, said: str
) -> None:
    topology = declare("t", value=Value("json", schema="s.json"), schemas={"s.json": schema}, root=tmp_path)
    found = trying(topology, spark).schemas["s.json"]
    assert isinstance(found, UnusableSchema)
    assert said in found.reason


def test_frames_without_headers_and_broken_avro_schemas(spark: SparkSession, declare: Declare) -> None:
    rows = [(b"foobar", b"{}", 6, 0, datetime(2026, 1, 1, tzinfo=UTC), 0)]
    columns = "key binary, value binary, partition int, offset long, timestamp timestamp, timestampType int"
    frame = spark.createDataFrame(rows, columns)
    topology = declare(
        "t",
        12,
        key=Key("string", field="id"),
        value=Value("avro", schema="o.avsc"),
        schemas={"o.avsc": '{"type": "recrd"}'},
        headers=Headers(("trace-id",)),
    )
    (report,) = check(spark, topology, reader=FrameReader({"t": frame}, {"t": 12})).topics
    for name in ("value-schema", "key-field"):
        assert result(report, name).status == "not-checked"
        assert result(report, name).reason.startswith("Spark cannot use the Avro schema")
    assert result(report, "headers").reason == "the records were given without a column `headers`"
    assert (result(report, "placement").status, result(report, "placement").violations) == ("exact", 0)


COLUMNS = "key binary, value binary, partition int, offset long, timestamp timestamp, timestampType int"
NEEDED_BY = {
    "key": {"placement", "single-partition", "key-type", "key-field", "nulls", "compaction", "order", "cardinality"},
    "value": {"key-field", "compaction", "order", "value-schema", "nulls"},
    "timestamp": {"single-partition", "compaction", "timestamps"},
    "timestampType": {"timestamps"},
}


Found = Callable[["DataFrame"], tuple[TopicReport, dict[str, CheckResult]]]


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> DataFrame:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [(b"foobar", b'{"id": "foobar", "n": %d}' % number, 6, number, at, 0) for number in range(4)]
    rows.append((b"foobar", b"{", 5, 0, at, 0))  # misplaced, and no JSON
    return spark.createDataFrame(rows, COLUMNS)


@pytest.fixture(scope="module")
def found(spark: SparkSession, declare: Declare) -> Found:
    key, value = Key("string", field="id", nulls="forbidden"), Value("json", sequence="n")
    config = {"message.timestamp.type": "CreateTime"}
    topology = declare("t", 12, key=key, value=value, ordering="per-key", config=config)

    def results(given: DataFrame) -> tuple[TopicReport, dict[str, CheckResult]]:
        (report,) = check(spark, topology, reader=FrameReader({"t": given}, {"t": 12})).topics
        assert report.unreadable is None
        return report, {each.check: each for each in report.results}

    return results


@pytest.fixture(scope="module")
def whole(frame: DataFrame, found: Found) -> dict[str, CheckResult]:
    results = found(frame)[1]
    assert results["placement"].violations == results["value-schema"].violations == 1
    return results


@pytest.mark.parametrize("missing", [("key",), ("value",), ("timestampType",), ("value", "timestamp")])
def test_a_missing_column_costs_only_the_checks_that_need_it(
    frame: DataFrame, found: Found, whole: dict[str, CheckResult], missing: tuple[str, ...]
) -> None:
    report, part = found(frame.drop(*missing))
    lost = set().union(*(NEEDED_BY[name] for name in missing))
    assert {name for name, each in part.items() if each.status == "not-checked"} == lost
    assert all(str(part[name].reason).startswith("the records were given without a column") for name in lost)
    kept = set(part) - lost
    assert {name: part[name].violations for name in kept} == {name: whole[name].violations for name in kept}
    assert report.notes[0].startswith(f"the records were given without `{missing[0]}`")


@pytest.mark.parametrize("missing", ["partition", "offset"])
def test_without_a_place_no_record_can_be_checked(spark: SparkSession, declare: Declare, missing: str) -> None:
    frame = spark.createDataFrame([(b"k", b"{}", 0, 0, datetime(2026, 1, 1, tzinfo=UTC), 0)], COLUMNS)
    reader = FrameReader({"t": frame.drop(missing)}, {"t": 1})
    (report,) = check(spark, declare("t", 1, key=Key("string")), reader=reader).topics
    assert report.unreadable == f"the records of topic t were given without a column `{missing}`"


def test_a_validator_missing_on_workers_is_reported(
    spark: SparkSession, declare: Declare, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kafka_topology.spark_checks.engines import validator
    from kafka_topology.spark_checks.planning import preflight

    def missing() -> Callable[..., None]:
        def make(*_: object) -> None:
            raise ImportError

        return make

    monkeypatch.setattr(preflight, "compiled", lambda _: None)
    monkeypatch.setattr(validator, "_make_validator", missing)
    topology = declare("t", value=Value("json", schema="s.json"), schemas={"s.json": "{}"})
    found = trying(topology, spark).schemas["s.json"]
    assert isinstance(found, UnusableSchema)
    assert "is not installed for the Python of Spark's workers" in found.reason


def test_a_record_on_which_an_expression_fails_is_neither_fine_nor_quoted(
    spark: SparkSession, declare: Declare
) -> None:
    """Any producer could switch placement off with one record, and its key must not be in the report."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    keys = [*(b"%d" % number for number in range(30)), b"mueller.secret42"]
    frame = spark.createDataFrame([(key, b"{}", 0, offset, at, 0) for offset, key in enumerate(keys)], COLUMNS)
    key = Key("string", partitioner=Partitioner("custom", expression="cast(key_text as int) % partitions"))
    report = check(spark, declare("t", 2, key=key), reader=FrameReader({"t": frame}, {"t": 2}))
    (topic,) = report.topics
    placement = result(topic, "placement")
    assert (placement.outcome, report.unchecked, report.failing) == ("could-not-check", True, False)
    assert placement.reason == "the expression fails: CAST_INVALID_INPUT on a record"
    assert "mueller" not in json.dumps(report.to_json())
    assert result(topic, "key-type").outcome == "passed"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("cast(key as string) as key", "column `key` of the records of topic t is string; expected binary"),
        ("if(offset = 3, null, partition) as partition", "1 record of topic t without a partition or an offset"),
        ("partition + 7 as partition", "a record of partition 13 was given, but the topic with 12 partitions"),
        ("0 as offset", "4 records were given of 1 offset of partition 6: some were given twice"),
    ],
)
def test_frames_that_are_no_records_of_the_topic(
    spark: SparkSession, declare: Declare, frame: DataFrame, change: str, said: str
) -> None:
    name = change.rsplit(" ", 1)[-1]
    wrong = frame.selectExpr(*(each for each in frame.columns if each != name), change)
    (report,) = check(spark, declare("t", 12, key=Key("string")), reader=FrameReader({"t": wrong}, {"t": 12})).topics
    assert report.unreadable is not None
    assert report.unreadable.startswith(said)
