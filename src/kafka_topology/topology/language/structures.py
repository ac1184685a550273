"""Fields that hold other fields: lists, maps by name, and structures with fixed fields."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from inspect import isclass
from typing import Any

from ..located.building import Building, Incomplete, build, build_each
from ..located.decoding import Reading, short
from ..located.entries import ATOMIC, BROKEN, Entry, Origin
from ..located.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ..model.places import Layer
from ..model.words import did_you_mean
from .fields import Json, Kind, SchemaScope

ANY_NAME = r"[^\n]{1,1000}"
# Names that the language never reads, such as `x-defaults`: a place for YAML anchors.
EXTENSION = "x-"


@dataclass(frozen=True, slots=True)
class ListOf:
    item: Kind
    at_least: int = 0
    noun: str = "item"
    distinct: bool = False

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if type(node) is not SequenceNode or node.tag:
            return reading.wrong(node, self.describe())
        if len(node.value) < self.at_least:
            return reading.wrong(node, f"at least one {self.noun}", f"add a {self.noun}")
        decoded = (self.item.decode(child, reading) for child in node.value)
        entries = [entry for entry in decoded if entry is not None]
        if self.distinct:
            self._each_once(entries, reading)
        return Entry(entries, node, reading.origin)

    def _each_once(self, entries: list[Entry], reading: Reading) -> None:
        first: dict[Any, Entry] = {}
        for entry in entries:
            known = first.setdefault(entry.value, entry)
            if known is not entry:
                reading.twice(entry.node, known.node)

    def build(self, entry: Entry, building: Building) -> tuple[Any, ...]:
        return tuple(build_each(self.item, enumerate(entry.value), building).values())

    def schema(self, scope: SchemaScope) -> Json:
        bound: Json = {"minItems": self.at_least} if self.at_least else {}
        if self.distinct:
            bound["uniqueItems"] = True
        # An environment replaces or adds whole items, so they are complete.
        with scope.within(partial=False):
            return {"type": "array", "items": self.item.schema(scope), **bound}

    def dump(self, value: Any) -> Any:
        return [self.item.dump(item) for item in value]

    def describe(self) -> str:
        return "a list"


@dataclass(frozen=True, slots=True)
class MapOf:
    """Values by name. With a `layer`, all values below a name are marked as set by that layer."""

    item: Kind
    name_pattern: str = ANY_NAME
    name_expected: str = "a name of at most 1,000 characters"
    layer: Layer | None = None
    at_least: int = 0
    noun: str = "name"

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if type(node) is not MappingNode or node.tag:
            return reading.wrong(node, self.describe())
        if len(node.value) < self.at_least:
            return reading.wrong(node, f"at least one {self.noun}", f"add a {self.noun}")
        values: dict[str, Entry] = {}
        legal = re.compile(self.name_pattern).fullmatch
        decode = self.item.decode
        for key, value in reading.pairs(node):
            if not legal(key.value):
                reading.wrong(key, self.name_expected)
                continue
            entry = decode(value, self._inside(reading, key.value))
            if entry is None:
                entry = Entry(BROKEN, value, reading.origin)
            entry.key = key
            values[key.value] = entry
        return Entry(values, node, reading.origin)

    def _inside(self, reading: Reading, name: str) -> Reading:
        if self.layer is None or reading.origin.layer is not Layer.RESOURCE:
            return reading
        return reading.inside(Origin(reading.origin.file, self.layer, name))

    def build(self, entry: Entry, building: Building) -> dict[str, Any]:
        return build_each(self.item, entry.value.items(), building)

    def schema(self, scope: SchemaScope) -> Json:
        bound: Json = {"minProperties": self.at_least} if self.at_least else {}
        names = {"pattern": f"^(?:{self.name_pattern})$", "patternErrorMessage": f"expected {self.name_expected}"}
        return {
            "type": "object",
            "propertyNames": names,
            "additionalProperties": self.item.schema(scope),
            **bound,
        }

    def dump(self, value: Any) -> Any:
        return {name: self.item.dump(item) for name, item in value.items()}

    def describe(self) -> str:
        return "a mapping of names"


def is_extension(name: str) -> bool:
    return name.startswith(EXTENSION) and len(name) > len(EXTENSION)


@dataclass(frozen=True, slots=True)
class Field:
    """One named field of a structure. `attribute` is its name in the model, if not the snake-case one."""

    name: str
    kind: Kind
    doc: str
    required: bool = False
    attribute: str = ""

    @property
    def model_name(self) -> str:
        return self.attribute or _snake_case(self.name)


@cache
def _snake_case(name: str) -> str:
    return re.sub(r"[A-Z]", lambda match: f"_{match[0].lower()}", name)


@dataclass(frozen=True)
class Structure:
    """A mapping with a fixed set of fields."""

    title: str
    fields: tuple[Field, ...]
    make: Callable[..., Any] | None = None
    exactly_one: tuple[str, ...] = ()
    after_decode: Callable[[Entry, Reading], None] | None = None
    # How to fix a value that is no mapping, if the names of the fields do not help.
    fix: str = ""
    # Profiles or environments may complete it, so no field is required in the file itself.
    completed_elsewhere: bool = False
    # Names that start with `x-` are not read, and are no mistake.
    has_extensions: bool = False
    # Its values override those declared elsewhere.
    overlays: bool = False
    # Name of the shared definition in the JSON Schema; without one it is written in place.
    definition: str = ""
    # Class of the model, if `make` is not that class itself.
    holds: type | None = None
    # Attributes that the model holds in another shape than the file.
    rewritten: Callable[[Any], Mapping[str, Any]] | None = None
    # What the JSON Schema must express beyond the fields.
    constraint: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @cached_property
    def by_name(self) -> Mapping[str, Field]:
        return {each.name: each for each in self.fields}

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if type(node) is not MappingNode or node.tag:
            return reading.wrong(node, "a mapping", self.fix or f"write its fields: {', '.join(self.by_name)}")
        values: dict[str, Entry] = {}
        known = self.by_name
        for key, value in reading.pairs(node):
            declared = known.get(key.value)
            if declared is None:
                if not (self.has_extensions and is_extension(key.value)):
                    self._unknown(key, reading)
                continue
            entry = declared.kind.decode(value, reading)
            if entry is None:
                entry = Entry(BROKEN, value, reading.origin)
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
        """The model's attributes that the entry sets. Raises Incomplete if a required one is missing."""
        if entry.value is BROKEN:
            raise Incomplete
        values = entry.value
        attributes = dict(given)
        missing = False
        if self.exactly_one and len(values.keys() & self.exactly_one) != 1:
            missing = True
            building.not_exactly_one(entry, self.title, self.exactly_one)
        for declared in self.fields:
            child = values.get(declared.name)
            if child is not None:
                try:
                    attributes[declared.model_name] = build(declared.kind, child, building)
                except Incomplete:
                    missing = True
            elif declared.required:
                missing = True
                building.missing(
                    entry,
                    declared.name,
                    f"{self.title} requires it",
                    f"add `{declared.name}:`, {declared.kind.describe()}",
                )
        if missing:
            raise Incomplete
        return attributes

    def _unknown(self, key: ScalarNode, reading: Reading) -> None:
        fix = did_you_mean(key.value, self.by_name) or f"use one of its fields: {', '.join(self.by_name)}"
        found = "with this name" if key in reading.secrets else f"`{short(key.value)}`"
        reading.problem("KT002", key, f"{self.title} has no field {found}", fix)

    def schema(self, scope: SchemaScope) -> Json:
        if not self.definition:
            return self.body_schema(scope)
        body = self.body_schema(scope)
        # In an environment it needs its own definition, unless it has no required field anyway.
        differs = scope.partial and scope.definitions.get(self.definition) != body
        return scope.shared(f"{self.definition}Overlay" if differs else self.definition, body)

    def body_schema(self, scope: SchemaScope) -> Json:
        with scope.within(partial=scope.partial or self.overlays):
            properties = {declared.name: self._property(declared, scope) for declared in self.fields}
        body: Json = {
            "title": self.title,
            "type": "object",
            "properties": properties,
            "additionalProperties": False,
            **self.constraint,
        }
        if self.has_extensions:
            described = "Not read: a place for YAML anchors."
            body["patternProperties"] = {f"^{EXTENSION}.": {"description": described}}
        required = [declared.name for declared in self.fields if declared.required]
        if required and not scope.partial and not self.completed_elsewhere:
            body["required"] = required
        if self.exactly_one and not scope.partial:
            body["oneOf"] = [{"required": [name]} for name in self.exactly_one]
        return body

    def _property(self, declared: Field, scope: SchemaScope) -> Json:
        with scope.within(partial=scope.partial and declared.name not in ATOMIC):
            described = {**declared.kind.schema(scope), "description": declared.doc}
        default = self._defaults.get(declared.model_name)
        written = None if default is None else declared.kind.dump(default)
        return described if written in (None, [], {}) else {**described, "default": written}

    @cached_property
    def _defaults(self) -> Mapping[str, Any]:
        """The model's values for fields that a file leaves out."""
        made = self.holds or (self.make if isclass(self.make) else None)
        defaults = {}
        for each in dataclasses.fields(made) if dataclasses.is_dataclass(made) else ():
            if each.default is not dataclasses.MISSING:
                defaults[each.name] = each.default
            elif each.default_factory is not dataclasses.MISSING:
                defaults[each.name] = each.default_factory()
        return defaults

    def dump(self, value: Any) -> Json:
        """Every field that has a value, in the order of declaration."""
        dumped: Json = {}
        rewritten = self.rewritten(value) if self.rewritten is not None else {}
        for declared in self.fields:
            name = declared.model_name
            held = rewritten[name] if name in rewritten else getattr(value, name, None)
            if held is None:
                continue
            written = declared.kind.dump(held)
            # Leave out an empty value, unless that is not the default.
            if written not in ([], {}) or held != self._defaults.get(name):
                dumped[declared.name] = written
        return dumped

    def describe(self) -> str:
        return f"a mapping ({', '.join(self.by_name)})"
