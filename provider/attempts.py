"""Turns of asking and looking, with growing pauses: a change is confirmed by looking, never by waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Sized

Key = TypeVar("Key", bound="Hashable")
Item = TypeVar("Item")
Result = TypeVar("Result")

_FIRST_PAUSE = 0.01
_LONGEST_PAUSE = 0.5


def attempts(pending: Sized, pause: Callable[[float], bool]) -> Iterator[None]:
    """One turn at once, then more while something is pending and the run is not cancelled."""
    seconds = _FIRST_PAUSE
    while len(pending):
        yield
        if len(pending) and not pause(seconds):
            return
        seconds = min(seconds * 1.5, _LONGEST_PAUSE)


def one_at_a_time(
    items: Sequence[Item], key: Callable[[Item], Key], apply: Callable[[Mapping[Key, Item]], Mapping[Key, Result]]
) -> list[Result]:
    """The results in the order of the items, of which `apply` sees those of one key one after the other."""
    first: dict[Key, Item] = {}
    later = [item for item in items if first.setdefault(key(item), item) is not item]
    results = apply(first)
    rest = iter(one_at_a_time(later, key, apply) if later else ())
    return [results[key(item)] if first[key(item)] is item else next(rest) for item in items]
