"""What is wrong with an Avro schema by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .avro import INNER, NAMED, PRIMITIVE, named_types, plain

Json = Any  # what json.loads returns
_BITS = {"int": 31, "long": 63}
_MOST_STEPS = 100_000  # unions that refer to each other can be tried in endless combinations


def undefined_types(schema: Json) -> tuple[str, ...]:
    """The names of types that the schema uses and does not define."""
    named = named_types(schema)
    return tuple(dict.fromkeys(each for each in _used(schema) if each.rpartition(".")[2] not in named))


def _used(schema: Json) -> Iterator[str]:
    if isinstance(schema, str) and schema not in PRIMITIVE:
        yield schema
    elif isinstance(schema, list):
        for each in schema:
            yield from _used(each)
    elif isinstance(schema, dict):
        kind = schema.get("type")
        if kind in INNER:
            yield from _used(schema.get(INNER[kind]))
        elif kind not in NAMED:
            yield from _used(kind)
        else:
            for each in _fields(schema):
                yield from _used(each.get("type"))


def wrong_defaults(schema: Json) -> Iterator[str]:
    """A sentence for each default that is no value of its type."""
    named = named_types(schema)
    values = _Values(named)
    for name, each in named.items():
        if each.get("type") == "enum" and "default" in each and each["default"] not in each.get("symbols", ()):
            yield f"the default of {name} is no symbol of it"
        for inner in _fields(each):
            if "default" in inner and not values.fit(inner["default"], inner.get("type")):
                yield f"the default of {name}.{inner.get('name')} does not fit its type"


def _fields(schema: Json) -> list[Json]:
    held = schema.get("fields", ())
    return [each for each in held if isinstance(each, dict)] if isinstance(held, list) else []


class _Values:
    """Whether values fit their types. After too many steps, whatever is left counts as fitting."""

    def __init__(self, named: dict[str, Json]) -> None:
        self._named = named
        self._left = _MOST_STEPS

    def fit(self, value: Json, schema: Json) -> bool:
        self._left -= 1
        schema = plain(schema, self._named)
        if self._left < 0:
            return True
        if isinstance(schema, list):  # newer versions of the specification allow any branch, older ones the first
            return any(self.fit(value, each) for each in schema)
        kind = schema.get("type") if isinstance(schema, dict) else schema
        match kind:
            case "enum":
                return value in schema.get("symbols", ())
            case "array":
                return isinstance(value, list) and all(self.fit(each, schema.get("items")) for each in value)
            case "map":
                return isinstance(value, dict) and all(self.fit(each, schema.get("values")) for each in value.values())
            case "record" | "error":
                return isinstance(value, dict) and all(self._has(value, each) for each in _fields(schema))
            case _:
                return _is_plain_value(value, kind)

    def _has(self, value: dict[str, Json], field: Json) -> bool:
        name = field.get("name")
        return self.fit(value[name], field.get("type")) if name in value else "default" in field


def _is_plain_value(value: Json, kind: Json) -> bool:
    if isinstance(value, bool):
        return kind not in PRIMITIVE or kind == "boolean"
    match kind:
        case "null":
            return value is None
        case "int" | "long":
            return isinstance(value, int) and -(2 ** _BITS[kind]) <= value < 2 ** _BITS[kind]
        case "float" | "double":
            return isinstance(value, int | float)
        case "bytes" | "string" | "fixed":
            return isinstance(value, str)
    return bool(kind != "boolean")  # anything may be a value of a type that is not defined here
