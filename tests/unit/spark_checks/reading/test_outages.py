"""How long a Spark Connect server that does not answer is waited for. No Spark."""

from __future__ import annotations

from kafka_topology.spark_checks.reading.outages import LONGEST_S, Outage


def test_an_outage_is_waited_for_once_however_many_requests_fail() -> None:
    now = 100.0
    outage = Outage(lambda: now)
    assert outage.may_end()
    now += LONGEST_S / 2
    assert outage.may_end()
    now += LONGEST_S / 2
    assert not outage.may_end()
    for _ in range(100):  # the next topics fail at once
        now += 1
        assert not outage.may_end()
    now += LONGEST_S + 1  # it answered in between
    assert outage.may_end()
