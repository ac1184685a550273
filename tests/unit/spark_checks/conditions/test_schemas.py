"""Schemas with the files they refer to, and the outcomes on values: the same as the reference validator's."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

pytest.importorskip("pyspark")

from kafka_topology.spark_checks.conditions.record import Outcome
from kafka_topology.spark_checks.conditions.schemas import (
    AvroSchema,
    JsonSchema,
    UnusableSchema,
    schema_reader,
    schemas_of,
)
from kafka_topology.spark_checks.engines.validator import BrokenSchema, compiled, outcome_of


@pytest.fixture(autouse=True, params=["jsonschema_rs", "jsonschema"])
def validator(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both validators give the same outcomes."""
    if request.param == "jsonschema":
        monkeypatch.setitem(sys.modules, "jsonschema_rs", None)


def one(schema: Any, files: dict[str, Any] | None = None, root: Path = Path()) -> Any:
    for name, content in (files or {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return schemas_of({"schemas/s.json": json.dumps(schema)}, schema_reader(root))["schemas/s.json"]


def test_references_are_followed_from_file_to_file(tmp_path: Path) -> None:
    files = {
        "schemas/a.json": {"properties": {"b": {"$ref": "deep/b%20c.json#/$defs/x"}, "s": {"$ref": "s.json"}}},
        "schemas/deep/b c.json": {"$defs": {"x": {"$ref": "../../other.json"}}},
        "other.json": {"type": "integer"},
    }
    schema = one(
        {"properties": {"a": {"$ref": "a.json"}, "enum": {"enum": [{"$ref": "nothing.json"}]}}}, files, tmp_path
    )
    assert isinstance(schema, JsonSchema)
    compiled(schema)
    assert outcome_of(schema, b'{"a": {"b": 1, "s": {"a": {"b": 2}}}}') == Outcome.FINE
    assert outcome_of(schema, b'{"a": {"b": "1"}}') == Outcome.BREAKS_SCHEMA
    assert outcome_of(schema, b'{"a": {"s": {"a": {"b": "2"}}}}') == Outcome.BREAKS_SCHEMA


@pytest.mark.parametrize("draft", ["draft-04", "draft-06", "draft-07"])
def test_an_absolute_id_does_not_hide_the_file_beside(tmp_path: Path, draft: str) -> None:
    name = "id" if draft == "draft-04" else "$id"
    schema = {
        "$schema": f"http://json-schema.org/{draft}/schema#",
        name: "https://example.org/schemas/s.json",
        "properties": {"a": {"$ref": "a.json#/definitions/x"}, "b": {"$ref": "#/definitions/y"}},
        "definitions": {"y": {"type": "string"}},
    }
    found = one(schema, {"schemas/a.json": {"definitions": {"x": {"type": "integer"}}}}, tmp_path)
    compiled(found)
    assert outcome_of(found, b'{"a": 1, "b": ""}') == Outcome.FINE
    assert outcome_of(found, b'{"a": ""}') == Outcome.BREAKS_SCHEMA
    assert outcome_of(found, b'{"b": 1}') == Outcome.BREAKS_SCHEMA


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("https://example.org/x.json", "nothing is read from a network"),
        ("//example.org/x.json", "nothing is read from a network"),
        ("gone.json", "`gone.json`, which cannot be read: no such file or directory"),
        ("../../x.json", "leads out of the topology's folder"),
        ("broken.json", "which is not JSON"),
    ],
)
def test_what_cannot_be_followed_is_said(tmp_path: Path, reference: str, said: str) -> None:
    found = one({"$ref": reference}, {"schemas/broken.json": "{"}, tmp_path)
    assert isinstance(found, UnusableSchema)
    assert said in found.reason


def test_avro_and_broken_schemas() -> None:
    texts = {"a.avsc": '"string"', "b.json": "{", "c.avsc": "{"}
    found = schemas_of(texts, schema_reader(Path()))
    assert found["a.avsc"] == AvroSchema('"string"')
    assert isinstance(found["b.json"], UnusableSchema)
    assert isinstance(found["c.avsc"], UnusableSchema)
    for wrong, reason in (
        ({"type": "objekt"}, "[\"']objekt[\"'] is not valid"),
        ({"$ref": "#/$defs/none"}, r"/\$defs/none' does not exist"),
        ({"minLength": -1}, "-1 is less than the minimum of 0"),
    ):
        with pytest.raises(BrokenSchema, match=reason):
            compiled(one(wrong))


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        (None, None),
        (b"{}", Outcome.FINE),
        (b" 1 ", Outcome.FINE),
        (b"{", Outcome.UNREADABLE),
        (b"", Outcome.UNREADABLE),
        (b"NaN", Outcome.UNREADABLE),
        (b"-Infinity", Outcome.UNREADABLE),
        (b"{} {}", Outcome.UNREADABLE),
        (b'"\xff"', Outcome.UNREADABLE),
        (b"\xef\xbb\xbf{}", Outcome.UNREADABLE),
        (b'"\\ud800"', Outcome.UNREADABLE),
        (b"[" * 100_000, Outcome.UNREADABLE),
        (b"\0\0\0\0\1{}", Outcome.FRAMED),
        (b"123456789012345678901234567890", Outcome.FINE),
    ],
)
def test_outcomes_on_bytes(value: bytes | None, outcome: Outcome | None) -> None:
    assert outcome_of(JsonSchema("a", (("a", "{}"),)), value) == outcome


SCHEMAS: list[Any] = [
    {"type": "object", "required": ["a"], "additionalProperties": False, "properties": {"a": {"type": "integer"}}},
    {"type": "integer", "multipleOf": 3, "exclusiveMinimum": 0},
    {"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^[a-zä]+$"},
    {"enum": [1, "x", None, {"a": 1}]},
    {"const": 1.0},
    {"anyOf": [{"type": "null"}, {"type": "array", "items": {"type": "number"}, "uniqueItems": True}]},
    {"oneOf": [{"minimum": 2}, {"maximum": 3}], "type": "number"},
    {"not": {"type": "boolean"}},
    {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"maxProperties": 1}},
    {"prefixItems": [{"type": "string"}], "items": {"type": "integer"}, "contains": {"const": 2}},
    {"patternProperties": {"^x-": {"type": "string"}}, "propertyNames": {"minLength": 2}},
    {"dependentRequired": {"a": ["b"]}, "unevaluatedProperties": False, "properties": {"a": True, "b": True}},
    {"$defs": {"tree": {"properties": {"next": {"$ref": "#/$defs/tree"}}, "type": "object"}}, "$ref": "#/$defs/tree"},
    {"format": "email", "type": "string"},
    {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "integer"}], "additionalItems": False},
    {"$schema": "http://json-schema.org/draft-04/schema#", "type": "number", "minimum": 2, "exclusiveMinimum": True},
]
VALUES: list[Any] = [
    None, True, 0, 1, 1.0, 2, 3, 3.5, 6, -3, 10**25, "", "x", "ab", "abcd", "äb", "😀😀", "a@b", [],
    [1, 1], [1, 2], [1.0, 1],
    ["a", 2, 3], ["a", 3], [1, 2, "x"], {}, {"a": 1}, {"a": 1.0}, {"a": "1"}, {"a": 1, "b": 2}, {"b": 2}, {"x-a": 1},
    {"x-a": "s"}, {"q": 1}, {"next": {"next": {}}}, {"next": {"next": 1}}, {"c": 1, "d": 2},
]  # fmt: skip


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: next(iter(schema)))
def test_outcomes_are_those_of_the_reference_validator(schema: Any) -> None:
    reference = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)(schema)
    found = one(schema)
    for value in VALUES:
        expected = Outcome.FINE if reference.is_valid(value) else Outcome.BREAKS_SCHEMA
        assert outcome_of(found, json.dumps(value).encode()) == expected, value
