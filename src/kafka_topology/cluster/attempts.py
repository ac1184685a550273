"""Repeats requests with growing pauses, until they are answered or a deadline passes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from .outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Sized

Key = TypeVar("Key", bound="Hashable")
Item = TypeVar("Item")
Result = TypeVar("Result")

_FIRST_PAUSE = 0.01
_LONGEST_PAUSE = 0.5


def attempts(pending: Sized, pause: Callable[[float], bool]) -> Iterator[None]:
    """Yields once, and again after growing pauses while something is pending and the run is not cancelled."""
    seconds = _FIRST_PAUSE
    while len(pending):
        yield
        if len(pending) and not pause(seconds):
            return
        seconds = min(seconds * 1.5, _LONGEST_PAUSE)


def until_answered(
    names: Iterable[Key],
    ask: Callable[[Collection[Key]], Mapping[Key, Outcome[Result]]],
    pause: Callable[[float], bool],
    is_late: Callable[[Key], bool],
) -> dict[Key, Outcome[Result]]:
    """Reads each name. Repeats reads without an answer until `is_late`, or until the run is cancelled."""
    pending = set(names)
    found: dict[Key, Outcome[Result]] = {}
    for _ in attempts(pending, pause):
        for name, outcome in ask(pending).items():
            found[name] = outcome
            if not is_unanswered(outcome) or is_late(name):
                pending.discard(name)
    return found


def until_one_answer(
    ask: Callable[[], Outcome[Result]], pause: Callable[[float], bool], is_late: Callable[[], bool]
) -> Outcome[Result]:
    return until_answered([0], lambda _: {0: ask()}, pause, lambda _: is_late())[0]


@dataclass(frozen=True, slots=True)
class Patience:
    """For commands that only read: repeats unanswered reads until it is too late for all of them."""

    is_late: Callable[[], bool]
    pause: Callable[[float], bool]

    def at_most(self, seconds: float) -> Patience:
        """The same, but no longer than this from now on."""
        shorter = patience(seconds)
        return Patience(lambda: self.is_late() or shorter.is_late(), self.pause)

    def one(self, ask: Callable[[], Outcome[Result]]) -> Outcome[Result]:
        return until_one_answer(ask, self.pause, self.is_late)

    def each(
        self, names: Iterable[Key], ask: Callable[[Collection[Key]], Mapping[Key, Outcome[Result]]]
    ) -> dict[Key, Outcome[Result]]:
        return until_answered(names, ask, self.pause, lambda _: self.is_late())


def patience(seconds: float) -> Patience:
    deadline = time.monotonic() + seconds
    return Patience(lambda: time.monotonic() >= deadline, _sleep)


def pause_until(deadline: float) -> Callable[[float], bool]:
    """A pause that returns whether there is time left."""
    return lambda seconds: _sleep(min(seconds, max(deadline - time.monotonic(), 0))) and time.monotonic() < deadline


def _sleep(seconds: float) -> bool:
    time.sleep(seconds)
    return True


def is_unanswered(outcome: object) -> bool:
    return isinstance(outcome, Failure) and outcome.kind is FailureKind.UNCERTAIN


def one_at_a_time(
    items: Sequence[Item], key: Callable[[Item], Key], apply: Callable[[Mapping[Key, Item]], Mapping[Key, Result]]
) -> list[Result]:
    """Results in the order of the items. Items of the same key are applied one after the other."""
    first: dict[Key, Item] = {}
    later = [item for item in items if first.setdefault(key(item), item) is not item]
    results = apply(first)
    rest = iter(one_at_a_time(later, key, apply) if later else ())
    return [results[key(item)] if first[key(item)] is item else next(rest) for item in items]
