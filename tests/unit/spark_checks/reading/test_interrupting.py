"""Ctrl-C during a check is an interruption, whatever handler was set before."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import pytest

pytest.importorskip("pyspark")

from pyspark.errors import PySparkException

from kafka_topology.spark_checks.reading import interrupting
from kafka_topology.spark_checks.reading.interrupting import StillRunning, ctrl_c_raises, interruptibly


def test_another_handler_waits_until_the_check_is_over() -> None:
    told: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: told.append(number))
    try:
        with pytest.raises(KeyboardInterrupt), ctrl_c_raises():
            signal.raise_signal(signal.SIGINT)
        assert told == []
        signal.raise_signal(signal.SIGINT)
        assert told == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_another_thread_nothing_is_changed() -> None:
    seen: list[object] = []

    def work() -> None:
        with ctrl_c_raises():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


class OnConnect:
    """Looks like a session of Spark Connect whose operations end after a few requests."""

    def __init__(self, ends_after: int) -> None:
        self.ends_after = ends_after
        self.tags: dict[int, set[str]] = {threading.get_ident(): {"of-the-caller"}}
        self.requests: list[str] = []
        self.ended = threading.Event()

    @property
    def sparkContext(self) -> None:
        raise PySparkException("none here")

    def getTags(self) -> set[str]:
        return set(self.tags.get(threading.get_ident(), ()))

    def addTag(self, tag: str) -> None:
        self.tags.setdefault(threading.get_ident(), set()).add(tag)

    def interruptTag(self, tag: str) -> None:
        self.requests.append(tag)
        if len(self.requests) == self.ends_after:
            self.ended.set()


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_the_work_is_cancelled_until_it_is_over() -> None:
    spark: Any = OnConnect(ends_after=3)
    seen: list[set[str]] = []

    def work() -> None:
        seen.append(spark.getTags())
        interrupt()
        assert spark.ended.wait(60)
        seen.append(set())

    with pytest.raises(KeyboardInterrupt) as raised:
        interruptibly(spark, work)
    assert not isinstance(raised.value, StillRunning)
    tags, over = seen
    assert over == set()
    assert set(spark.requests) == tags - {"of-the-caller"}  # nothing else of the session is cancelled
    assert "of-the-caller" in tags


def test_work_that_does_not_end_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupting, "PATIENCE_S", 0.1)
    spark: Any = OnConnect(ends_after=10**9)
    end = threading.Event()

    def work() -> None:
        interrupt()
        end.wait(60)

    with pytest.raises(StillRunning):
        interruptibly(spark, work)
    end.set()


def test_a_second_ctrl_c_waits_no_longer() -> None:
    spark: Any = OnConnect(ends_after=1)
    end = threading.Event()

    def work() -> None:
        interrupt()
        assert spark.ended.wait(60)  # the first one has arrived
        interrupt()
        end.wait(60)

    with pytest.raises(StillRunning):
        interruptibly(spark, work)
    end.set()


def test_results_and_failures_come_out() -> None:
    spark: Any = OnConnect(ends_after=1)
    assert interruptibly(spark, lambda: 1) == 1
    with pytest.raises(ZeroDivisionError):
        interruptibly(spark, lambda: 1 / 0)
    assert spark.requests == []
