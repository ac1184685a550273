"""The engine's property values: `UNKNOWN`, `Secret` and `Output`; everything else is plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias, Union


class Unknown(Enum):
    """A value that is unknown until something else has been applied."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that must not be shown. Its representation hides it too."""

    value: Value = field(repr=False)


@dataclass(frozen=True, slots=True)
class Output:
    """A value with the resources it depends on; `UNKNOWN` if there is no value yet."""

    value: Value = field(repr=False)
    secret: bool = False
    dependencies: tuple[str, ...] = ()


Value: TypeAlias = Union[bool, int, float, str, Unknown, Secret, Output, "list[Value]", "dict[str, Value]", None]
Properties: TypeAlias = Mapping[str, Value]


def reveal(value: Value) -> Value:
    """The value without its marks, at every depth. `UNKNOWN` stays where it is."""
    match value:
        case Secret(inner) | Output(inner):
            return reveal(inner)
        case list():
            return [reveal(item) for item in value]
        case dict():
            return {key: reveal(item) for key, item in value.items()}
        case _:
            return value


def rewrap(value: Value, change: Callable[[Value], Value]) -> Value:
    """Changes the value inside its marks, so a secret stays a secret. Leaves `UNKNOWN` alone."""
    match value:
        case Unknown():
            return value
        case Secret(inner):
            return Secret(rewrap(inner, change))
        case Output(inner, secret, dependencies):
            return Output(rewrap(inner, change), secret, dependencies)
        case _:
            return change(value)


def items_of(value: Value) -> Iterable[Value]:
    """The values directly in a list or a mapping. Any other value has none."""
    if isinstance(value, list):
        return value
    return value.values() if isinstance(value, dict) else ()


def has_unknown(value: Value) -> bool:
    match value:
        case Unknown():
            return True
        case Secret(inner) | Output(inner):
            return has_unknown(inner)
        case _:
            return any(has_unknown(item) for item in items_of(value))


def has_secret(value: Value) -> bool:
    match value:
        case Secret():
            return True
        case Output(inner, secret):
            return secret or has_secret(inner)
        case _:
            return any(has_secret(item) for item in items_of(value))


def as_secret(value: Value) -> Value:
    """The value marked as a secret, even if the user forgot to mark it."""
    match value:
        case Secret():
            return value
        case Output(inner, _, dependencies):
            return Output(inner, True, dependencies)
        case _:
            return Secret(value)
