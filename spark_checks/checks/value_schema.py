"""Each value is of the declared format, and fits the declared schema."""

from __future__ import annotations

from ..conditions.record import (
    Condition,
    Framed,
    Judged,
    NotOfFormat,
    NullValue,
    Outcome,
    OutsideShare,
    RowTest,
    Unframed,
    WithinShare,
)
from ..conditions.schemas import AvroSchema, JsonSchema, UnusableSchema
from ..conditions.shares import Share, share_of
from ..planning.check import About, Check, Explanation, Found, NotChecked, RowTests
from ..planning.subject import Subject

_FRAMED, _UNFRAMED = "schema-id frame", "no schema-id frame"
_BREAKS, _UNDECODABLE = "breaks the schema", "does not decode"
_NULL_VALUE = RowTest("null value", NullValue(), "exempt")
_FRAME = "a zero byte, 4 bytes of schema id, then Avro"
_FRAME_ONLY = "without a declared schema Avro values are judged by their schema-id frame, not decoded"


class ValueSchema(Check):
    """Null values are left to `nulls`. Records outside a declared share are left out on purpose, so they are exempt."""

    about = About(
        id="value-schema",
        order=80,
        summary="Each value fits the declared schema.",
        why="Readers fail at the first record of another kind.",
        needs="`value.format` json, avro or string; `value.schema`",
        violation="a value that is not of the format, or that the schema does not allow",
        declared_at=("value", "schema"),
    )

    def tests(self, subject: Subject) -> RowTests | NotChecked | None:
        value = subject.topic.value
        if value is None:
            return None
        schema = subject.schema_of(value)
        if isinstance(schema, UnusableSchema):
            return NotChecked(schema.reason, unable=True)
        share = share_of(subject.topic)
        match value.format, schema:
            case "json", AvroSchema():
                said = f"values are declared as JSON, but {value.schema} is an Avro schema"
                return NotChecked(said, unable=True)
            case "json", JsonSchema():
                return _json_by_schema(share, f"a value that fits {value.schema}")
            case "json", _:
                return _json(share)
            case "avro", JsonSchema():
                said = f"values are declared as Avro, but the name of {value.schema} does not end in .avsc"
                return NotChecked(said, unable=True)
            case "avro", (AvroSchema() | None) as declared:
                return _avro(declared, f"a value that fits {value.schema}")
            case "string", _:
                return RowTests((RowTest("not UTF-8", NotOfFormat("string"), expected="UTF-8 text"), _NULL_VALUE))
            case "protobuf", _:
                return NotChecked("Protobuf values are not decoded")
            case _:
                return NotChecked("any value is of format bytes")

    def explain(self, subject: Subject, found: Found) -> Explanation:
        value = subject.topic.value
        assert value is not None  # noqa: S101 - only what was tested is explained
        kinds = {test.name for test, _ in found.evidence}
        if _FRAMED in kinds:
            return _mixture(found, "a producer writes JSON with a schema-id frame (a schema registry's serializer)")
        if _UNFRAMED in kinds:
            return _mixture(found, "a producer writes values without the schema-id frame, or not in Avro at all")
        if _UNDECODABLE in kinds:
            return Explanation(
                f"values written with another schema, or another version of it, than {value.schema}",
                "declare the schema that the producers write with, or switch the producers to the declared one",
            )
        if _BREAKS in kinds:
            return Explanation(
                f"a producer whose values do not fit {value.schema}",
                "let producers validate against the schema before they send, or correct the schema",
            )
        return Explanation(
            f"a producer with another value serializer: values are declared as {value.format}",
            "give every producer the same value serializer, or correct `value.format`",
        )


CHECK = ValueSchema()


def _mixture(found: Found, who: str) -> Explanation:
    mixed = "framed and unframed values are mixed: " if found.violations < found.records else ""
    return Explanation(
        f"{mixed}{who}",
        "give every producer the same value serializer: a reader takes values with the frame or without, not both",
    )


def _json(share: Share | None) -> RowTests:
    if share is None:
        return RowTests((_not_json(NotOfFormat("json")), _framed(Framed()), _NULL_VALUE))
    rows = (
        _not_json(WithinShare(share, NotOfFormat("json"))),
        _framed(WithinShare(share, Framed())),
        RowTest("outside the share", OutsideShare(share), "exempt"),
        _NULL_VALUE,
    )
    return RowTests(rows, bound=share.bound)


def _not_json(condition: Condition) -> RowTest:
    return RowTest("not JSON", condition, expected="JSON text")


def _framed(condition: Condition) -> RowTest:
    return RowTest(_FRAMED, condition, expected="JSON without a schema-id frame")


def _json_by_schema(share: Share | None, fits: str) -> RowTests:
    rows = [
        _not_json(Judged("value", Outcome.UNREADABLE)),
        _framed(Judged("value", Outcome.FRAMED)),
        RowTest(_BREAKS, Judged("value", Outcome.BREAKS_SCHEMA), expected=fits),
        RowTest("not validated", Judged("value", Outcome.NOT_VALIDATED), "unjudged"),
        _NULL_VALUE,
    ]
    if share is not None:
        rows.append(RowTest("outside the share", OutsideShare(share), "exempt"))
    return RowTests(tuple(rows), bound=None if share is None else share.bound)


def _avro(schema: AvroSchema | None, fits: str) -> RowTests:
    """Decoding is cheap, and every other check of the value needs it: a declared share is not used."""
    if schema is None:
        return RowTests((RowTest(_UNFRAMED, Unframed(), expected=_FRAME), _NULL_VALUE), bound=_FRAME_ONLY)
    rows = (
        RowTest(_UNFRAMED, Judged("value", Outcome.UNFRAMED), expected=_FRAME),
        RowTest(_UNDECODABLE, Judged("value", Outcome.UNREADABLE), expected=fits),
        _NULL_VALUE,
    )
    return RowTests(rows)
