"""Which tests a declaration leads to, and what cannot be checked says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest

from kafka_topology.spark_checks.checks.key_type import KeyTypeCheck
from kafka_topology.spark_checks.checks.placement import Placement
from kafka_topology.spark_checks.conditions.record import DecodedDiffersFromField, DiffersFromField, Era, Misplaced
from kafka_topology.spark_checks.conditions.schemas import AvroSchema, JsonSchema, Schema, UnusableSchema
from kafka_topology.spark_checks.planning.check import NotChecked, RowTests
from kafka_topology.spark_checks.planning.guarded import asked_by
from kafka_topology.spark_checks.planning.subject import Subject
from kafka_topology.spark_checks.registry import builtin_checks
from kafka_topology.topology.model.declared import Headers, Key, Partitioner, PartitionEra, Topic, Value

MakeTopic = Callable[..., Topic]


JSON, AVRO = JsonSchema("s", (("s", "{}"),)), AvroSchema('"string"')


def answers(
    topic: Topic, partitions: int | None = None, schemas: Mapping[str, Schema] | None = None
) -> dict[str, RowTests | NotChecked]:
    subject = Subject(topic, partitions or topic.partitions, schemas=schemas or {})
    found = {check.id: check.tests(subject) for check in builtin_checks()}
    return {name: answer for name, answer in found.items() if answer is not None}


def test_a_topic_without_a_key_is_not_checked_and_says_so(make_topic: MakeTopic) -> None:
    found = answers(make_topic())
    assert set(found) == {"placement", "key-type", "nulls", "timestamps", "skew"}
    for name in ("placement", "key-type", "nulls"):
        answer = found[name]
        assert isinstance(answer, NotChecked)
        assert "declares no key" in answer.reason


@pytest.mark.parametrize("name", ["round-robin", "sticky", "random", "explicit", "custom"])
def test_partitioners_that_cannot_be_recomputed_are_not_checked(make_topic: MakeTopic, name: str) -> None:
    answer = answers(make_topic(key=Key("string", partitioner=Partitioner(name))))["placement"]
    assert isinstance(answer, NotChecked)
    assert name in answer.reason


def test_history_is_sorted_and_the_live_count_comes_last(make_topic: MakeTopic) -> None:
    eras = (
        PartitionEra(6, datetime(2026, 3, 1, tzinfo=UTC)),
        PartitionEra(3, datetime(2025, 3, 1, tzinfo=UTC)),
    )
    placement = answers(make_topic(key=Key("string", history=eras)), partitions=24)["placement"]
    assert isinstance(placement, RowTests)
    misplaced = placement.rows[0].condition
    assert isinstance(misplaced, Misplaced)
    assert misplaced.eras == (Era(3, 1740787200000), Era(6, 1772323200000), Era(24))
    assert placement.notes == ("the topic has 24 partitions, 12 are declared: judged by the live count",)


@pytest.mark.parametrize(
    ("policy", "faults"),
    [
        ("forbidden", ["null key", "empty key", "tombstone"]),
        ("tombstones", ["null key", "empty key"]),
    ],
)
def test_nulls_by_policy(make_topic: MakeTopic, policy: str, faults: list[str]) -> None:
    answer = answers(make_topic(key=Key("string", nulls=policy)))["nulls"]
    assert isinstance(answer, RowTests)
    assert [test.name for test in answer.rows] == faults


def test_avro_keys_are_bounded_because_only_their_frame_is_seen(make_topic: MakeTopic) -> None:
    answer = answers(make_topic(key=Key("avro")))["key-type"]
    assert isinstance(answer, RowTests)
    assert answer.bound is not None


def test_a_key_field_needs_a_value_that_can_be_read(make_topic: MakeTopic) -> None:
    key = Key("uuid", field="order.id")
    assert isinstance(answers(make_topic(key=key, value=Value("json")))["key-field"], RowTests)
    for value in (None, Value("avro"), Value("protobuf"), Value("avro", schema="lost.avsc")):
        assert isinstance(answers(make_topic(key=key, value=value))["key-field"], NotChecked)
    avro = make_topic(key=key, value=Value("avro", schema="order.avsc"))
    assert isinstance(answers(avro, schemas={"order.avsc": AvroSchema('"string"')})["key-field"], RowTests)


@pytest.mark.parametrize(
    ("kind", "condition"),
    [("string", DiffersFromField), ("uuid", DiffersFromField), ("long", DecodedDiffersFromField)],
)
def test_plain_keys_are_compared_as_they_are(make_topic: MakeTopic, kind: str, condition: type) -> None:
    answer = answers(make_topic(key=Key(kind, field="a.b"), value=Value("json")))["key-field"]
    assert isinstance(answer, RowTests)
    assert answer.rows[0].condition == condition(("a", "b"))


@pytest.mark.parametrize(
    ("value", "schema", "status"),
    [
        (Value("json"), None, "exact"),
        (Value("json", sample=0.5), None, "bounded"),
        (Value("json", schema="s"), JSON, "exact"),
        (Value("json", schema="s", sample=0.5), JSON, "bounded"),
        (Value("json", schema="s"), AVRO, "not-checked"),
        (Value("json", schema="s"), None, "not-checked"),
        (Value("avro"), None, "bounded"),
        (Value("avro", schema="s"), AVRO, "exact"),
        (Value("avro", schema="s"), JSON, "not-checked"),
        (Value("avro", schema="s"), UnusableSchema("because"), "not-checked"),
        (Value("string"), None, "exact"),
        (Value("bytes"), None, "not-checked"),
        (Value("protobuf"), None, "not-checked"),
    ],
)
def test_how_far_a_value_can_be_judged(make_topic: MakeTopic, value: Value, schema: Schema | None, status: str) -> None:
    answer = answers(make_topic(value=value), schemas={} if schema is None else {"s": schema})["value-schema"]
    if isinstance(answer, NotChecked):
        assert status == "not-checked"
    else:
        assert status == ("exact" if answer.bound is None else "bounded")


@pytest.mark.parametrize(
    ("kind", "schema", "bounded", "tests"),
    [
        ("avro", AVRO, False, 3),
        ("avro", JSON, True, 2),
        ("avro", UnusableSchema("because"), True, 2),
        ("json", JSON, False, 4),
        ("json", None, True, 2),
    ],
)
def test_keys_are_held_against_their_schema(
    make_topic: MakeTopic, kind: str, schema: Schema | None, *, bounded: bool, tests: int
) -> None:
    topic = make_topic(key=Key(kind, schema="s"))
    answer = answers(topic, schemas={} if schema is None else {"s": schema})["key-type"]
    assert isinstance(answer, RowTests)
    assert (answer.bound is not None, len(answer.rows)) == (bounded, tests)


def test_headers_beyond_eight_share_a_test(make_topic: MakeTopic) -> None:
    answer = answers(make_topic(headers=Headers(tuple("abcdefghij"), 100)))["headers"]
    assert isinstance(answer, RowTests)
    assert [test.name for test in answer.rows][7:] == ["no header h", "no header i or j", "headers above 100 bytes"]
    assert isinstance(answers(make_topic(headers=Headers()))["headers"], NotChecked)


def test_what_spark_refused_is_not_asked(make_topic: MakeTopic) -> None:
    subject = Subject(make_topic(key=Key("string")), 12, refused={"placement": "because"})
    assert asked_by(Placement(), subject) == NotChecked("because", unable=True)
    assert isinstance(asked_by(KeyTypeCheck(), subject), RowTests)


def test_a_table_decides_where_keys_belong(make_topic: MakeTopic) -> None:
    listed = Partitioner("list", keys={"eu": 0, "us": 12})
    answer = answers(make_topic(key=Key("string", partitioner=listed)))["placement"]
    assert isinstance(answer, RowTests)
    assert [test.name for test in answer.rows] == ["misplaced", "undetermined", "null key", "not in the table"]
    assert answer.notes == ("the table names partition 12, the topic has only 12",)
    wrong = answers(make_topic(key=Key("int", partitioner=listed)))["placement"]
    assert wrong == NotChecked("the table has `eu`, which is no number, and keys are int", unable=True)
