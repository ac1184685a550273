"""Which changes of a .proto file leave records or readers behind."""

from __future__ import annotations

import pytest

from kafka_topology.validators.facts.schemas import Compared, UnreadableSchema, compare_schemas, parse_schema


def compared(old: str, new: str, before: str = "") -> Compared:
    first, second = (f'syntax = "proto2"; {before} message M {{ {body} }}' for body in (old, new))
    return compare_schemas("protobuf", first, second)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("optional int64 a = 2;", "optional int64 a = 6;", "M.a was field 2 and is now field 6"),
        ("optional string a = 1; optional string b = 2;", "optional string b = 1; optional string a = 2;", "M.b was"),
        ("optional int64 a = 1; optional string b = 2;", "oneof x { int64 a = 1; string b = 2; }", "keeps only one of"),
        (
            "oneof x { int64 a = 1; } optional bool b = 2;",
            "oneof x { int64 a = 1; bool b = 2; }",
            "keeps only one of a",
        ),
        ("optional int64 a = 1;", "optional int32 a = 1;", "int64 and is now int32, which does not hold every value"),
        ("optional int64 a = 1;", "optional bool a = 1;", "int64 and is now bool"),
        ("optional uint64 a = 1;", "optional int32 a = 1;", "uint64 and is now int32"),
        ("optional int32 a = 1;", "optional uint64 a = 1;", "int32 and is now uint64"),
        ("optional int32 a = 1;", "optional fixed32 a = 1;", "int32 and is now fixed32"),
        ("optional bytes a = 1;", "optional string a = 1;", "bytes and is now string"),
        ("map<string, int64> a = 1;", "map<string, int32> a = 1;", "map<string, int64> and is now map<string, int32>"),
        (
            "enum E { U = 0; A = 1; B = 2; } optional E e = 1;",
            "enum E { U = 0; B = 1; A = 2; } optional E e = 1;",
            "E.A",
        ),
        ("reserved 2, 5 to 7;", "optional int32 a = 6;", "M.a (field 6) was reserved"),
        (
            "optional int32 a = 1 [default = 1];",
            "optional int32 a = 1 [default = 2];",
            "the default was 1 and is now 2",
        ),
        ("", "required int32 a = 1;", "is now required"),
    ],
)
def test_existing_records_do_not_fit(old: str, new: str, reason: str) -> None:
    found = compared(old, new)
    assert reason in "\n".join(found.old_records)
    assert found.unjudged == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("optional int32 a = 1;", "oneof x { int32 a = 1; }"),
        ("oneof x { int32 a = 1; bool b = 2; }", "optional int32 a = 1; optional bool b = 2;"),
        ("optional bool a = 1;", "optional int64 a = 1;"),
        ("optional string a = 1;", "optional bytes a = 1;"),
        ("optional int32 a = 1;", 'reserved 1; reserved "a";'),
        ("optional int32 a = 1;", "optional int32 a = 1 [default = 0, deprecated = true];"),
        ("map<string, int32> a = 1;", "map<string, int64> a = 1;"),
        ("optional Outer.N a = 1;", "optional .Outer.N a = 1;"),
    ],
)
def test_existing_records_still_fit(old: str, new: str) -> None:
    found = compared(old, new, "message Outer { message N { } }")
    assert (found.old_records, found.unjudged) == ((), ())


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("optional int32 a = 1;", "optional int64 a = 1;", "readers do not hold every new value"),
        ("oneof x { int32 a = 1; bool b = 2; }", "optional int32 a = 1; optional bool b = 2;", "a, b may now be set"),
    ],
)
def test_readers_with_the_old_schema_fail(old: str, new: str, reason: str) -> None:
    assert reason in "\n".join(compared(old, new).old_readers)


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("optional int32 a = 1;", "optional int32 b = 1;", "M (field 1) is named a and b"),
        ("enum E { A = 0; }", "enum E { A = 0; B = 1; }", "does not know B (1)"),
        ("enum E { A = 0; }", "enum E { B = 0; }", "0 is named A and B"),
        ('reserved "a";', "optional int32 a = 1;", "the name was reserved"),
    ],
)
def test_a_person_has_to_look_at_a_change_that_both_sides_can_read(old: str, new: str, note: str) -> None:
    found = compared(old, new)
    assert (found.old_records, found.old_readers, found.unjudged) == ((), (), ())
    assert note in "\n".join(found.notes)


def test_the_first_message_is_the_record() -> None:
    old, other = "message M { string a = 1; }", "message N { int32 a = 1; }"
    found = compare_schemas("protobuf", old, other)
    assert found.old_records == (
        "the record was message M and is now message N",
        "M.a (field 1) was string and is now int32",
    )
    assert "message M and is now message N" in compare_schemas("protobuf", old, other + old).old_records[0]
    assert compare_schemas("protobuf", old + other, old).old_records == (
        "message N was removed, and existing records may be of it",
    )
    assert "the package changes" in compare_schemas("protobuf", old, f"package p; {old}").notes[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("this is { no } protobuf at all", "`this is {` is no statement of it"),
        ("hello", "`hello` is no statement of it"),
        ("", "it has no message"),
        ('{"type": "record"}', "is no statement of it"),
        ("message M { hello }", "`hello` has no end"),
        ("message M { N n = 1; }", "M.n (field 1) has the type N, which is not defined"),
        ("message M { int32 a = 1; int32 b = 1; }", "used twice"),
        ("message M { int32 a = x; }", "x is no number"),
        ("message M { } }", "a brace closes nothing"),
        ("message M { " * 40 + "}" * 40, "messages are nested too deeply"),
        ("package a" + ".a" * 40 + "; message M { }", "too many parts"),
        ("message M { int32 a = 1 [x = {;", "a brace is not closed"),
    ],
)
def test_what_is_no_protobuf_file_is_not_compared(text: str, reason: str) -> None:
    with pytest.raises(UnreadableSchema) as caught:
        parse_schema("protobuf", text)
    assert reason in str(caught.value)
    for versions in (("message M { }", text), (text, "message M { }")):
        assert reason in compare_schemas("protobuf", *versions).unjudged[0]


def test_a_type_of_another_file_is_compared_by_its_name() -> None:
    old = 'import "n.proto"; message M { o.N n = 1; }'
    assert compare_schemas("protobuf", old, old + "// edited") == Compared()
    for new in (old.replace("o.N n", "o.P n"), "message M { N n = 1; } message N { }"):
        assert "is defined in another file" in compare_schemas("protobuf", old, new).unjudged[0]


def test_the_whole_language_is_read() -> None:
    text = """\ufeff
      edition = "2023"; // a comment
      package shop . orders; import public "other.proto"; import weak 'more.proto';
      option (my).option = { a: 1, b { c: "}" } }; option java_package = "x";;
      extend google.protobuf.FieldOptions { optional string mine = 50000 [(x) = { y: [1] }]; }
      service Orders { rpc Get (M) returns (stream M) { option (http) = { get: "/" }; } }
      message M {
        option (o) = { a: 1 };
        reserved 4, 9 to max; reserved "old", 'older'; reserved oldest;
        extensions 100 to 199 [declaration = { number: 100 }];
        repeated group Line = 1 { optional int32 n = 0x2; };
        oneof x { option (o) = 1; shop.orders.M.Kind kind = 2 [default = A, deprecated = true]; .shop.orders.M m = 3; }
        map < string , orders.M > tags = 5 [(v) = { a: [1, 2] }, packed = true];
        enum Kind { option allow_alias = true; A = 0; B = -1 [(x) = "a;b"]; reserved 7 to max; C = 0; }
        extend M { optional int32 z = 100; }
        optional string option = 6; optional bool message = 7; google.protobuf.Timestamp at = 010; /* the end */
      };
    """
    schema = parse_schema("protobuf", text)
    message = schema.messages["M"]
    assert {number: each.types for number, each in message.fields.items()} == {
        1: ("M.Line",),
        2: ("M.Kind",),
        3: ("M",),
        5: ("string", "M"),
        6: ("string",),
        7: ("bool",),
        8: ("google.protobuf.Timestamp",),
    }
    assert message.fields[2].default == "A"
    assert schema.enums == {"M.Kind": {"A": 0, "B": -1, "C": 0}}
