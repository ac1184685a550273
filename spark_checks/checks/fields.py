"""Fields of the value that can be read."""

from __future__ import annotations

from .base import NotChecked, Subject


def readable_path(subject: Subject, field: str) -> tuple[str, ...] | NotChecked:
    """The names on the way to a field of the value, or why it cannot be read."""
    value = subject.topic.value
    if value is None or value.format != "json":
        actual = "no format" if value is None else value.format
        return NotChecked(f"the value's field can be read from JSON only, declared is {actual}")
    if "'" in field:
        return NotChecked(f"field {field} has a quote in its name")
    return tuple(field.split("."))
