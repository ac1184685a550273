"""Fields that hold other fields: lists, named maps, records, config maps, and either-or."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .entries import Entry, Origin
from .fields import (
    Json,
    Kind,
    Reading,
    suggestion,
)
from .findings import Finding, Severity
from .nodes import MappingNode, Node, ScalarNode, SequenceNode
from .places import Layer


@dataclass(slots=True)
class Building:
    """The problems met while entries become the model."""

    findings: list[Finding] = field(default_factory=list)

    def lacks(self, entry: Entry, name: str, needed: str, remediation: str) -> None:
        message = f"`{name}` is missing: {needed}"
        self.findings.append(Finding("KT003", Severity.ERROR, message, entry.location, "", remediation))

    def not_exactly_one(self, entry: Entry, title: str, names: tuple[str, ...]) -> None:
        found = " and ".join(f"`{name}`" for name in names if name in entry.value) or "none"
        message = f"{title} takes exactly one of {', '.join(names)}; found {found}"
        self.findings.append(Finding("KT003", Severity.ERROR, message, entry.location, "", "keep exactly one"))


class Incomplete(Exception):
    """A record lacks a required field; the problem was reported, and the record cannot be built."""


def build(kind: Kind, entry: Entry, building: Building) -> Any:
    """The model's value of an entry: plain for a scalar, built from its parts for everything else."""
    builder = getattr(kind, "build", None)
    return entry.value if builder is None else builder(entry, building)


@dataclass(frozen=True, slots=True)
class ListOf:
    item: Kind
    at_least: int = 0

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if type(node) is not SequenceNode or node.tag:
            return reading.wrong(node, self.describe())
        if len(node.value) < self.at_least:
            return reading.wrong(node, f"a list of at least {self.at_least}")
        decoded = (self.item.decode(child, reading) for child in node.value)
        return Entry([entry for entry in decoded if entry is not None], node, reading.origin)

    def build(self, entry: Entry, building: Building) -> tuple[Any, ...]:
        return tuple(build(self.item, child, building) for child in entry.value)

    def schema(self) -> Json:
        bound: Json = {"minItems": self.at_least} if self.at_least else {}
        return {"type": "array", "items": self.item.schema(), **bound}

    def dump(self, value: Any) -> Any:
        return [self.item.dump(item) for item in value]

    def describe(self) -> str:
        return "a list"


@dataclass(frozen=True, slots=True)
class MapOf:
    """Names to values. With a `layer`, everything below a name is remembered as set by that layer of that name."""

    item: Kind
    name_pattern: str = r".+"
    name_expected: str = "a name"
    layer: Layer | None = None
    at_least: int = 0

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if type(node) is not MappingNode or node.tag:
            return reading.wrong(node, self.describe())
        if len(node.value) < self.at_least:
            return reading.wrong(node, f"a mapping of at least {self.at_least}")
        values: dict[str, Entry] = {}
        legal = re.compile(self.name_pattern).fullmatch
        decode = self.item.decode
        for key, value in reading.pairs(node):
            if not legal(key.value):
                reading.wrong(key, self.name_expected)
                continue
            entry = decode(value, self._inside(reading, key.value))
            if entry is not None:
                entry.key = key
                values[key.value] = entry
        return Entry(values, node, reading.origin)

    def _inside(self, reading: Reading, name: str) -> Reading:
        if self.layer is None or reading.origin.layer is not Layer.RESOURCE:
            return reading
        return Reading(Origin(reading.origin.file, self.layer, name), reading.findings)

    def build(self, entry: Entry, building: Building) -> dict[str, Any]:
        return {name: build(self.item, child, building) for name, child in entry.value.items()}

    def schema(self) -> Json:
        names: Json = {} if self.name_pattern == ".+" else {"propertyNames": {"pattern": f"^(?:{self.name_pattern})$"}}
        bound: Json = {"minProperties": self.at_least} if self.at_least else {}
        return {"type": "object", "additionalProperties": self.item.schema(), **names, **bound}

    def dump(self, value: Any) -> Any:
        return {name: self.item.dump(item) for name, item in value.items()}

    def describe(self) -> str:
        return "a mapping of names"


@dataclass(frozen=True, slots=True)
class Field:
    """One named field of a record. `attribute` is its name in the model, if that is not the snake-case one."""

    name: str
    kind: Kind
    doc: str
    required: bool = False
    attribute: str = ""

    @property
    def model_name(self) -> str:
        return self.attribute or re.sub(r"[A-Z]", lambda match: f"_{match[0].lower()}", self.name)


@dataclass(frozen=True)
class Record:
    """A mapping with a fixed set of fields."""

    title: str
    fields: tuple[Field, ...]
    make: Callable[..., Any] | None = None
    exactly_one: tuple[str, ...] = ()
    after_decode: Callable[[Entry, Reading], None] | None = None
    # A record that profiles or environments complete has no field that must be in the file itself.
    completed_elsewhere: bool = False
    # The name of the shared definition in the JSON Schema; records without one are written in place.
    definition: str = ""

    @cached_property
    def by_name(self) -> Mapping[str, Field]:
        return {each.name: each for each in self.fields}

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if type(node) is not MappingNode or node.tag:
            return reading.wrong(node, self.describe())
        values: dict[str, Entry] = {}
        known = self.by_name
        for key, value in reading.pairs(node):
            declared = known.get(key.value)
            if declared is None:
                self._unknown(key, reading)
                continue
            entry = declared.kind.decode(value, reading)
            if entry is not None:
                entry.key = key
                values[key.value] = entry
        whole = Entry(values, node, reading.origin)
        if self.after_decode is not None:
            self.after_decode(whole, reading)
        return whole

    def build(self, entry: Entry, building: Building) -> Any:
        attributes = self.attributes(entry, building)
        return attributes if self.make is None else self.make(**attributes)

    def attributes(self, entry: Entry, building: Building, **given: Any) -> dict[str, Any]:
        """The model's attributes that the entry sets. Raises Incomplete when a required one is missing."""
        values = entry.value
        attributes = dict(given)
        missing = False
        if self.exactly_one and len(values.keys() & self.exactly_one) != 1:
            missing = True
            building.not_exactly_one(entry, self.title, self.exactly_one)
        for declared in self.fields:
            child = values.get(declared.name)
            if child is not None:
                attributes[declared.model_name] = build(declared.kind, child, building)
            elif declared.required:
                missing = True
                building.lacks(
                    entry,
                    declared.name,
                    f"{self.title} needs it",
                    f"add `{declared.name}:`, {declared.kind.describe()}",
                )
        if missing:
            raise Incomplete
        return attributes

    def _unknown(self, key: ScalarNode, reading: Reading) -> None:
        near = suggestion(key.value, self.by_name)
        remedy = f"did you mean `{near}`?" if near else f"{self.title} takes {', '.join(self.by_name)}"
        reading.problem("KT002", key, f"{self.title} has no field `{key.value}`", remedy)

    def schema(self) -> Json:
        return {"$ref": f"#/$defs/{self.definition}"} if self.definition else self.body_schema()

    def body_schema(self, *, partial: bool = False) -> Json:
        properties = {f.name: {**f.kind.schema(), "description": f.doc} for f in self.fields}
        body: Json = {"type": "object", "properties": properties, "additionalProperties": False}
        required = [f.name for f in self.fields if f.required]
        if required and not partial and not self.completed_elsewhere:
            body["required"] = required
        if self.exactly_one and not partial:
            body["oneOf"] = [{"required": [name]} for name in self.exactly_one]
        return body

    def dump(self, value: Any) -> Json:
        """Every field that holds something else than nothing, in the order of the declaration."""
        dumped: Json = {}
        for declared in self.fields:
            held = getattr(value, declared.model_name, None)
            if held is not None and held not in ((), {}):
                dumped[declared.name] = declared.kind.dump(held)
        return dumped

    def describe(self) -> str:
        return f"a mapping ({', '.join(self.by_name)})"


@dataclass(frozen=True, slots=True)
class OneOf:
    """A short form and a long form of the same thing, told apart by what kind of node is written."""

    scalar: Kind
    collection: Kind
    make_scalar: Callable[[Any], Any] | None = None
    dump_as: Callable[[Any], Any] | None = None

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        return (self.scalar if type(node) is ScalarNode else self.collection).decode(node, reading)

    def build(self, entry: Entry, building: Building) -> Any:
        if type(entry.value) in (dict, list):
            return build(self.collection, entry, building)
        return entry.value if self.make_scalar is None else self.make_scalar(entry.value)

    def schema(self) -> Json:
        return {"oneOf": [self.scalar.schema(), self.collection.schema()]}

    def dump(self, value: Any) -> Any:
        if self.dump_as is not None:
            return self.dump_as(value)
        return self.scalar.dump(value)

    def describe(self) -> str:
        return f"{self.scalar.describe()}, or {self.collection.describe()}"


@dataclass(frozen=True, slots=True)
class Either:
    """The first of several scalars that takes the text."""

    kinds: tuple[Kind, ...]
    dump_as: Callable[[Any], Any]

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        for kind in self.kinds:
            attempt = Reading(reading.origin)
            entry = kind.decode(node, attempt)
            if entry is not None:
                return entry
        return reading.wrong(node, self.describe())

    def schema(self) -> Json:
        return {"anyOf": [kind.schema() for kind in self.kinds]}

    def dump(self, value: Any) -> Any:
        return self.dump_as(value)

    def describe(self) -> str:
        return ", or ".join(kind.describe() for kind in self.kinds)
