"""The key equals the field of the value that the topology names."""

from __future__ import annotations

from ..conditions import DecodedDiffersFromField, DiffersFromField, NullKey, RowTest, Tombstone
from ..schemas import AvroSchema
from .base import Explanation, Found, NotChecked, RowCheck, RowTests, Subject
from .fields import lacks_schema, readable_path

_TEXT_KEYS = frozenset({"string", "uuid", "pattern"})


class KeyField(RowCheck):
    id = "key-field"

    def tests(self, subject: Subject) -> RowTests | NotChecked | None:
        key = subject.key
        if key is None or key.field is None:
            return None
        if key.type == "none":
            return NotChecked("the topology declares no key")
        path = readable_path(subject, key.field)
        if isinstance(path, NotChecked):
            return path
        if key.type == "avro" and not isinstance(schema := subject.schema_of(key), AvroSchema):
            return NotChecked(lacks_schema("the key", "key", schema))
        differs = DiffersFromField(path) if key.type in _TEXT_KEYS else DecodedDiffersFromField(path)
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
