"""Which changes of a schema leave records behind that no longer fit it."""

from __future__ import annotations

import json

import pytest

from kafka_topology.validators.facts.schemas import why_old_records_do_not_fit

PLAIN = {"type": "object", "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}, "required": ["id"]}


def record(*fields: dict[str, object]) -> dict[str, object]:
    return {"type": "record", "name": "Order", "fields": list(fields)}


@pytest.mark.parametrize(
    ("schema_format", "old", "new", "reason"),
    [
        ("json", PLAIN, PLAIN, None),
        ("json", PLAIN, {**PLAIN, "required": ["id", "n"]}, "n is now required"),
        ("json", PLAIN, {**PLAIN, "properties": {"id": {"type": "integer"}}}, "id was string and is now integer"),
        ("json", PLAIN, {**PLAIN, "properties": {"id": {"type": "string"}, "n": {"type": "number"}}}, None),
        ("json", {"type": "number"}, {"type": "integer"}, "the record was number and is now integer"),
        ("json", {"enum": ["a", "b"]}, {"enum": ["a"]}, "may no longer be 'b'"),
        ("json", PLAIN, {**PLAIN, "properties": {"id": {}}, "additionalProperties": False}, "n is no longer allowed"),
        ("json", PLAIN, {**PLAIN, "additionalProperties": False}, "may no longer have other fields"),
        ("json", {"items": {"type": "string"}}, {"items": {"type": "null"}}, "[] was string and is now null"),
        ("json", PLAIN, {**PLAIN, "description": "orders"}, None),
        ("avro", record(), record({"name": "a", "type": "int"}), "a is new and has no default"),
        ("avro", record(), record({"name": "a", "type": "int", "default": 0}), None),
        ("avro", record({"name": "a", "type": "int"}), record({"name": "a", "type": "long"}), None),
        (
            "avro",
            record({"name": "a", "type": "long"}),
            record({"name": "a", "type": "int"}),
            "a was long and is now int",
        ),
        ("avro", record({"name": "a", "type": "int"}), record({"name": "a", "type": ["null", "int"]}), None),
        (
            "avro",
            record({"name": "a", "type": ["null", "int"]}),
            record({"name": "a", "type": "int"}),
            "a may no longer be null",
        ),
        ("avro", record({"name": "a", "type": "int"}), record(), None),
        ("avro", record({"name": "a", "type": "int"}), record({"name": "b", "aliases": ["a"], "type": "int"}), None),
        (
            "avro",
            {"type": "enum", "name": "E", "symbols": ["A", "B"]},
            {"type": "enum", "name": "E", "symbols": ["A"]},
            "may no longer be B",
        ),
    ],
)
def test_json_and_avro(schema_format: str, old: object, new: object, reason: str | None) -> None:
    found = why_old_records_do_not_fit(schema_format, json.dumps(old), json.dumps(new))
    assert found == reason if reason is None else reason in (found or "")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("string id = 1;", "string id = 1; int32 n = 2;", None),
        ("int32 n = 2;", "int64 n = 2;", None),
        ("int32 n = 2;", "string n = 2;", "Order.n (field 2) was int32 and is now string"),
        ("int32 n = 2; // the count", "sint32 n = 2;", "was int32 and is now sint32"),
    ],
)
def test_protobuf(old: str, new: str, reason: str | None) -> None:
    found = why_old_records_do_not_fit("protobuf", f"message Order {{ {old}\n }}", f"message Order {{ {new}\n }}")
    assert found == reason if reason is None else reason in (found or "")


def test_what_cannot_be_read_is_not_judged() -> None:
    assert why_old_records_do_not_fit("json", "{", "{}") is None
    assert why_old_records_do_not_fit("string", "{}", '{"type": "object"}') is None
    assert why_old_records_do_not_fit("json", '{"properties": 1}', '{"properties": 2}') is None
    assert why_old_records_do_not_fit("avro", '{"type": "record", "fields": [1]}', '{"type": "record"}') is None
