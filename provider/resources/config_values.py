"""Config values as Kafka expects them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..plugin.properties import Value


def as_text(value: Value) -> Value:
    """Kafka expects text, but programs also pass numbers and booleans. `check` refuses other types."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    return value
