"""Gathers single calls that arrive close together into one call for the set.

The engine asks for one resource per call, several calls at once; Kafka's admin requests take many. A batch waits a
moment for more calls, runs in a thread, and gives each caller the outcome of its own item. It does not wait when no
more calls can come: the engine has a limited number of calls open and sends the next when one is answered. Calls that
arrive while a batch runs form the next one. A second batch runs beside the first only when that one takes long.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

# Wait for more calls at most half as long as a set takes: that is cheaper than another set for them.
_SHARE_OF_A_SET: Final = 0.5
_LONGEST_WINDOW: Final = 0.05
_WEIGHT_OF_THE_LAST: Final = 0.3


class Batch(Generic[Item, Outcome]):
    """`run` takes the items of one set and returns their outcomes in the same order.

    `window` is the shortest wait for more calls. Another set starts beside one that takes longer than `patience`.
    """

    def __init__(
        self,
        run: Callable[[Sequence[Item]], Sequence[Outcome]],
        *,
        window: float = 0.005,
        limit: int = 250,
        at_a_time: int = 4,
        patience: float = 1.0,
    ) -> None:
        self._run = run
        self._window = window
        self._limit = limit
        self._at_a_time = at_a_time
        self._patience = patience
        self._usual = 0.0  # how long recent sets took
        self._last_start = 0.0
        self._under_way = 0
        self._expected = 0  # the estimated number of callers
        self._waiting: list[tuple[Item, asyncio.Future[Outcome]]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._running: set[asyncio.Task[None]] = set()

    async def submit(self, item: Item) -> Outcome:
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        self._under_way += 1
        try:
            if len(self._waiting) >= self._limit or self._under_way == len(self._waiting) == self._expected:
                self._send()
            elif self._timer is None:
                self._send_in(self._gathering())
            return await future
        finally:
            self._under_way -= 1

    def _gathering(self) -> float:
        return max(self._window, min(_LONGEST_WINDOW, self._usual * _SHARE_OF_A_SET))

    def _send_in(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._send)

    def _send(self) -> None:
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._waiting and len(self._running) < self._at_a_time:
            wait = self._last_start + self._patience - loop.time() if self._running else 0.0
            if wait > 0:
                self._send_in(wait)
                return
            # Fewer calls than expected came in time: expect one less next time.
            self._expected = max(self._under_way, self._expected - 1)
            self._last_start = loop.time()
            calls, self._waiting = self._waiting[: self._limit], self._waiting[self._limit :]
            task = loop.create_task(self._answer(calls))
            self._running.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Waits a moment, because its callers are about to send their next calls, and one set can take all of them."""
        self._running.discard(task)
        if self._waiting:
            self._send_in(self._gathering())

    async def _answer(self, calls: list[tuple[Item, asyncio.Future[Outcome]]]) -> None:
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            outcomes = await asyncio.to_thread(self._run, [item for item, _ in calls])
            pairs = list(zip(calls, outcomes, strict=True))
        except Exception as error:  # noqa: BLE001 - every caller must get the error
            for _, future in calls:
                if not future.done():
                    future.set_exception(error)
            return
        self._usual += (loop.time() - started - self._usual) * _WEIGHT_OF_THE_LAST
        for (_, future), outcome in pairs:
            if not future.done():
                future.set_result(outcome)
