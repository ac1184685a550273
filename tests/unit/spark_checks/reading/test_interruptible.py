"""Ctrl-C during a check is an interruption, whatever handler was set before."""

from __future__ import annotations

import signal
import threading

import pytest

pytest.importorskip("pyspark")

from kafka_topology.spark_checks.reading.session import interruptible


def test_another_handler_waits_until_the_check_is_over() -> None:
    told: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: told.append(number))
    try:
        with pytest.raises(KeyboardInterrupt), interruptible():
            signal.raise_signal(signal.SIGINT)
        assert told == []
        signal.raise_signal(signal.SIGINT)
        assert told == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_another_thread_nothing_is_changed() -> None:
    seen: list[object] = []

    def work() -> None:
        with interruptible():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]
