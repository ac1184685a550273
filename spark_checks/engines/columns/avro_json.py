"""Decoded Avro as JSON text, in which a union is its value.

Spark decodes a union of several types as a struct with a field for each of them, `member0`, `member1` and so on, all
null but one. Written as it is, such a value would never equal a key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812

if TYPE_CHECKING:
    from pyspark.sql import Column

_NAMED = frozenset({"record", "error", "enum", "fixed"})
_WIDENED = (frozenset({"int", "long"}), frozenset({"float", "double"}))  # unions that Spark reads as one type
_STARTS = len('{"datum":') + 1
_NULL = "null"


def json_of(datum: Column, schema: str) -> Column:
    """The JSON text of a value that was decoded with this Avro schema; that of a null value is `null`."""
    return _json(datum, _resolved(json.loads(schema), "", {}))


def _json(datum: Column, schema: Any) -> Column:
    if not _has_union(schema):
        return _plain(datum)
    if isinstance(schema, list):
        branches = [each for each in schema if each != _NULL]
        if len(branches) == 1:
            return _or_null(datum, _json(datum, branches[0]))
        members = [datum.getField(f"member{index}") for index in range(len(branches))]
        texts = [
            F.when(member.isNotNull(), _json(member, each)) for member, each in zip(members, branches, strict=True)
        ]
        return F.coalesce(*texts, F.lit(_NULL))
    if schema["type"] == "array":
        elements = F.transform(datum, lambda each: _json(each, schema["items"]))
        return _or_null(datum, F.concat(F.lit("["), F.array_join(elements, ","), F.lit("]")))
    if schema["type"] == "map":
        entries = F.transform(
            F.map_entries(datum),
            lambda each: F.concat(_plain(each["key"]), F.lit(":"), _json(each["value"], schema["values"])),
        )
        return _or_null(datum, F.concat(F.lit("{"), F.array_join(entries, ","), F.lit("}")))
    if isinstance(schema["type"], (dict, list)):
        return _json(datum, schema["type"])
    fields = [
        F.concat(F.lit(f"{json.dumps(field['name'])}:"), _json(datum.getField(field["name"]), field["type"]))
        for field in schema["fields"]
    ]
    return _or_null(datum, F.concat(F.lit("{"), F.concat_ws(",", *fields), F.lit("}")))


def _plain(datum: Column) -> Column:
    """By Spark, which writes only structs: the text without the one around it."""
    text = F.to_json(F.struct(datum.alias("datum")), {"ignoreNullFields": "false"})
    return F.substring(text, F.lit(_STARTS), F.length(text) - F.lit(_STARTS))


def _or_null(datum: Column, text: Column) -> Column:
    return F.when(datum.isNull(), F.lit(_NULL)).otherwise(text)


def _has_union(schema: Any) -> bool:
    """Whether a union of several types is in it, at any depth."""
    if isinstance(schema, list):
        branches = [each for each in schema if each != _NULL]
        kinds = frozenset(each["type"] if isinstance(each, dict) else each for each in branches if _is_simple(each))
        several = len(branches) > 1 and not (len(kinds) == len(branches) and kinds in _WIDENED)
        return several or any(map(_has_union, branches))
    if not isinstance(schema, dict):
        return False
    inside = [schema.get("items"), schema.get("values"), *(field["type"] for field in schema.get("fields", ()))]
    return any(map(_has_union, inside)) or (isinstance(schema["type"], (dict, list)) and _has_union(schema["type"]))


def _is_simple(schema: Any) -> bool:
    return isinstance(schema, str) or (isinstance(schema, dict) and isinstance(schema.get("type"), str))


def _resolved(schema: Any, namespace: str, known: dict[str, Any]) -> Any:
    """The schema with every name replaced by what it stands for. Spark refuses schemas that contain themselves."""
    if isinstance(schema, str):
        return known.get(_full(schema, namespace), known.get(schema, schema))
    if isinstance(schema, list):
        return [_resolved(each, namespace, known) for each in schema]
    resolved = dict(schema)
    if isinstance(schema.get("type"), str) and schema["type"] in _NAMED:
        full = _full(schema["name"], schema.get("namespace", namespace))
        namespace = full.rpartition(".")[0]
        known[full] = resolved
    if isinstance(schema.get("type"), (dict, list)):
        resolved["type"] = _resolved(schema["type"], namespace, known)
    for inside in ("items", "values"):
        if inside in schema:
            resolved[inside] = _resolved(schema[inside], namespace, known)
    if "fields" in schema:
        resolved["fields"] = [_field(field, namespace, known) for field in schema["fields"]]
    return resolved


def _field(field: Mapping[str, Any], namespace: str, known: dict[str, Any]) -> dict[str, Any]:
    return {"name": field["name"], "type": _resolved(field["type"], namespace, known)}


def _full(name: str, namespace: str) -> str:
    return name if "." in name or not namespace else f"{namespace}.{name}"
