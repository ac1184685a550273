"""A resource of a Pulumi program as part of a topology for the rules, with places that lead back to its properties.

Unknown values are left out, like undeclared ones: rules draw no conclusion from either in a part.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

from kafka_topology.topology.model.places import Layer, Location, Place

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafka_topology.provider.plugin.judging import Judged
    from kafka_topology.provider.plugin.properties import Value
    from kafka_topology.topology.model.declared import Declared, Deletion, Places

Item = TypeVar("Item")
FieldPath = tuple[str | int, ...]


class PropertyPlaces:
    """Gives each property of a resource a place, and finds the property of a place, because rules use places."""

    def __init__(self, urn: str) -> None:
        self.urn = urn
        self._lines: dict[str, int] = {}

    def places(self, property_of: Callable[[FieldPath], str]) -> Places:
        def place(*path: str | int) -> Place:
            line = self._lines.setdefault(property_of(path), len(self._lines) + 1)
            return Place(Layer.RESOURCE, Location(self.urn, line, 1, line, 1))

        return place

    def at(self, location: Location) -> str:
        return next(name for name, line in self._lines.items() if line == location.line)


@dataclass(frozen=True, slots=True)
class Part:
    """What one resource declares, as in a topology. `name` is its name in Kafka.

    `topic` is set if it declares one; `reads` has the topics that it uses.
    """

    source: Judged
    name: str
    properties: PropertyPlaces
    declared: tuple[Declared, ...]
    topic: str | None = None
    reads: frozenset[str] = frozenset()

    @property
    def urn(self) -> str:
        return self.source.urn


def same_property(path: FieldPath) -> str:
    """`config["retention.ms"]`, as the engine writes paths; the resource itself is `name`."""
    if not path:
        return "name"
    first, *rest = path
    return f"{first}" + "".join(f"[{json.dumps(key)}]" for key in rest)


def text(value: Value) -> str | None:
    return value if isinstance(value, str) else None


def texts(value: Value) -> dict[str, str]:
    return {key: text for key, text in value.items() if isinstance(text, str)} if isinstance(value, dict) else {}


def listed(value: Value, kind: type[Item]) -> tuple[Item, ...]:
    return tuple(item for item in value if isinstance(item, kind)) if isinstance(value, list) else ()


def deletion(value: Value) -> Deletion:
    return cast("Deletion", text(value) or "protected")
