"""Gathers single calls that arrive close together into one call for the set.

The engine asks for one resource per call, several calls at once; Kafka's admin requests take many.
A batch waits a few milliseconds for company, then runs in a thread, and each caller gets the
outcome of its own item. What arrives while a batch runs gathers into the next, so that sets grow with
the load instead of with luck; only behind a batch that takes long does another start beside it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


class Batch(Generic[Item, Outcome]):
    """`run` takes the items of one set and returns their outcomes in the same order."""

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
        self._last_start = 0.0
        self._waiting: list[tuple[Item, asyncio.Future[Outcome]]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._running: set[asyncio.Task[None]] = set()

    async def submit(self, item: Item) -> Outcome:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Outcome] = loop.create_future()
        self._waiting.append((item, future))
        if len(self._waiting) >= self._limit:
            self._send()
        elif self._timer is None:
            self._timer = loop.call_later(self._window, self._send)
        return await future

    def _send(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop = asyncio.get_running_loop()
        while self._waiting and self._may_start(loop.time()):
            self._last_start = loop.time()
            loop.call_later(self._patience, self._send)
            calls, self._waiting = self._waiting[: self._limit], self._waiting[self._limit :]
            task = loop.create_task(self._answer(calls))
            self._running.add(task)
            task.add_done_callback(self._ended)

    def _may_start(self, now: float) -> bool:
        if not self._running:
            return True
        return len(self._running) < self._at_a_time and now - self._last_start >= self._patience

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Its callers come back with their next calls in a moment: those and what waits make one set."""
        self._running.discard(task)
        if self._waiting and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._window, self._send)

    async def _answer(self, calls: list[tuple[Item, asyncio.Future[Outcome]]]) -> None:
        try:
            outcomes = await asyncio.to_thread(self._run, [item for item, _ in calls])
            pairs = list(zip(calls, outcomes, strict=True))
        except Exception as error:  # noqa: BLE001 - whatever went wrong, every caller must hear of it
            for _, future in calls:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, future), outcome in pairs:
            if not future.done():
                future.set_result(outcome)
