"""Whether records written with an old schema still fit a new one. Cases that cannot be judged count as fitting."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

Json = Any  # what json.loads returns


def why_old_records_do_not_fit(schema_format: str, old: str, new: str) -> str | None:
    """The first reason, as a sentence; None if they fit or if that cannot be judged."""
    if old == new:
        return None
    if schema_format == "protobuf":
        return _protobuf(old, new)
    try:
        before, after = json.loads(old), json.loads(new)
    except ValueError:
        return None
    try:
        if schema_format == "json":
            return _json(before, after, "")
        return _avro(before, after, "") if schema_format == "avro" else None
    except (AttributeError, KeyError, TypeError):
        return None  # not a schema


def _field(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


# JSON Schema: where both schemas say something, the new one must not be narrower.


def _json(old: Json, new: Json, path: str) -> str | None:
    if not isinstance(old, dict) or not isinstance(new, dict) or "$ref" in old or "$ref" in new:
        return None
    reason = _json_value(old, new, path or "the record") or _json_fields(old, new, path)
    if reason is not None:
        return reason
    after = new.get("properties", {})
    for name, schema in old.get("properties", {}).items():
        reason = _json(schema, after.get(name), _field(path, name))
        if reason is not None:
            return reason
    return _json(old.get("items"), new.get("items"), f"{path}[]")


def _json_value(old: Mapping[str, Json], new: Mapping[str, Json], here: str) -> str | None:
    was, now = _types(old), _types(new)
    if was and now and not was <= now:
        return f"{here} was {_either(was)} and is now {_either(now)}"
    if isinstance(old.get("enum"), list) and isinstance(new.get("enum"), list):
        gone = [value for value in old["enum"] if value not in new["enum"]]
        if gone:
            return f"{here} may no longer be {gone[0]!r}"
    return None


def _json_fields(old: Mapping[str, Json], new: Mapping[str, Json], path: str) -> str | None:
    missing = [name for name in new.get("required", ()) if name not in old.get("required", ())]
    if missing:
        return f"{_field(path, missing[0])} is now required, and existing records may not have it"
    if new.get("additionalProperties") is not False:
        return None
    gone = [name for name in old.get("properties", {}) if name not in new.get("properties", {})]
    if gone:
        return f"{_field(path, gone[0])} is no longer allowed, and existing records may have it"
    if old.get("additionalProperties") is not False:
        return f"{path or 'the record'} may no longer have other fields, and existing records may have some"
    return None


def _types(schema: Mapping[str, Json]) -> frozenset[str]:
    declared = schema.get("type", ())
    types = frozenset([declared] if isinstance(declared, str) else declared)
    return types | {"integer"} if "number" in types else types


def _either(types: frozenset[str]) -> str:
    return " or ".join(sorted(types - {"integer"} if "number" in types else types))


# Avro: the new schema is the reader's, the old one the writer's, resolved as the specification says.

_PROMOTIONS = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
    "bytes": ("string",),
}
_PRIMITIVE = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")


def _avro(old: Json, new: Json, path: str) -> str | None:
    here = path or "the record"
    if isinstance(old, list) or isinstance(new, list):
        return _avro_union(old if isinstance(old, list) else [old], new if isinstance(new, list) else [new], here)
    was, now = _avro_type(old), _avro_type(new)
    if was is None or now is None:
        return None  # a name that is defined elsewhere
    if was != now:
        return None if now in _PROMOTIONS.get(was, ()) else f"{here} was {was} and is now {now}"
    if was == "record":
        return _avro_record(old, new, path)
    if was == "enum":
        gone = [symbol for symbol in old.get("symbols", ()) if symbol not in new.get("symbols", ())]
        return f"{here} may no longer be {gone[0]}" if gone and "default" not in new else None
    if was == "fixed" and old.get("size") != new.get("size"):
        return f"{here} had {old.get('size')} bytes and now has {new.get('size')}"
    inner = {"array": "items", "map": "values"}.get(was)
    return _avro(old.get(inner), new.get(inner), f"{path}[]") if inner is not None else None


def _avro_type(schema: Json) -> str | None:
    kind = schema.get("type") if isinstance(schema, dict) else schema
    if isinstance(kind, dict):
        return _avro_type(kind)
    return kind if kind in (*_PRIMITIVE, "record", "enum", "fixed", "array", "map") else None


def _avro_union(old: list[Json], new: list[Json], here: str) -> str | None:
    for branch in old:
        if _avro_type(branch) is None or any(_avro_type(other) is None for other in new):
            return None
        if all(_avro(branch, other, here) is not None for other in new):
            return f"{here} may no longer be {_avro_type(branch)}"
    return None


def _avro_record(old: Json, new: Json, path: str) -> str | None:
    before = {field["name"]: field for field in old.get("fields", ())}
    for field in new.get("fields", ()):
        names = (field["name"], *field.get("aliases", ()))
        earlier = next((before[name] for name in names if name in before), None)
        if earlier is None:
            if "default" not in field:
                return f"{_field(path, field['name'])} is new and has no default"
            continue
        reason = _avro(earlier["type"], field["type"], _field(path, field["name"]))
        if reason is not None:
            return reason
    return None


# Protocol Buffers: a number must keep a type with the same encoding.

_PROTO_FIELD = re.compile(
    r"(?:(?:optional|required|repeated)\s+)?([A-Za-z_][\w.]*)\s+([A-Za-z_]\w*)\s*=\s*([0-9]+)\s*[;\[]"
)
_PROTO_MESSAGE = re.compile(r"\bmessage\s+(\w+)\s*\{([^{}]*)\}")
_PROTO_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PROTO_ENCODING = {
    **dict.fromkeys(("int32", "int64", "uint32", "uint64", "bool"), "varint"),
    **dict.fromkeys(("sint32", "sint64"), "zigzag"),
    **dict.fromkeys(("fixed32", "sfixed32"), "fixed32"),
    **dict.fromkeys(("fixed64", "sfixed64"), "fixed64"),
    **dict.fromkeys(("string", "bytes"), "bytes"),
    "float": "float",
    "double": "double",
}


def _protobuf(old: str, new: str) -> str | None:
    before, after = _proto_fields(old), _proto_fields(new)
    for key, (was, name) in before.items():
        now = after.get(key, (was, name))[0]
        known = was in _PROTO_ENCODING and now in _PROTO_ENCODING
        if known and _PROTO_ENCODING[was] != _PROTO_ENCODING[now]:
            return f"{key[0]}.{name} (field {key[1]}) was {was} and is now {now}"
    return None


def _proto_fields(text: str) -> dict[tuple[str, str], tuple[str, str]]:
    """Type and name by message and number. Messages that contain others are left out."""
    return {
        (message, number): (kind, name)
        for message, body in _PROTO_MESSAGE.findall(_PROTO_COMMENT.sub("", text))
        for kind, name, number in _PROTO_FIELD.findall(body)
    }
