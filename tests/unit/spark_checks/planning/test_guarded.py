"""A check of others that fails or answers nonsense costs itself, and no other check of the topic. No Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kafka_topology.spark_checks.conditions.record import NullKey, RowTest
from kafka_topology.spark_checks.judging.results import Results
from kafka_topology.spark_checks.planning.check import About, Check, Explanation, Fault, RowTests, Verdict
from kafka_topology.spark_checks.planning.plan import plan
from kafka_topology.spark_checks.planning.subject import Subject
from kafka_topology.spark_checks.reading.ranges import Pinned
from kafka_topology.spark_checks.registry import builtin_checks
from kafka_topology.spark_checks.results.scan import Group, Tally
from kafka_topology.topology.model.declared import Key, Topic

NULLS = RowTests((RowTest("null key", NullKey()),))


def raising(error: BaseException) -> Callable[..., Any]:
    def method(*_: object) -> None:
        raise error

    return method


class Odd(Check):
    about = About(id="acme/odd", summary="S.", why="W.", needs="n", violation="v")

    def __init__(self, method: str | None = None, answer: object = None) -> None:
        if method is not None:
            setattr(self, method, answer if callable(answer) else lambda *_: answer)

    def tests(self, _: Subject) -> RowTests:
        return NULLS

    def explain(self, *_: object) -> Explanation:
        return Explanation(None, "fix")


@pytest.mark.parametrize("method", ["tests", "asks", "verdict", "explain"])
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (raising(ValueError("boom \x1b[31m\nred")), "ValueError: boom [31m red"),
        (raising(SystemExit(0)), "SystemExit: 0"),
        ("nonsense", "TypeError: it returns 'nonsense'"),
        (42, "TypeError: it returns 42"),
        ([42], "TypeError: it returns [42]"),
        (RowTests(("x",)), "TypeError: it returns RowTests"),
        (Verdict({"a": float("nan")}), "TypeError: it returns Verdict"),
        (Verdict(fault=Fault("f", -1)), "TypeError: it returns Verdict"),
        (Verdict(unjudged=1_000), "TypeError: it returns Verdict"),
        (Explanation(1, 2), "TypeError: it returns Explanation"),
    ],
)
def test_a_failing_check_is_named_and_costs_no_other(
    make_topic: Callable[..., Topic], method: str, answer: object, said: str
) -> None:
    about = Subject(make_topic(key=Key(type="string")), 4)

    def results(*more: Check) -> dict[str, Any]:
        asked = plan(about, (*builtin_checks(), *more))
        null = 1 << asked.conditions.index(NullKey())
        found = Results(about, asked, Tally((Group(0, null, 3, 0, 2, 0),)))
        assert found.question() is None
        return {each.check: each for each in found.sound().checks(Pinned("t", ()))}

    alone, beside = results(), results(Odd(method, answer))
    odd = beside.pop("acme/odd")
    assert beside == alone
    assert alone["nulls"].outcome == "violated"
    assert (odd.status, odd.outcome, odd.violations) == ("not-checked", "could-not-check", None)
    package = Odd.__module__.partition(".")[0]
    assert odd.reason.startswith(f"check acme/odd of {package} fails in `{method}`: {said}")
    assert results(Odd())["acme/odd"].violations == 3
