"""Order, timestamps and compaction: what is asked of the records, and what the answers mean. No Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from kafka_topology.spark_checks.checks.compaction import GRACE_MS, Compaction
from kafka_topology.spark_checks.checks.order import BY_RECORD_TIME, Order
from kafka_topology.spark_checks.checks.timestamps import FUTURE_MS, Timestamps
from kafka_topology.spark_checks.conditions.record import (
    Behind,
    InFuture,
    NotTimestampType,
    NumberField,
    Older,
    Repeated,
    SupersededOverdue,
)
from kafka_topology.spark_checks.planning.check import Found, NotChecked, RowTests, Seen
from kafka_topology.spark_checks.planning.subject import Subject
from kafka_topology.topology.model.declared import Key, Topic, Value

MakeTopic = Callable[..., Topic]
NOW = 1_800_000_000_000
KEY = Key("string")


def planned(tests: RowTests | NotChecked | None) -> dict[str, tuple[object, str]]:
    assert isinstance(tests, RowTests)
    return {row.name: (row.condition, row.meaning) for row in tests.rows}


def found(counts: Mapping[str, int]) -> Found:
    return Found(sum(counts.values()), 100, (), Seen(records=100, counts=counts))


@pytest.mark.parametrize(("ordering", "scope", "partitions"), [("per-key", "key", 12), ("total", "partition", 1)])
def test_a_sequence_must_grow(make_topic: MakeTopic, ordering: str, scope: Any, partitions: int) -> None:
    value = Value("json", sequence="meta.revision", timestamp="changed_at")
    tests = Order().tests(Subject(make_topic(key=KEY, ordering=ordering, value=value), partitions))
    number = NumberField(("meta", "revision"))
    rows = planned(tests)
    assert rows["meta.revision goes back"] == (Behind(number, scope), "violation")
    assert rows["meta.revision repeated"] == (Repeated(number, scope), "violation")
    assert rows["no meta.revision"][1] == "unjudged"
    assert ("null key" in rows) == (scope == "key")
    assert isinstance(tests, RowTests)
    assert tests.bound is None


def test_a_time_may_be_repeated_but_not_go_back(make_topic: MakeTopic) -> None:
    topic = make_topic(key=KEY, ordering="per-key", value=Value("json", timestamp="at"))
    rows = planned(Order().tests(Subject(topic, 12)))
    assert rows["at goes back"][0] == Behind(NumberField(("at",), time=True), "key")
    assert not any(isinstance(condition, Repeated) for condition, _ in rows.values())


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "declares no `sequence`"),
        (Value("json"), "declares no `sequence`"),
        (Value("protobuf", sequence="n"), "declared is protobuf"),
    ],
)
def test_without_a_readable_field_order_is_bounded(make_topic: MakeTopic, value: Value | None, said: str) -> None:
    tests = Order().tests(Subject(make_topic(key=KEY, ordering="per-key", value=value), 12))
    assert planned(tests)["timestamp goes back"] == (Older("key"), "violation")
    assert isinstance(tests, RowTests)
    assert tests.bound is not None
    assert said in tests.bound
    assert tests.bound.endswith(BY_RECORD_TIME)


def test_order_that_cannot_be_judged_says_why(make_topic: MakeTopic) -> None:
    assert Order().tests(Subject(make_topic(key=KEY), 12)) is None
    total = Order().tests(Subject(make_topic(ordering="total"), 2))
    per_key = Order().tests(Subject(make_topic(ordering="per-key"), 2))
    assert isinstance(total, NotChecked)
    assert "needs one partition, the topic has 2" in total.reason
    assert isinstance(per_key, NotChecked)
    assert "needs a key" in per_key.reason


def test_order_seen_in_part_is_bounded(make_topic: MakeTopic) -> None:
    topic = make_topic(key=KEY, ordering="per-key", value=Value("json", sequence="n"))
    tests = Order().tests(Subject(topic, 12, unseen="only records since May"))
    assert isinstance(tests, RowTests)
    assert tests.bound == "only records since May"


def test_only_repeated_numbers_are_explained_as_written_twice(make_topic: MakeTopic) -> None:
    subject = Subject(make_topic(key=KEY, ordering="per-key", value=Value("json", sequence="n")), 12)
    twice = Order().explain(subject, found({"n goes back": 0, "n repeated": 2}))
    back = Order().explain(subject, found({"n goes back": 1, "n repeated": 2}))
    assert twice.cause is not None
    assert "written twice" in twice.cause
    assert back.cause is not None
    assert "several producers write the same key" in back.cause


@pytest.mark.parametrize(
    ("settings", "tolerated"),
    [
        ({}, FUTURE_MS),
        ({"message.timestamp.after.max.ms": "60000"}, 60_000),
        ({"message.timestamp.after.max.ms": str(2**63 - 1)}, FUTURE_MS),
    ],
)
def test_the_future_begins_where_the_topic_says(
    make_topic: MakeTopic, settings: dict[str, str], tolerated: int
) -> None:
    rows = planned(Timestamps().tests(Subject(make_topic(), 12, settings, now_ms=NOW)))
    assert rows["in the future"] == (InFuture(NOW + tolerated), "violation")
    assert rows["older"] == (Older("partition"), "counted")
    assert len(rows) == 2


def test_the_type_of_timestamps_is_compared(make_topic: MakeTopic) -> None:
    subject = Subject(make_topic(), 12, {"message.timestamp.type": "LogAppendTime"})
    assert planned(Timestamps().tests(subject))["not LogAppendTime"] == (NotTimestampType(1), "violation")
    counts = {"in the future": 0, "older": 3, "not LogAppendTime": 2}
    verdict = Timestamps().verdict(subject, Seen(counts=counts))
    assert (verdict.metrics, verdict.notes) == ({"outOfOrder": 3}, ("3 older than an earlier record",))
    assert "became LogAppendTime" in str(Timestamps().explain(subject, found(counts)).cause)
    future = Timestamps().explain(subject, found({**counts, "in the future": 1}))
    assert "wrong clock" in str(future.cause)


@pytest.mark.parametrize(("exactly_once", "meaning"), [(True, "violation"), (False, "counted")])
def test_duplicates_are_violations_where_exactly_once_is_promised(
    make_topic: MakeTopic, exactly_once: bool, meaning: str
) -> None:
    subject = Subject(make_topic(key=KEY), 12, {"cleanup.policy": "delete"}, exactly_once=exactly_once)
    rows = planned(Compaction().tests(subject))
    assert {name: row[1] for name, row in rows.items()} == {"duplicate": meaning, "null key": "exempt"}
    verdict = Compaction().verdict(subject, Seen(records=10, counts={"duplicate": 2}))
    assert verdict.metrics == {"duplicates": 2}
    assert bool(verdict.notes) != exactly_once
    assert "retries without idempotence" in str(Compaction().explain(subject, found({"duplicate": 2})).cause)


def test_compaction_debt(make_topic: MakeTopic) -> None:
    settings = {"cleanup.policy": "compact, delete", "max.compaction.lag.ms": "3600000"}
    subject = Subject(make_topic(key=KEY), 12, settings, now_ms=NOW)
    rows = planned(Compaction().tests(subject))
    overdue = "superseded and not removed in time"
    assert rows[overdue] == (SupersededOverdue(NOW - 3_600_000 - GRACE_MS), "violation")
    counts = {"duplicate": 0, "first of its key": 60, "null key": 10, overdue: 5}
    verdict = Compaction().verdict(subject, Seen(records=100, counts=counts))
    assert verdict.metrics == {"duplicates": 0, "distinctKeys": 60, "superseded": 30, "debt": 0.3}
    assert verdict.notes == ("30 of 100 records superseded (30%)",)
    assert "max.compaction.lag.ms (3600000)" in str(Compaction().explain(subject, found(counts)).cause)


def test_compaction_without_a_limit_or_without_a_key(make_topic: MakeTopic) -> None:
    compact = {"cleanup.policy": "compact", "max.compaction.lag.ms": str(2**63 - 1)}
    rows = planned(Compaction().tests(Subject(make_topic(key=KEY), 12, compact)))
    assert not any(isinstance(condition, SupersededOverdue) for condition, _ in rows.values())
    unkeyed = Compaction().tests(Subject(make_topic(), 12, compact))
    assert isinstance(unkeyed, NotChecked)
    assert "needs keys" in unkeyed.reason
    assert Compaction().tests(Subject(make_topic(), 12, {"cleanup.policy": "delete"})) is None
