"""The key equals the field of the value that the topology names."""

from __future__ import annotations

from ..conditions.record import DecodedDiffersFromField, DiffersFromField, NullKey, NullValue, RowTest
from ..conditions.schemas import AvroSchema
from ..planning.check import About, Check, Explanation, Found, NotChecked, RowTests
from ..planning.fields import readable_path, schema_missing
from ..planning.subject import Subject

_TEXT_KEYS = frozenset({"string", "uuid", "pattern"})


class KeyField(Check):
    about = About(
        id="key-field",
        order=40,
        summary="The key equals the declared field of the value.",
        why="Records are ordered and compacted by something else than intended.",
        needs="`key.field` and a value that can be read",
        violation="a key that differs from the field of its value",
        declared_at=("key", "field"),
    )

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
            return schema_missing("the key", "key", schema)
        differs = DiffersFromField(path) if key.type in _TEXT_KEYS else DecodedDiffersFromField(path)
        return RowTests(
            (
                RowTest(f"differs from {key.field}", differs, expected=f"the value's field {key.field}"),
                RowTest("null key", NullKey(), "exempt"),
                RowTest("null value", NullValue(), "exempt"),
            )
        )

    def explain(self, subject: Subject, found: Found) -> Explanation:  # noqa: ARG002 - the base class's signature
        assert subject.key is not None  # noqa: S101 - only what was tested is explained
        return Explanation(
            f"a producer takes the key from elsewhere than {subject.key.field}, or the field is missing",
            f"make the producer use {subject.key.field} as the key, or correct `key.field`",
        )


CHECK = KeyField()
