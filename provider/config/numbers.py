"""The numbers in the provider's config. A program sends numbers, a stack's config sends text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ..plugin.properties import UNKNOWN, reveal
from ..resources.changes import CheckFailure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plugin.properties import Properties, Value

# In seconds; with 0, no request could get an answer.
_SECONDS: Final = ("requestTimeout", "operationTimeout")
_WHOLE: Final = ("maxDeletes", "replicationThrottle")


def wrong_numbers(inputs: Properties) -> Iterator[CheckFailure]:
    for name in (*_SECONDS, *_WHOLE):
        value = reveal(inputs.get(name))
        if value is None or value is UNKNOWN or value == "":
            continue
        number = _finite(value)
        if name in _SECONDS and (number is None or number <= 0):
            yield CheckFailure(name, f"{value!r} is not a number of seconds above 0.")
        elif name in _WHOLE and (number is None or number < 0 or not number.is_integer()):
            yield CheckFailure(name, f"{value!r} is not a whole number of at least 0.")


def number_of(inputs: Properties, name: str, default: float) -> float:
    """The number in inputs that `wrong_numbers` accepts."""
    number = _finite(reveal(inputs.get(name)))
    return default if number is None else number


def finite(text: str) -> float:
    """The number in a JSON text. Raises ValueError for one that no computer holds, such as 1e400."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number


def _finite(value: Value) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
