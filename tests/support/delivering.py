"""A producer for tests: a record that does not arrive fails the test.

`flush` of a plain producer says only that no record waits. One that was refused does not wait either.
"""

from __future__ import annotations

import time
from typing import Any

from confluent_kafka import KafkaError, Message, Producer

_Call = tuple[tuple[Any, ...], dict[str, Any]]


class SureProducer(Producer):
    """Sends again what a broker refused only because it had not heard of a new partition yet."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(settings)
        self._early: list[_Call] = []
        self._refused: list[KafkaError] = []

    def produce(self, *values: Any, **named: Any) -> None:
        told = named.pop("on_delivery", None)

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is not None and error.code() == KafkaError._UNKNOWN_PARTITION:
                self._early.append((values, {**named, "on_delivery": told}))
                return
            if error is not None:
                self._refused.append(error)
            if told is not None:
                told(error, message)

        super().produce(*values, on_delivery=delivered, **named)

    def flush(self, timeout: float = 60) -> int:
        """Always 0: anything else raises."""
        deadline = time.monotonic() + timeout
        waiting = super().flush(timeout)
        while self._early and not waiting and time.monotonic() < deadline:
            self.poll(0.05)
            again, self._early = self._early, []
            for values, named in again:
                self.produce(*values, **named)
            waiting = super().flush(max(0.1, deadline - time.monotonic()))
        lost = waiting + len(self._early)
        assert not lost, f"{lost} records were not delivered within {timeout} s"
        assert not self._refused, f"{len(self._refused)} records were refused, the first with {self._refused[0]}"
        return 0
