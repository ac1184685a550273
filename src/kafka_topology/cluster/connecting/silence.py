"""How long a command waits for brokers that do not answer, all its requests together, and which brokers those are."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from ..attempts import Patience, patience
from .probe import unreached

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from .settings import ClientSettings

# One request takes this share of the time that is left: another broker may answer the next one.
_SHARE: Final = 0.6
# This share of the time is kept for short requests that are not repeated: after one broker that does not answer, those
# that do are still asked.
_KEPT: Final = 0.3
_SHORT: Final = 0.5
# With no time left, a request still gets this: an idle broker that is near answers in a few milliseconds.
_LEAST: Final = 0.05
_PROBED: Final = 0.5
_PROBED_AGAIN: Final = 2.0


class Silence:
    """Counts only the time that passed without an answer: a large cluster may take any time to answer.

    `seconds` is None for a provider, which has a deadline for each resource instead: then nothing is counted.
    """

    def __init__(self, settings: ClientSettings) -> None:
        self._settings = settings
        self._left = self._all = settings.silence or 0.0
        self._probed_at = float("-inf")
        self.addresses: tuple[str, ...] = ()
        """Of the brokers that answer nothing at all: nobody should wait for them again."""
        self._unreached: tuple[str, ...] = ()

    @property
    def is_limited(self) -> bool:
        return self._settings.silence is not None

    @property
    def next(self) -> float:
        """How many seconds the next request may take."""
        if not self.is_limited:
            return self._settings.request_timeout
        long, short = _SHARE * (self._left - _KEPT * self._all), min(_SHORT, self._left / 3)
        return min(max(long, short, _LEAST), self._settings.request_timeout)

    @property
    def is_over(self) -> bool:
        """Whether there is no more time to repeat requests."""
        return self.is_limited and self._left <= _KEPT * self._all

    def spend(self, seconds: float) -> None:
        self._left = max(self._left - seconds, 0.0)

    @contextmanager
    def asking(self) -> Iterator[float]:
        """How long one request may take. Counts the time of one that raises, as those do that nobody answers."""
        asked = time.monotonic()
        try:
            yield self.next
        except Exception:
            self.spend(time.monotonic() - asked)
            raise

    def patient(self) -> Patience:
        """Repeats reads without an answer until the time of the command is over."""
        if not self.is_limited:
            return patience(self._settings.request_timeout)
        return Patience(lambda: self.is_over, self._pause)

    def _pause(self, seconds: float) -> bool:
        time.sleep(seconds)
        self.spend(seconds)
        return True

    def look(self, brokers: Collection[str]) -> tuple[str, ...]:
        """Finds out which of these addresses nobody reaches, after a request got no answer. Rarely asks twice."""
        now = time.monotonic()
        if self.is_limited and now - self._probed_at >= _PROBED_AGAIN:
            found = unreached(brokers, min(_PROBED, self.next))
            self.addresses = tuple(address for address, is_silent in found.items() if is_silent)
            self._unreached = tuple(found)
            self._probed_at = time.monotonic()
            self.spend(self._probed_at - now)
        return self._unreached
