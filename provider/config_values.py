"""Config values as Kafka writes them, and in one form for comparison."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .properties import Value


def as_text(value: Value) -> Value:
    """Programs give numbers and truth values too; Kafka takes text. `check` judges the rest."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    return value


def normalise(value: str) -> str:
    """One form for values that mean the same: numbers, truth values, and lists in any order."""
    text = value.strip()
    if text.lower() in {"true", "false"}:
        return text.lower()
    if "," in text:
        return ",".join(sorted(part.strip() for part in text.split(",")))
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return format(number.normalize(), "f") if number.is_finite() else text


def same(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return one is other
    return normalise(one) == normalise(other)
