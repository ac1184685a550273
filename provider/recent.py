"""One look at everything, used by all who ask about a part of it at nearly the same time.

In a refresh the engine asks for one resource after the other, a few at once. A change of ours makes the look old.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Generic, TypeVar

from .outcomes import Failure, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
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
        changes = self._changes  # a change during the look makes it old as well
        seen = self._look()
        if not isinstance(seen, Failure):
            self._seen = (seen, changes, self._clock() + _SECONDS)
        return seen

    def forget(self) -> None:
        self._changes += 1
