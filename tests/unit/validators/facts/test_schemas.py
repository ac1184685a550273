"""Which changes of a schema leave records behind that no longer fit it."""

from __future__ import annotations

import json

import pytest

from kafka_topology.validators.facts.schemas import Compared, compare_schemas

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
        ("json", {"enum": ["a", "b"]}, {"enum": ["a"]}, 'may no longer be "b"'),
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
    found = compare_schemas(schema_format, json.dumps(old), json.dumps(new))
    assert found.unjudged == ()
    assert (not found.old_records) if reason is None else reason in "\n".join(found.old_records)


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
    found = compare_schemas("protobuf", f"message Order {{ {old}\n }}", f"message Order {{ {new}\n }}").old_records
    assert found == () if reason is None else reason in "\n".join(found)


def test_what_cannot_be_read_is_not_judged_and_says_so() -> None:
    assert compare_schemas("string", "{}", "{}") == Compared()
    bad = "one of the schemas: a keyword has a value that it cannot have"
    for schema_format, old, new, reason in (
        ("string", "{}", '{"type": "object"}', "schemas of string"),
        ("json", "{}", "{nope", "the new schema: it is not valid JSON: Expecting property name"),
        ("json", "{", "{}", "the old schema: it is not valid JSON"),
        ("json", "[]", "{}", "the old schema: it is no JSON Schema: expected an object, true or false"),
        ("json", '{"properties": 1}', '{"properties": 2}', bad),
        ("avro", '{"type": "record", "fields": [1]}', '{"type": "record"}', bad),
        ("avro", '"int"', "7", "the new schema: it is no Avro schema"),
        ("protobuf", "message A {", "message A {}", "the old schema: it is no Protocol Buffers: a brace is not closed"),
    ):
        found = compare_schemas(schema_format, old, new)
        assert reason in found.unjudged[0], found
        assert (found.old_records, found.old_readers) == ((), ())
    refers = compare_schemas("json", '{"$ref": "other.json"}', '{"$ref": "another.json"}')
    assert "is in another file" in refers.unjudged[0]
    assert "oneOf differs" in compare_schemas("json", '{"oneOf": [{}]}', '{"oneOf": [{}, {}]}').unjudged[0]


BOTH = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "state": {"enum": ["new", "paid"]}, "note": {"type": "string"}},
    "required": ["id", "state"],
    "additionalProperties": False,
}


def having(**changes: object) -> dict[str, object]:
    properties: dict[str, object] = {**BOTH["properties"]}  # type: ignore[dict-item]
    return {**BOTH, **changes, "properties": {**properties, **changes.get("properties", {})}}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("new", "records", "readers"),
    [
        (having(required=["id"]), [], ["state may now be missing, but readers require it"]),
        (
            having(properties={"state": {"enum": ["new", "paid", "sent"]}}),
            [],
            ['state may now be "sent", which readers do not know'],
        ),
        (
            having(properties={"note": {"type": "string", "maxLength": 9}}),
            ["note: maxLength 9, and existing records may break it (maxLength unset)"],
            [],
        ),
        (having(properties={"more": {}}), [], ["more is new, and readers refuse fields that they do not know"]),
        (
            having(required=["id", "note"], properties={"id": {"type": "integer"}}),
            ["id was string and is now integer", "note is now required, and existing records may not have it"],
            ["id is now integer, but was string", "state may now be missing, but readers require it"],
        ),
    ],
)
def test_both_directions_with_every_reason(new: object, records: list[str], readers: list[str]) -> None:
    found = compare_schemas("json", json.dumps(BOTH), json.dumps(new))
    assert (sorted(found.old_records), sorted(found.old_readers)) == (records, readers)


def test_definitions_of_the_same_file_are_followed_even_in_circles() -> None:
    old = {
        "$ref": "#/$defs/node",
        "$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}, "n": {"type": "integer"}}}},
    }
    new = json.loads(json.dumps(old).replace('"integer"', '"string"'))
    found = compare_schemas("json", json.dumps(old), json.dumps(new))
    assert found.old_records == ("n was integer and is now string",)


def test_avro_both_ways() -> None:
    old, new = record({"name": "a", "type": "int"}), record({"name": "b", "type": ["null", "int"], "default": None})
    found = compare_schemas("avro", json.dumps(old), json.dumps(new))
    assert (found.old_records, found.old_readers) == ((), ("a was removed, and readers have no default for it",))
    tree = record({"name": "left", "type": ["null", "Order"]}, {"name": "n", "type": "long"})
    smaller = json.loads(json.dumps(tree).replace('"long"', '"int"'))
    found = compare_schemas("avro", json.dumps(tree), json.dumps(smaller))
    assert "n was long and is now int" in found.old_records
    assert found.old_readers == ()
    symbols = {"type": "enum", "name": "E", "symbols": ["A"]}
    found = compare_schemas("avro", json.dumps(symbols), json.dumps({**symbols, "symbols": ["A", "B"]}))
    assert found.old_readers == ("the record may now be B, which readers do not know",)


def test_protobuf_both_ways() -> None:
    old = """syntax = "proto2";
      message Order {
        required string id = 1;
        message Line { int32 n = 1; }
        repeated Line lines = 2;
        enum S { A = 0; }
        optional S s = 3;
        map<string, int32> tags = 4;
        oneof x { string a = 5; }
      }"""
    edits = {"required string id": "optional string id", "int32 n": "string n", "optional S s": "int32 s"}
    new = old
    for was, now in edits.items():
        new = new.replace(was, now)
    found = compare_schemas("protobuf", old, new)
    assert found.old_records == ("Order.Line.n (field 1) was int32 and is now string",)
    assert set(found.old_readers) == {
        "Order.Line.n (field 1) is now string, but was int32",
        "Order.id (field 1) may now be missing, but readers require it",
        "Order.s (field 3) is now int32, but was S, so readers do not hold every new value",
    }
    assert found.unjudged == ()


def both(schema_format: str, old: object, new: object) -> tuple[list[str], list[str], tuple[str, ...]]:
    found = compare_schemas(schema_format, json.dumps(old), json.dumps(new))
    return list(found.old_records), list(found.old_readers), found.unjudged


def part(schema: object, **others: object) -> dict[str, object]:
    address = {"type": "object", "properties": {"zip": {"type": "string"}}}
    return {"type": "object", "properties": {"a": schema}, "$defs": {"A": address}, **others}


A = {"$ref": "#/$defs/A"}


def test_what_stands_beside_a_reference_counts_since_draft_2019() -> None:
    narrower = {**A, "required": ["zip"]}
    assert both("json", part(A), part(narrower))[0] == ["a.zip is now required, and existing records may not have it"]
    old_draft = {"$schema": "http://json-schema.org/draft-07/schema#"}
    assert both("json", part(A, **old_draft), part(narrower, **old_draft)) == ([], [], ())
    # What cannot be put together is said to differ.
    assert both("json", part(A), part({**A, "properties": {"zip": {"maxLength": 5}}}))[2]


def test_all_of_one_is_that_one() -> None:
    assert both("json", part(A), part({"allOf": [A]})) == ([], [], ())
    inline = {"allOf": [{"type": "object"}, {"properties": {"zip": {"type": "string"}}}]}
    assert both("json", part(A), part(inline)) == ([], [], ())
    records, _, _ = both("json", part(A), part({"allOf": [A, {"required": ["zip"]}]}))
    assert records == ["a.zip is now required, and existing records may not have it"]
    loop = {"$defs": {"A": {"allOf": [A, {"type": "object"}]}}, "$ref": "#/$defs/A"}
    assert both("json", loop, {**loop, "title": "x"})[2]


def test_a_definition_is_compared_with_everything_that_it_replaces() -> None:
    old = {"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "$defs": {"A": {"type": "string"}}}
    records, _, _ = both("json", old, {**old, "properties": {"a": A, "b": A}})
    assert records == ["b was integer and is now string"]


def test_a_level_that_closes_an_object_is_not_moved() -> None:
    closed = {"additionalProperties": False, "properties": {"zip": {}, "street": {}}}
    assert both("json", part(A), part({"allOf": [A, closed]}))[2]


@pytest.mark.parametrize(
    ("kind", "others"),
    [("enum", {"symbols": ["A"]}), ("fixed", {"size": 4}), ("record", {"fields": []})],
)
def test_a_renamed_avro_type_does_not_resolve(kind: str, others: dict[str, object]) -> None:
    old, new = ({"type": kind, "name": name, **others} for name in ("x.Tier", "x.Level"))
    for before, after in ((old, new), (record({"name": "a", "type": old}), record({"name": "a", "type": new}))):
        records, readers, _ = both("avro", before, after)
        assert [f"{kind} Tier" in reason for reason in (*records, *readers)] == [True, True]
    assert both("avro", old, {**new, "aliases": ["x.Tier"]})[0] == []
    assert both("avro", old, {**old, "name": "y.Tier"}) == ([], [], ())
    assert both("avro", ["null", old], ["null", new])[0] == [f"the record may no longer be {kind}"]


def test_times_of_another_unit_are_another_type() -> None:
    millis, micros = ({"type": "long", "logicalType": f"timestamp-{unit}"} for unit in ("millis", "micros"))
    records, _, _ = both("avro", millis, micros)
    assert records == ["the record was timestamp-millis and is now timestamp-micros"]
    assert both("avro", "long", micros) == ([], [], ())


def opened(schema_format: str, old: object, new: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    found = compare_schemas(schema_format, json.dumps(old), json.dumps(new))
    assert (found.old_records, found.old_readers, found.unjudged) == ((), (), ())
    return found.open_records, found.open_readers


def test_a_field_of_an_open_object_may_have_been_written_with_anything() -> None:
    without, typed = {"type": "object"}, {"type": "object", "properties": {"n": {"type": "integer"}}}
    records, readers = opened("json", without, typed)
    assert records == (
        "n is described now, but the schema allowed other fields, so existing records may hold anything in it",
    )
    assert readers == ()
    records, readers = opened("json", typed, without)
    assert records == ()
    assert readers == (
        "n is no longer described, but the schema allows other fields, so new records may hold anything in it",
    )


@pytest.mark.parametrize("anything", [{}, True])
def test_a_new_field_that_may_be_anything_fits_whatever_was_written(anything: object) -> None:
    assert opened("json", {"type": "object"}, {"type": "object", "properties": {"n": anything}}) == ((), ())


@pytest.mark.parametrize("closed", [{"additionalProperties": False}, {"unevaluatedProperties": False}])
def test_nothing_was_written_in_a_new_field_of_a_closed_object(closed: dict[str, object]) -> None:
    old = {"type": "object", "properties": {"id": {"type": "string"}}, **closed}
    new = {**old, "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}}
    records, readers, unjudged = both("json", old, new)
    assert (records, unjudged) == ([], ())
    assert readers == ["n is new, and readers refuse fields that they do not know"]


def test_other_fields_of_a_type_are_compared_with_those_that_are_listed() -> None:
    others = {"type": "object", "additionalProperties": {"type": "integer"}}
    listed = {**others, "properties": {"n": {"type": "string"}}}
    records, readers, _ = both("json", others, listed)
    assert (records, readers) == (["n was integer and is now string"], ["n is now string, but was integer"])
    assert both("json", others, {**others, "properties": {"n": {"type": "number"}}})[0] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"items": [{"type": "string"}]}, {"items": [{"type": "integer"}]}),
        ({"additionalItems": False}, {"additionalItems": True}),
        ({"patternProperties": {"^x": {}}}, {"patternProperties": {"^y": {}}}),
        ({"not": {"const": 1}}, {"not": {"const": 2}}),
        ({"if": {"const": 1}, "then": {}}, {"if": {"const": 2}, "then": {}}),
    ],
)
def test_keywords_that_are_not_compared_are_named_if_they_differ(old: object, new: object) -> None:
    assert both("json", old, new)[2]
    assert both("json", old, {**old, "title": "the same"})[2] == ()  # type: ignore[dict-item]


def test_an_unchanged_reference_to_another_file_does_not_hide_the_rest() -> None:
    old = {"properties": {"a": {"$ref": "other.json"}, "n": {"type": "integer"}}, "additionalProperties": False}
    new = {**old, "properties": {**old["properties"], "n": {"type": "number"}}}  # type: ignore[dict-item]
    assert both("json", old, new) == ([], ["n is now number, but was integer"], ())


def test_a_union_with_a_type_of_another_file_could_not_be_compared() -> None:
    records, _, unjudged = both("avro", ["null", "x.Other"], ["null", "x.Another"])
    assert records == []
    assert unjudged[0] == "the record: a type of the union is defined in another file"


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        ("int", "a"),
        ("int", 2**31),
        ("long", 1.5),
        ("boolean", 0),
        ("float", "1"),
        ("string", None),
        (["null", "string"], 1),
        ({"type": "array", "items": "int"}, [1, "a"]),
        ({"type": "map", "values": "int"}, {"a": None}),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, "B"),
        ({"type": "enum", "name": "E", "symbols": ["A"], "default": "B"}, "A"),
        ({"type": "record", "name": "F", "fields": [{"name": "b", "type": "int"}]}, {}),
    ],
)
def test_an_avro_default_that_does_not_fit_makes_the_schema_invalid(kind: object, default: object) -> None:
    _, _, unjudged = both("avro", record(), record({"name": "a", "type": kind, "default": default}))
    assert "the new schema: it is no valid Avro schema: the default of" in unjudged[0]


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        ("long", 2**40),
        ("double", 1),
        ("bytes", "\u00ff"),
        (["null", "string"], None),
        (["null", "string"], "later versions allow any branch"),
        ({"type": "array", "items": "Order"}, [{}]),
        ({"type": "long", "logicalType": "timestamp-millis"}, 0),
        ({"type": "record", "name": "F", "fields": [{"name": "b", "type": "int", "default": 0}]}, {}),
    ],
)
def test_an_avro_default_that_fits_its_type(kind: object, default: object) -> None:
    assert both("avro", record(), record({"name": "a", "type": kind, "default": default})) == ([], [], ())


def test_an_avro_type_that_nobody_defines_is_not_judged() -> None:
    new = record({"name": "a", "type": ["null", "other.T"], "default": None})
    unjudged = ("the type other.T, which the new schema does not define",)
    assert both("avro", record(), new) == ([], [], unjudged)
    assert both("avro", new, record(*new["fields"], {"name": "b", "type": "int", "default": 0}))[2] == ()  # type: ignore[misc]


@pytest.mark.parametrize(
    ("old", "new", "records", "readers"),
    [
        ({"enum": ["new"]}, {"type": "integer"}, "was string and is now integer", 'one of "new"'),
        ({"const": "v1"}, {"type": "object"}, "was string and is now object", 'one of "v1"'),
        ({"enum": [1, 2.5]}, {"type": "integer"}, "was number and is now integer", "one of 1, 2.5"),
        ({"enum": [1, 2.0]}, {"type": "integer"}, "", "readers expect one of 1, 2.0"),
        ({"type": "boolean"}, {"enum": [True, False, "a"]}, "", "is now boolean or string, but was boolean"),
        ({"type": "boolean"}, {"enum": [True, "a"]}, "may no longer be false", "boolean or string, but was boolean"),
        ({"type": ["boolean", "null"]}, {"enum": [True, False, None]}, "", ""),
        ({"enum": [1]}, {"enum": [True]}, "may no longer be 1", "may now be true"),
        ({"enum": ["a"]}, {"type": "string"}, "", 'readers expect one of "a"'),
    ],
)
def test_listed_values_have_a_type_and_some_types_have_few_values(
    old: object, new: object, records: str, readers: str
) -> None:
    found = both("json", {"properties": {"s": old}}, {"properties": {"s": new}})
    for reasons, expected in zip(found[:2], (records, readers), strict=True):
        assert (expected in "; ".join(reasons)) if expected else reasons == []


def test_defaults_of_unions_that_refer_to_each_other_end() -> None:
    value: object = {"a": 1}
    for _ in range(60):
        value = {"n": value}
    fields = [{"name": "n", "type": ["A", "B"]}]
    types = [{"type": "record", "name": name, "fields": fields} for name in "AB"]
    holder = record({"name": "x", "type": types[0], "default": value})
    both("avro", record(), [types[1], holder])
