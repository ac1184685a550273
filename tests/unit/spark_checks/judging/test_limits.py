"""What limits make of a result, and that nothing judged is never nothing found."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kafka_topology.spark_checks.judging.limits import limited
from kafka_topology.spark_checks.results.report import CheckResult
from kafka_topology.topology.model.declared import CheckLimits


def found(violations: int, judged: int, unjudged: int = 0) -> CheckResult:
    return CheckResult("order", "exact", violations=violations, judged=judged, unjudged=unjudged)


@pytest.mark.parametrize(
    ("result", "limits", "outcome"),
    [
        (found(0, 10), CheckLimits(), "passed"),
        (found(0, 0), CheckLimits(), "passed"),
        (found(1, 10), CheckLimits(), "violated"),
        (found(0, 999, 1), CheckLimits(), "could-not-check"),
        (found(0, 999, 1), CheckLimits(min_judged=Fraction(999, 1000)), "passed"),
        (found(0, 998, 2), CheckLimits(min_judged=Fraction(999, 1000)), "could-not-check"),
        (found(1, 1000), CheckLimits(max_violations=Fraction(1, 1000)), "tolerated"),
        (found(2, 1000), CheckLimits(max_violations=Fraction(1, 1000)), "violated"),
        (found(1, 1000, 1), CheckLimits(max_violations=Fraction(1, 1000)), "could-not-check"),
        (found(2, 1000, 500), CheckLimits(max_violations=Fraction(1, 1000)), "violated"),
        (found(0, 0, 5), CheckLimits(), "could-not-check"),
        (found(0, 0, 5), CheckLimits(min_judged=Fraction(0)), "not-checked"),
    ],
)
def test_outcomes(result: CheckResult, limits: CheckLimits, outcome: str) -> None:
    assert limited(result, limits).outcome == outcome


def test_nothing_judged_is_not_none_found() -> None:
    nothing = limited(found(0, 0, 5), CheckLimits())
    assert (nothing.status, nothing.violations) == ("not-checked", None)


def test_a_check_that_applies_to_no_record_is_not_made() -> None:
    """Such as order in a topic of tombstones."""
    exempt = limited(CheckResult("order", "exact", violations=0, exempt=7), CheckLimits())
    assert (exempt.status, exempt.violations, exempt.outcome) == ("not-checked", None, "not-checked")
    assert exempt.reason == "it applies to none of 7 records"


def test_what_is_counted_may_not_be_records() -> None:
    tenth = CheckLimits(max_violations=Fraction(1, 10))
    assert limited(found(2, 1000), tenth, out_of=10).outcome == "violated"
    assert limited(found(1, 1000), tenth, out_of=10).outcome == "tolerated"
