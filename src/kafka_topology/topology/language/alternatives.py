"""Fields that can be written in more than one way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..located.building import Building, build
from ..located.decoding import Reading
from ..located.entries import Entry
from ..located.nodes import Node, ScalarNode
from .fields import Json, Kind, SchemaScope


@dataclass(frozen=True, slots=True)
class OneOf:
    """A short and a long form of the same value: a scalar, or a list or mapping."""

    scalar: Kind
    collection: Kind
    make_scalar: Callable[[Any], Any] | None = None
    dump_as: Callable[[Any], Any] = field(kw_only=True)

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        return (self.scalar if type(node) is ScalarNode else self.collection).decode(node, reading)

    def build(self, entry: Entry, building: Building) -> Any:
        if type(entry.value) in (dict, list):
            return build(self.collection, entry, building)
        return entry.value if self.make_scalar is None else self.make_scalar(entry.value)

    def schema(self, scope: SchemaScope) -> Json:
        return {"oneOf": [self.scalar.schema(scope), self.collection.schema(scope)]}

    def dump(self, value: Any) -> Any:
        return self.dump_as(value)

    def describe(self) -> str:
        return f"{self.scalar.describe()}, or {self.collection.describe()}"


@dataclass(frozen=True, slots=True)
class Either:
    """The first of several scalar kinds that accepts the text."""

    kinds: tuple[Kind, ...]
    dump_as: Callable[[Any], Any]

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        for kind in self.kinds:
            attempt = Reading(reading.origin)
            entry = kind.decode(node, attempt)
            if entry is not None:
                return entry
        return reading.wrong(node, self.describe())

    def schema(self, scope: SchemaScope) -> Json:
        return {"anyOf": [kind.schema(scope) for kind in self.kinds]}

    def dump(self, value: Any) -> Any:
        return self.dump_as(value)

    def describe(self) -> str:
        return ", or ".join(kind.describe() for kind in self.kinds)
