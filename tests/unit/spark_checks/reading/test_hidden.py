"""Records behind open transactions: when a transaction hangs, and what the results are then worth."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from kafka_topology.cluster.live.transactions import OpenTransaction, age_of, is_hanging
from kafka_topology.spark_checks.judging.partial import bounded
from kafka_topology.spark_checks.reading.hidden import Hidden, with_hidden
from kafka_topology.spark_checks.reading.ranges import Pinned, Range
from kafka_topology.spark_checks.results.report import CheckResult

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def ago(**duration: float) -> datetime:
    return NOW - timedelta(**duration)


@pytest.mark.parametrize(
    ("transaction", "hangs"),
    [
        (OpenTransaction(1, 5, started=ago(seconds=59), timeout=timedelta(minutes=1)), False),
        # Brokers need a moment to end what is over its time.
        (OpenTransaction(1, 5, started=ago(seconds=90), timeout=timedelta(minutes=1)), False),
        (OpenTransaction(1, 5, started=ago(minutes=3), timeout=timedelta(minutes=1)), True),
        (OpenTransaction(1, 5, started=ago(minutes=50), timeout=timedelta(hours=1)), False),
        # The last record says at least since when it is open.
        (OpenTransaction(1, 5, last_write=ago(minutes=14)), False),
        (OpenTransaction(1, 5, last_write=ago(minutes=16)), True),
        (OpenTransaction(1, 5), False),
    ],
)
def test_a_transaction_hangs_when_no_broker_lets_it_be_open_that_long(
    transaction: OpenTransaction, hangs: bool
) -> None:
    assert is_hanging(transaction, NOW) is hangs


def test_a_start_in_the_future_is_a_clock_that_differs() -> None:
    assert age_of(OpenTransaction(1, 5, started=ago(seconds=-3)), NOW) == timedelta()


def test_what_is_hidden_leaves_no_result_exact() -> None:
    held = Pinned("t", (Range(0, 0, 10), Range(1, 0, 4)))
    assert with_hidden(held, ()) == held
    one = with_hidden(held, [Hidden(Range(0, 10, 33), NOW)])
    assert one.partial == "open transactions hide 23 offsets at the end of partition 0"
    both = with_hidden(held, [Hidden(Range(0, 10, 33), NOW), Hidden(Range(1, 4, 5), NOW)])
    assert both.partial == "open transactions hide 24 offsets at the end of 2 partitions"
    result = bounded(CheckResult("nulls", "exact", violations=0), one, with_estimate=True)
    assert (result.status, result.reason, result.estimate) == ("bounded", one.partial, None)
    unchecked = CheckResult("nulls", "not-checked", reason="why")
    assert bounded(unchecked, held, with_estimate=True) == unchecked
