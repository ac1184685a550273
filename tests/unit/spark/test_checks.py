"""Which tests a declaration leads to, and what cannot be checked says why."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from kafka_topology.spark_checks.checks import CHECKS
from kafka_topology.spark_checks.checks.base import NotChecked, RowTests, Subject
from kafka_topology.spark_checks.conditions import Era, Misplaced
from kafka_topology.topology.model import Headers, Key, Partitioner, PartitionEra, Topic, Value

MakeTopic = Callable[..., Topic]


def answers(topic: Topic, partitions: int | None = None) -> dict[str, RowTests | NotChecked]:
    subject = Subject(topic, partitions or topic.partitions)
    found = {check.id: check.tests(subject) for check in CHECKS}
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


def test_a_key_field_needs_a_json_value(make_topic: MakeTopic) -> None:
    key = Key("uuid", field="order.id")
    assert isinstance(answers(make_topic(key=key, value=Value("json")))["key-field"], RowTests)
    for value in (None, Value("avro")):
        assert isinstance(answers(make_topic(key=key, value=value))["key-field"], NotChecked)


def test_declarations_without_a_check_are_listed_as_not_checked(make_topic: MakeTopic) -> None:
    topic = make_topic(value=Value("json", schema="order.schema.json"), headers=Headers(("trace-id",)))
    found = answers(topic)
    for name in ("value-schema", "headers"):
        assert isinstance(found[name], NotChecked)
