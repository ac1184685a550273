"""The key equals the field of the value that the topology names."""

from __future__ import annotations

from ..conditions import DiffersFromField, NullKey, RowTest, Tombstone
from .base import Explanation, Found, NotChecked, RowTests, Subject

_TEXT_KEYS = frozenset({"string", "uuid", "pattern"})


class KeyField:
    id = "key-field"

    def tests(self, subject: Subject) -> RowTests | NotChecked | None:
        key, value = subject.key, subject.topic.value
        if key is None or key.field is None:
            return None
        if value is None or value.format != "json":
            actual = "no format" if value is None else value.format
            return NotChecked(f"the value's field can be read from JSON only, declared is {actual}")
        if key.type not in _TEXT_KEYS:
            return NotChecked(f"a key of type {key.type} cannot be compared with a field yet")
        if "'" in key.field:
            return NotChecked(f"field {key.field} has a quote in its name")
        return RowTests(
            (
                RowTest(f"differs from {key.field}", DiffersFromField(tuple(key.field.split(".")))),
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
