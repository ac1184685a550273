"""Turns of asking and looking, with growing pauses: a change is confirmed by looking, never by waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sized

_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.5


def attempts(pending: Sized, pause: Callable[[float], bool]) -> Iterator[None]:
    """One turn at once, then more while something is pending and the run is not cancelled."""
    seconds = _FIRST_PAUSE
    while len(pending):
        yield
        if len(pending) and not pause(seconds):
            return
        seconds = min(seconds * 1.5, _LONGEST_PAUSE)
