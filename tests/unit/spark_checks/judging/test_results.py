"""From a plan and a tally to results and hot keys. No Spark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Literal

import pytest

from kafka_topology.spark_checks.conditions.record import Behind, FirstOfKey, NullKey, RowTest
from kafka_topology.spark_checks.judging.results import Results
from kafka_topology.spark_checks.planning.check import About, Check, Explanation, Fault, Found, RowTests, Seen, Verdict
from kafka_topology.spark_checks.planning.plan import Plan, plan
from kafka_topology.spark_checks.planning.subject import Subject
from kafka_topology.spark_checks.reading.ranges import Pinned, Range, Sampled, Stratum
from kafka_topology.spark_checks.registry import builtin_checks
from kafka_topology.spark_checks.results.evidence import Evidence, KeyPlaces, SplitKey
from kafka_topology.spark_checks.results.report import CheckResult, PartitionCount, Position
from kafka_topology.spark_checks.results.scan import Group, HotKey, Tally
from kafka_topology.topology.model.declared import CheckLimits, Key, Topic, Value

MakeTopic = Callable[..., Topic]
ALL = Pinned("t", ())


def subject(make_topic: MakeTopic, **key: object) -> Subject:
    topic = make_topic(key=Key(**{"type": "string", **key}), ordering="per-key", value=Value("json", sequence="n"))
    return Subject(topic, 4, {"cleanup.policy": "compact"})


def bit(asked: Plan, condition: type) -> int:
    return next(index for index, each in enumerate(asked.conditions) if isinstance(each, condition))


def result(results: Results, check_id: str) -> CheckResult:
    return next(each for each in results.checks(ALL) if each.check == check_id)


def test_what_two_checks_ask_is_asked_once(make_topic: MakeTopic) -> None:
    asked = plan(subject(make_topic), builtin_checks())
    assert len(set(asked.conditions)) == len(asked.conditions)
    null_keys = [each.check.id for each in asked.planned if any(row.condition == NullKey() for row in each.tests.rows)]
    assert {"nulls", "compaction", "order"} <= set(null_keys)
    assert NullKey() in asked.violations.values()
    assert FirstOfKey() not in asked.violations.values()
    assert asked.hot_keys
    # A null key is a violation for one check, and none of another's business.
    by_check = {each.check.id: each for each in asked.planned}
    assert by_check["order"].bits_of("exempt") & by_check["nulls"].bits_of("violation")


def test_results_from_groups(make_topic: MakeTopic) -> None:
    about = subject(make_topic)
    asked = plan(about, builtin_checks())
    first, behind, null = (1 << bit(asked, condition) for condition in (FirstOfKey, Behind, NullKey))
    tally = Tally(
        (
            Group(1, first, 50, 0, 90, 500),
            Group(1, behind, 3, 7, 70, 30),
            Group(3, behind, 2, 4, 5, 20),
            Group(3, null, 1, 9, 9, 5),
        ),
        (HotKey(1, b"jane", 120),),
    )
    evidence = (
        Evidence(bit(asked, Behind), 3, 4, 0, b"joe", 3),
        Evidence(bit(asked, Behind), 1, 7, 0, b"jane", 4),
        Evidence(bit(asked, NullKey), 3, 9, 0, None, None),
    )
    results = Results(about, asked, replace(tally, evidence=evidence))
    assert results.question() is None
    order = result(results, "order")
    assert (order.status, order.violations, order.judged, order.unjudged, order.exempt) == ("exact", 5, 55, 0, 1)
    assert order.faults == {"n goes back": 5}
    assert order.partitions == (PartitionCount(1, 3, 7, 70), PartitionCount(3, 2, 4, 5))
    assert (order.first, order.last) == (Position(1, 7), Position(3, 5))
    assert [(each.position, each.key) for each in order.examples] == [(Position(1, 7), "xxxx"), (Position(3, 4), "xxx")]
    assert order.cause is not None
    assert result(results, "nulls").faults == {"null key": 1}
    assert result(results, "compaction").metrics["superseded"] == 5
    assert [each.key for each in results.hot_keys()] == ["xxxx"]
    pinned = Pinned("t", tuple(Range(partition, 0, 100) for partition in range(4)))
    assert [(each.records, each.bytes, each.deleted_to) for each in results.ranges(pinned, {3: 4})] == [
        (0, 0, None),
        (53, 530, None),
        (0, 0, None),
        (3, 25, 4),
    ]


def test_examples_come_from_every_partition_in_turn(make_topic: MakeTopic) -> None:
    about = subject(make_topic)
    asked = plan(about, builtin_checks())
    null = bit(asked, NullKey)
    tally = Tally((Group(0, 1 << null, 9, 0, 8, 9), Group(2, 1 << null, 1, 5, 5, 1)))
    evidence = (*(Evidence(null, 0, offset, 0, None, None) for offset in range(9)), Evidence(null, 2, 5, 0, None, None))
    named = result(Results(about, asked, replace(tally, evidence=evidence), examples=3), "nulls").examples
    assert [each.position for each in named] == [Position(0, 0), Position(0, 1), Position(2, 5)]


def test_split_keys_are_shown_with_their_partitions(make_topic: MakeTopic) -> None:
    about = subject(make_topic)
    asked = plan(about, builtin_checks())
    tally = Tally((Group(1, 1, 1, 8, 8, 10),))  # the first bit is `misplaced`
    results = Results(about, asked, tally)
    assert results.question() is not None
    places = KeyPlaces(40, 1, (0, 7), (1, 8), (SplitKey(b"jane", 4, (0, 1), 0, 7),))
    answered = result(Results(about, asked, tally, keys=places), "single-partition")
    assert (answered.violations, answered.first, answered.last) == (1, Position(0, 7), Position(1, 8))
    (example,) = answered.examples
    assert (example.key, example.partitions, example.position) == ("xxxx", (0, 1), Position(0, 7))


@pytest.mark.parametrize(("most", "outcome"), [("1/1000", "violated"), ("99/100", "violated"), ("1", "tolerated")])
def test_cardinality_is_about_one_topic_however_many_records_it_has(
    make_topic: MakeTopic, most: str, outcome: str
) -> None:
    limits = {"cardinality": CheckLimits(max_violations=Fraction(most))}
    about = Subject(make_topic(key=Key("string", distinct=10), checks=limits), 4)
    asked = plan(about, builtin_checks())
    tally = Tally((Group(0, 1 << bit(asked, FirstOfKey), 100, 0, 99, 1), Group(1, 0, 1_000_000, 0, 999_999, 1)))
    many = result(Results(about, asked, tally), "cardinality")
    assert (many.violations, many.outcome) == (1, outcome)


@pytest.mark.parametrize(
    ("counts", "most", "outcome"),
    [
        ("record", "2/1000", "tolerated"),
        ("key", "99/100", "violated"),  # nobody says how many keys there are
        ("partition", "49/100", "violated"),
        ("partition", "1/2", "tolerated"),
        ("topic", "99/100", "violated"),
    ],
)
def test_a_limit_is_a_share_of_what_the_check_counts(
    make_topic: MakeTopic, counts: Literal["record", "key", "partition", "topic"], most: str, outcome: str
) -> None:
    """Also where the check does not say how many of them there are."""

    class Other(Check):
        about = About(id="acme/other", summary="", why="", needs="", violation="", counts=counts)

        def tests(self, subject: Subject) -> RowTests:  # noqa: ARG002 - the base class's signature
            return RowTests((RowTest("null key", NullKey(), "counted"),))

        def verdict(self, subject: Subject, seen: Seen) -> Verdict:  # noqa: ARG002
            return Verdict(fault=Fault("two of them", 2))

        def explain(self, subject: Subject, found: Found) -> Explanation:  # noqa: ARG002
            return Explanation(None, "")

    limits = {"acme/other": CheckLimits(max_violations=Fraction(most))}
    about = Subject(make_topic(key=Key("string"), checks=limits), 4)
    tally = Tally((Group(0, 0, 1000, 0, 999, 1),))
    assert result(Results(about, plan(about, [Other()]), tally), "acme/other").outcome == outcome


def test_every_number_is_documented(make_topic: MakeTopic) -> None:
    about = subject(make_topic)
    places = KeyPlaces(40, 1, (0, 7), (1, 8))
    results = list(Results(about, plan(about, builtin_checks()), Tally(()), keys=places).checks(ALL))
    documented = {check.id: set(check.about.metrics) for check in builtin_checks()}
    assert {name for name, metrics in documented.items() if metrics} <= {each.check for each in results}
    for each in results:
        assert set(each.metrics) == documented[each.check], each.check


def test_a_sample_bounds_what_was_checked_and_estimates_what_is_judged_record_by_record(make_topic: MakeTopic) -> None:
    about = subject(make_topic, type="bytes")
    drawn = Sampled(0.5, 1, tuple(Stratum(number, 10, 10, 5) for number in range(4)), (Range(0, 0, 50),))
    pinned = Pinned("t", tuple(Range(number, 0, 100) for number in range(4)), "a sample", drawn)
    found = {each.check: each for each in Results(about, plan(about, builtin_checks()), Tally(())).checks(pinned)}
    assert list(found) == [check.id for check in builtin_checks() if check.id in found]
    assert found["key-type"] == CheckResult("key-type", "not-checked", reason="any key is of type bytes")
    checked = {name: each for name, each in found.items() if each.status != "not-checked"}
    assert {each.status for each in checked.values()} == {"bounded"}
    assert {each.reason for each in checked.values()} == {"a sample"}
    estimated = {name for name, each in checked.items() if each.estimate is not None}
    allowed = {check.id for check in builtin_checks() if check.about.estimated}
    assert estimated == allowed & set(checked)
    assert estimated >= {"placement", "nulls", "value-schema", "timestamps"}
