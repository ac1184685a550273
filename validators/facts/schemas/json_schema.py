"""JSON Schema: the reader's schema must not be narrower than the writer's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .reasons import NotJudged, Reason, field

Json = Any  # what json.loads returns
_UPPER = ("maxLength", "maximum", "exclusiveMaximum", "maxItems", "maxProperties", "maxContains")
_LOWER = ("minLength", "minimum", "exclusiveMinimum", "minItems", "minProperties", "minContains")
_EQUAL = ("pattern", "multipleOf")
_DEFINED = ("$defs", "definitions")
_ANNOTATIONS = {"title", "description", "$comment", "default", "examples", "deprecated", "$id", "$schema", *_DEFINED}
_LEFT_OVER = {"additionalProperties", "unevaluatedProperties", "unevaluatedItems", "items", "additionalItems"}
# What changes the meaning in ways that are not compared here. If it is the same on both sides, it does no harm.
_OPAQUE = (
    *("oneOf", "anyOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies"),
    *("patternProperties", "propertyNames", "contains", "prefixItems", "unevaluatedProperties", "unevaluatedItems"),
    *("additionalItems", "$dynamicRef", "$recursiveRef"),
)
# What may evaluate more properties than those listed beside it.
_APPLIES_MORE = ("oneOf", "anyOf", "allOf", "if", "dependentSchemas", "patternProperties")


def reasons(writer: Json, reader: Json) -> Iterator[Reason | NotJudged]:
    return _Comparison(writer, reader).schema(writer, reader, "")


class _Comparison:
    """Two documents, and the pairs of definitions that are being compared: schemas may refer to themselves."""

    def __init__(self, writer: Json, reader: Json) -> None:
        self._documents = writer, reader
        self._seen: set[tuple[str, str]] = set()

    def schema(self, writer: Json, reader: Json, path: str) -> Iterator[Reason | NotJudged]:
        here = path or "the record"
        if _same(writer, reader) and _is_elsewhere(writer):
            return  # whether the other file changed is not seen here
        references = [each for each in (_reference(writer), _reference(reader)) if each]
        if _is_composed(writer) and _is_composed(reader):
            pair = (_asserted(writer), _asserted(reader))
            if pair in self._seen:
                return
            self._seen.add(pair)
        document, other = self._documents
        writer, reader = _flat(writer, document), _flat(reader, other)
        if writer is None or reader is None:
            yield NotJudged(f"{here}: {references[0] if references else 'a part of allOf'} is in another file")
            return
        if reader is True or writer is False or _same(writer, reader):
            return
        if reader is False:
            yield Reason("unknown field", here)
            return
        written: Mapping[str, Json] = {} if writer is True else writer
        yield from _value(written, reader, here)
        yield from _bounds(written, reader, here)
        yield from self._fields(written, reader, path)
        yield from self._inner(written, reader, path)
        for keyword in _OPAQUE:
            if written.get(keyword) != reader.get(keyword):
                yield NotJudged(f"{here}: {keyword} differs")

    def _fields(
        self, writer: Mapping[str, Json], reader: Mapping[str, Json], path: str
    ) -> Iterator[Reason | NotJudged]:
        for name in reader.get("required", ()):
            if name not in writer.get("required", ()):
                yield Reason("required", field(path, name))
        if _others(reader) is not False or "patternProperties" in reader:
            return
        known = reader.get("properties", {})
        for name, schema in writer.get("properties", {}).items():
            if name not in known and schema is not False:
                at = field(path, name)
                yield (
                    NotJudged(f"{at}: another keyword may allow it")
                    if _applies_more(reader)
                    else Reason("unknown field", at)
                )
        if _others(writer) is not False and _may_be_object(writer):
            yield Reason("other fields", path or "the record")

    def _inner(self, writer: Mapping[str, Json], reader: Mapping[str, Json], path: str) -> Iterator[Reason | NotJudged]:
        written, known = writer.get("properties", {}), reader.get("properties", {})
        others = reader.get("additionalProperties")
        for name, schema in written.items():
            if name in known:
                yield from self.schema(schema, known[name], field(path, name))
            elif isinstance(others, dict) and "patternProperties" not in reader:
                yield from self.schema(schema, others, field(path, name))
        if _may_be_object(writer):
            for name, schema in known.items():
                if name not in written:
                    yield from self._unlisted(writer, schema, field(path, name))
        if isinstance(others, dict):
            yield from self.schema(writer.get("additionalProperties", True), others, field(path, "*"))
        yield from self._items(writer.get("items", True), reader.get("items", True), path)

    def _items(self, writer: Json, reader: Json, path: str) -> Iterator[Reason | NotJudged]:
        if not isinstance(writer, list) and not isinstance(reader, list):
            yield from self.schema(writer, reader, f"{path}[]")
        elif writer != reader:
            yield NotJudged(f"{path or 'the record'}: items differs")

    def _unlisted(self, writer: Mapping[str, Json], schema: Json, at: str) -> Iterator[Reason | NotJudged]:
        """A field that the reader describes and the writer does not: a writer that allows other fields may write it."""
        others = _others(writer)
        if schema is True or schema == {}:
            return
        if others is False:
            if _applies_more(writer):
                yield NotJudged(f"{at}: another keyword may have allowed it")
        elif isinstance(others, dict) and others:
            yield from self.schema(others, schema, at)
        else:
            yield Reason("open", at)


def _others(schema: Mapping[str, Json]) -> Json:
    """What fields may hold that the schema does not list: False if there may be none."""
    return False if schema.get("unevaluatedProperties") is False else schema.get("additionalProperties", True)


def _applies_more(schema: Mapping[str, Json]) -> bool:
    return any(keyword in schema for keyword in _APPLIES_MORE)


def _may_be_object(schema: Mapping[str, Json]) -> bool:
    types = _types(schema)
    return not types or "object" in types


def _value(writer: Mapping[str, Json], reader: Mapping[str, Json], here: str) -> Iterator[Reason]:
    was, now = _types(writer), _types(reader)
    values, allowed = _values(writer), _values(reader)
    if values != [] and "type" in reader and (not was or not was <= now):
        yield Reason("type", here, _either(was), _either(now))
    if allowed is None:
        return
    values = _every_value(was) if values is None else values
    if values is None:
        yield Reason("bound", here, "any value", f"one of {_shown(allowed)}")
        return
    known = [_distinct(value) for value in allowed]
    gone = [value for value in values if _distinct(value) not in known]
    if gone:
        yield Reason("values", here, _shown(gone))


def _bounds(writer: Mapping[str, Json], reader: Mapping[str, Json], here: str) -> Iterator[Reason]:
    for keywords, sign in ((_UPPER, 1), (_LOWER, -1)):
        for keyword in keywords:
            was, now = writer.get(keyword), reader.get(keyword)
            if (
                now is None
                or now is False
                or (sign < 0 and keyword.startswith("min") and now == 0 and keyword != "minimum")
            ):
                continue
            if was is None or was is False or sign * was > sign * now:
                yield Reason("bound", here, f"{keyword} {'unset' if was is None else was}", f"{keyword} {now}")
    for keyword in _EQUAL:
        was, now = writer.get(keyword), reader.get(keyword)
        if now is not None and was != now:
            yield Reason("bound", here, f"{keyword} {'unset' if was is None else was}", f"{keyword} {now}")
    if reader.get("uniqueItems") is True and writer.get("uniqueItems") is not True:
        yield Reason("bound", here, "repeated items", "uniqueItems")


def _values(schema: Mapping[str, Json]) -> list[Json] | None:
    if "const" in schema:
        return [schema["const"]]
    held = schema.get("enum")
    return held if isinstance(held, list) else None


def _every_value(types: frozenset[str]) -> list[Json] | None:
    """All values of types that have few; None if there are too many to list."""
    held: dict[str, list[Json]] = {"boolean": [True, False], "null": [None]}
    return [value for kind in held if kind in types for value in held[kind]] if types and types <= held.keys() else None


def _same(one: Json, other: Json) -> bool:
    return bool(one == other) and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _distinct(value: Json) -> tuple[bool, Json]:
    """For comparisons: in Python 1 equals true."""
    return isinstance(value, bool), value


def _shown(values: list[Json]) -> str:
    return ", ".join(json.dumps(value, ensure_ascii=False) for value in values)


def _types(schema: Mapping[str, Json]) -> frozenset[str]:
    """The declared types, or those of the only values that are allowed."""
    if "type" not in schema:
        return frozenset(_type_of(value) for value in _values(schema) or ())
    declared = schema["type"]
    types = frozenset([declared] if isinstance(declared, str) else declared)
    return types | {"integer"} if "number" in types else types


def _type_of(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if value == int(value) else "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def _either(types: frozenset[str]) -> str:
    return " or ".join(sorted(types - {"integer"} if "number" in types else types)) or "of any type"


def _reference(schema: Json) -> str:
    return str(schema.get("$ref", "")) if isinstance(schema, dict) else ""


def _is_elsewhere(schema: Json) -> bool:
    """Whether all references of a schema are to other files."""
    if isinstance(schema, dict):
        reference = schema.get("$ref")
        here = isinstance(reference, str) and reference.startswith("#")
        return not here and all(_is_elsewhere(each) for each in schema.values())
    return all(_is_elsewhere(each) for each in schema) if isinstance(schema, list) else True


def _is_composed(schema: Json) -> bool:
    return isinstance(schema, dict) and ("$ref" in schema or "allOf" in schema)


def _asserted(schema: Mapping[str, Json]) -> str:
    held = {name: value for name, value in schema.items() if name not in _ANNOTATIONS}
    return json.dumps(held, sort_keys=True)


def _flat(schema: Json, document: Json, depth: int = 20) -> Json | None:
    """The schema with what it refers to in the same document, and with its `allOf`; None if it refers elsewhere.

    Parts that cannot be put together stay in `allOf`.
    """
    if not _is_composed(schema):
        return schema
    if depth == 0:
        return None
    own = {name: value for name, value in schema.items() if name not in ("$ref", "allOf")}
    parts = [part for part in schema.get("allOf", ()) if part is not True]
    if "$ref" in schema:
        target = _target(schema, document)
        if target is None:
            return None
        if _ignores_siblings(document):
            return _flat(target, document, depth - 1)
        parts.insert(0, target)
    left = []
    for part in parts:
        flat = _flat(part, document, depth - 1)
        if flat is None:
            return None
        merged = _merged(flat, own) if isinstance(flat, dict) else None
        if merged is None:
            left.append(flat)
        else:
            own = merged
    return {**own, "allOf": left} if left else own


def _target(schema: Json, document: Json) -> Json | None:
    reference = _reference(schema)
    if not reference.startswith("#"):
        return None
    found = document
    for part in filter(None, reference[1:].split("/")):
        name = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            return None
        found = found[name]
    return found


def _ignores_siblings(document: Json) -> bool:
    """Before draft 2019-09, nothing beside a `$ref` counts."""
    draft = str(document.get("$schema", "")) if isinstance(document, dict) else ""
    return any(f"draft-0{number}" in draft for number in (3, 4, 6, 7))


def _merged(one: Mapping[str, Json], other: Mapping[str, Json]) -> dict[str, Json] | None:
    """A schema that demands what both demand; None if their keywords cannot simply be put together."""
    held = {**one, **other}
    for name in (one.keys() & other.keys()) - _ANNOTATIONS:
        if one[name] == other[name]:
            continue
        if name == "required":
            held[name] = [*one[name], *(each for each in other[name] if each not in one[name])]
        elif name == "properties" and not one[name].keys() & other[name].keys():
            held[name] = {**one[name], **other[name]}
        else:
            return None
    # These say what is left over by the keywords beside them, so they cannot move to others.
    return (
        None
        if _LEFT_OVER & (one.keys() ^ other.keys()) and one.keys() - _ANNOTATIONS and other.keys() - _ANNOTATIONS
        else held
    )
