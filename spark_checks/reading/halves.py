"""Many parts joined into one expression that is not deep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

_T = TypeVar("_T")


def by_halves(join: Callable[[_T, _T], _T], parts: Sequence[_T]) -> _T:
    """As `functools.reduce`, for an operation that is associative.

    A chain is as deep as it has parts, and the client of Spark Connect sends nothing that is nested 100 times.
    """
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return join(by_halves(join, parts[:half]), by_halves(join, parts[half:]))
