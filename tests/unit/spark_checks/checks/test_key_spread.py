"""One partition for a key, skew and the number of keys: pure conclusions from numbers. No Spark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from kafka_topology.spark_checks.checks.cardinality import Cardinality
from kafka_topology.spark_checks.checks.single_partition import SinglePartition
from kafka_topology.spark_checks.checks.skew import Skew
from kafka_topology.spark_checks.conditions.record import Era, KeyQuestion
from kafka_topology.spark_checks.planning.check import Found, NotChecked, PartitionTotal, RowTests, Seen
from kafka_topology.spark_checks.planning.subject import Subject
from kafka_topology.spark_checks.results.evidence import KeyPlaces, SplitKey
from kafka_topology.spark_checks.results.report import Position
from kafka_topology.spark_checks.results.scan import HotKey
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS
from kafka_topology.topology.model.declared import Key, Partitioner, PartitionEra, Topic

MakeTopic = Callable[..., Topic]
PAST = (PartitionEra(3, datetime(2026, 3, 1, tzinfo=UTC)),)


def spread(*records: int, hot_keys: tuple[HotKey, ...] = ()) -> Seen:
    totals = tuple(
        PartitionTotal(index, count, 10 * count, 0 if count else None, count - 1 if count else None)
        for index, count in enumerate(records)
    )
    return Seen(records=sum(records), partitions=totals, hot_keys=hot_keys)


def keyed(make_topic: MakeTopic, partitions: int = 6, **key: object) -> Subject:
    return Subject(make_topic(key=Key("string", **key)), partitions)


@pytest.mark.parametrize("history", [(), PAST])
def test_what_lies_where_it_belongs_lies_in_one_place(make_topic: MakeTopic, history: tuple[PartitionEra, ...]) -> None:
    subject = keyed(make_topic, history=history)
    seen = Seen(records=100, counts={"misplaced": 0, "undetermined": 4})
    assert SinglePartition().asks(subject, seen) is None
    assert SinglePartition().verdict(subject, seen).fault is None


def test_misplaced_records_are_worth_a_query(make_topic: MakeTopic) -> None:
    question = SinglePartition().asks(
        keyed(make_topic, history=PAST), Seen(records=100, counts={"misplaced": 1, "undetermined": 0})
    )
    assert question == KeyQuestion((Era(3, 1772323200000), Era(6)), HASH_PARTITIONERS["murmur2"])


@pytest.mark.parametrize("name", ["explicit", "custom"])
def test_what_cannot_be_recomputed_is_always_asked(make_topic: MakeTopic, name: str) -> None:
    subject = keyed(make_topic, partitioner=Partitioner(name))
    assert SinglePartition().tests(subject) == RowTests(())
    assert SinglePartition().asks(subject, Seen(records=1)) == KeyQuestion((Era(6),), None)
    assert SinglePartition().asks(subject, Seen()) is None
    only_one = keyed(make_topic, 1, partitioner=Partitioner(name))
    assert SinglePartition().asks(only_one, Seen(records=1)) is None


def test_keys_that_go_anywhere_are_not_checked(make_topic: MakeTopic) -> None:
    answer = SinglePartition().tests(keyed(make_topic, partitioner=Partitioner("round-robin")))
    assert isinstance(answer, NotChecked)
    assert "ties no key to a partition" in answer.reason
    assert SinglePartition().tests(Subject(make_topic(), 6)) is None


def test_split_keys_are_counted_and_named(make_topic: MakeTopic) -> None:
    split = SplitKey(b"a", 1, (0, 3), 0, 7)
    seen = Seen(records=100, keys=KeyPlaces(40, 2, (0, 7), (3, 9), (split,)))
    subject = keyed(make_topic)
    verdict = SinglePartition().verdict(subject, seen)
    assert verdict.metrics == {"splitKeys": 2, "distinctKeys": 40}
    assert verdict.fault is not None
    assert (verdict.fault.violations, verdict.fault.first, verdict.fault.last) == (2, Position(0, 7), Position(3, 9))
    assert verdict.fault.keys == (split,)
    none = SinglePartition().verdict(subject, Seen(records=100, keys=KeyPlaces(40)))
    assert (none.metrics, none.fault) == ({"splitKeys": 0, "distinctKeys": 40}, None)
    assert "2 of 40 keys" in str(SinglePartition().explain(subject, Found(2, 100, (), seen)).cause)


@pytest.mark.parametrize(
    ("records", "too_full"),
    [
        ((900, 100), [0]),
        ((750, 250), []),
        ((751, 249), [0]),
        ((0, 0, 0, 1000), [3]),
        ((200, 200, 200, 200, 200, 200), []),
        ((100, 100, 100, 100, 100, 501), [5]),
        ((900, 99), []),  # too few records
        ((*[1] * 996, 4, 5, 6), []),  # chance, not skew
    ],
)
def test_a_partition_with_three_times_the_others_is_too_full(
    make_topic: MakeTopic, records: tuple[int, ...], too_full: list[int]
) -> None:
    fault = Skew().verdict(keyed(make_topic, len(records)), spread(*records)).fault
    assert ([] if fault is None else [count.partition for count in fault.partitions]) == too_full


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ((600, 400), "1.5 times what the others hold on average"),  # 1.2 times the mean
        ((900, 50, 50), "18.0 times what the others hold on average"),
        ((0, 1000), "all records"),
    ],
)
def test_skew_says_the_number_that_it_judges_by(make_topic: MakeTopic, records: tuple[int, ...], said: str) -> None:
    verdict = Skew().verdict(keyed(make_topic, len(records)), spread(*records))
    assert verdict.notes == (f"the fullest partition holds {said}",)


def test_skew_is_not_judged_where_a_part_was_not_read(make_topic: MakeTopic) -> None:
    subject = replace(keyed(make_topic, 2), unseen="open transactions hide 900 offsets at the end of partition 1")
    verdict = Skew().verdict(subject, spread(1000, 100))
    assert verdict.fault is None
    assert verdict.open is not None
    assert "open transactions hide 900 offsets" in verdict.open


def test_skew_in_numbers(make_topic: MakeTopic) -> None:
    seen = spread(300, 0, 1500, 200, hot_keys=(HotKey(2, b"a", 1000), HotKey(0, b"b", 150)))
    verdict = Skew().verdict(keyed(make_topic, 4), seen)
    assert verdict.metrics == {
        "meanRecords": 500.0,
        "maxRecords": 1500,
        "maxToMean": 3.0,
        "maxBytes": 15_000,
        "emptyPartitions": 1,
        "hotKeyShare": 0.5,
    }
    cause = Skew().explain(keyed(make_topic, 4), Found(1, 2000, (), seen)).cause
    assert cause == "one key has 67% of the records of partition 2"
    without = Skew().explain(keyed(make_topic, 4), Found(1, 2000, (), spread(300, 0, 1500, 200))).cause
    assert "1 of 4 partitions are empty" in str(without)


@pytest.mark.parametrize("key", [None, Key("none"), Key("string", partitioner=Partitioner("explicit"))])
def test_skew_is_no_violation_where_nothing_promises_a_spread(make_topic: MakeTopic, key: Key | None) -> None:
    verdict = Skew().verdict(Subject(make_topic(key=key), 4), spread(0, 0, 0, 2000))
    assert verdict.fault is None
    assert "not a violation" in verdict.notes[1]


def test_one_partition_has_no_skew(make_topic: MakeTopic) -> None:
    assert isinstance(Skew().tests(Subject(make_topic(), 1)), NotChecked)


@pytest.mark.parametrize(
    ("distinct", "keys", "records", "fault"),
    [
        (100, 200, 5000, None),
        (100, 201, 5000, "number of keys above key.distinct"),
        (None, 5, 5000, "number of keys below the partitions"),
        (None, 5, 999, None),
        (None, 6, 5000, None),
    ],
)
def test_the_number_of_keys(
    make_topic: MakeTopic, distinct: int | None, keys: int, records: int, fault: str | None
) -> None:
    subject = keyed(make_topic, distinct=distinct)
    seen = Seen(records=records, counts={"first of its key": keys}, distinct_in={0: keys})
    verdict = Cardinality().verdict(subject, seen)
    assert verdict.metrics == {"distinctKeys": keys, "distinctKeysAtLeast": keys}
    assert (verdict.fault.name if verdict.fault else None) == fault
    assert verdict.bound is None
    if fault is not None:
        assert f"{keys}" in str(Cardinality().explain(subject, Found(1, records, (), seen)).cause)


def test_keys_that_may_lie_in_several_partitions_are_bounded(make_topic: MakeTopic) -> None:
    seen = Seen(records=5000, counts={"first of its key": 300}, distinct_in={0: 200, 1: 100})
    for subject in (
        keyed(make_topic, history=PAST, distinct=100),
        keyed(make_topic, partitioner=Partitioner("sticky"), distinct=100),
    ):
        verdict = Cardinality().verdict(subject, seen)
        assert verdict.metrics == {"distinctKeys": 300, "distinctKeysAtLeast": 200}
        assert verdict.bound is not None
        assert verdict.fault is None
        asked = Seen(**{**{name: getattr(seen, name) for name in seen.__slots__}, "keys": KeyPlaces(250)})
        exact = Cardinality().verdict(subject, asked)
        assert exact.metrics == {"distinctKeys": 250, "distinctKeysAtLeast": 250}
        assert exact.bound is None
        assert exact.fault is not None
