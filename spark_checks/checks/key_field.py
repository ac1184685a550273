"""The key equals the field of the value that the topology names."""

from __future__ import annotations

from ..conditions import DecodedDiffersFromField, DiffersFromField, NullKey, RowTest, Tombstone
from ..schemas import AvroSchema, Schema, UnusableSchema
from .base import Explanation, Found, NotChecked, RowTests, Subject

_TEXT_KEYS = frozenset({"string", "uuid", "pattern"})


class KeyField:
    id = "key-field"

    def tests(self, subject: Subject) -> RowTests | NotChecked | None:
        key, value = subject.key, subject.topic.value
        if key is None or key.field is None:
            return None
        if key.type == "none":
            return NotChecked("the topology declares no key")
        unreadable = _unreadable(subject)
        if unreadable is not None:
            return NotChecked(unreadable)
        if "'" in key.field:
            return NotChecked(f"field {key.field} has a quote in its name")
        path = tuple(key.field.split("."))
        differs = DiffersFromField(path) if key.type in _TEXT_KEYS else DecodedDiffersFromField(path)
        assert value is not None  # noqa: S101 - without one the field is unreadable
        return RowTests(
            (
                RowTest(f"differs from {key.field}", differs),
                RowTest("null key", NullKey(), "unjudged"),
                RowTest("null value", Tombstone(), "unjudged"),
            )
        )

    def explain(self, subject: Subject, found: Found) -> Explanation:  # noqa: ARG002 - the protocol's signature
        assert subject.key is not None  # noqa: S101 - only what was tested is explained
        return Explanation(
            f"a producer takes the key from elsewhere than {subject.key.field}, or the field is missing",
            f"make the producer use {subject.key.field} as the key, or correct `key.field`",
        )


def _unreadable(subject: Subject) -> str | None:
    """Why the field or the key cannot be read, if so."""
    key, value = subject.key, subject.topic.value
    if value is None or value.format not in {"json", "avro"}:
        actual = "no format" if value is None else value.format
        return f"the value's field can be read from JSON and Avro only, declared is {actual}"
    if value.format == "avro" and not isinstance(schema := subject.schema_of(value), AvroSchema):
        return _lacks_schema("the value's field", "value", schema)
    if key is not None and key.type == "avro" and not isinstance(schema := subject.schema_of(key), AvroSchema):
        return _lacks_schema("the key", "key", schema)
    return None


def _lacks_schema(what: str, part: str, schema: Schema | None) -> str:
    if isinstance(schema, UnusableSchema):
        return schema.reason
    return f"{what} can be read only with its Avro schema: declare `{part}.schema`, a file .avsc"
