"""Shares one read of everything among calls that need parts of it at nearly the same time.

In a refresh, the engine asks for one resource after the other, a few at once. A change of ours invalidates the read.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Generic, TypeVar

from kafka_topology.cluster.outcomes import Failure, Outcome

from ..plugin.batches import Batch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")
Change = TypeVar("Change")
Applied = TypeVar("Applied")
Key = TypeVar("Key")
Live = TypeVar("Live")
_SECONDS = 1.0


class Recent(Generic[T]):
    def __init__(self, look: Callable[[], Outcome[T]], clock: Callable[[], float] = time.monotonic) -> None:
        self._look = look
        self._clock = clock
        self._changes = 0
        self._seen: tuple[T, int, float] | None = None

    def __call__(self) -> Outcome[T]:
        if self._seen is not None:
            value, changes, until = self._seen
            if changes == self._changes and self._clock() < until:
                return value
        changes = self._changes  # a change during the read invalidates it too
        seen = self._look()
        if not isinstance(seen, Failure):
            self._seen = (seen, changes, self._clock() + _SECONDS)
        return seen

    def forget(self) -> None:
        self._changes += 1


class RecentBatches(Generic[Change, Applied, Key, Live]):
    """The calls of a kind that reads all its resources in one request; `part` finds one of them in the answer."""

    def __init__(
        self,
        apply: Callable[[Sequence[Change]], Sequence[Outcome[Applied]]],
        look: Callable[[], Outcome[T]],
        part: Callable[[T, Key], Live],
        *,
        at_a_time: int = 4,
    ) -> None:
        recent = Recent(look)

        def read(keys: Sequence[Key]) -> list[Outcome[Live]]:
            live = recent()
            return [live if isinstance(live, Failure) else part(live, key) for key in keys]

        self._forget = recent.forget
        self._changes: Batch[Change, Outcome[Applied]] = Batch(apply, at_a_time=at_a_time)
        self._reads: Batch[Key, Outcome[Live]] = Batch(read, at_a_time=1)

    async def read(self, key: Key) -> Outcome[Live]:
        return await self._reads.submit(key)

    async def change(self, change: Change) -> Outcome[Applied]:
        try:
            return await self._changes.submit(change)
        finally:
            self._forget()
