"""The key equals the field of the value that the topology names."""

from __future__ import annotations

from ..conditions import DiffersFromField, NullKey, RowTest, Tombstone
from .base import Explanation, Found, NotChecked, RowCheck, RowTests, Subject
from .fields import readable_path

_TEXT_KEYS = frozenset({"string", "uuid", "pattern"})


class KeyField(RowCheck):
    id = "key-field"

    def tests(self, subject: Subject) -> RowTests | NotChecked | None:
        key = subject.key
        if key is None or key.field is None:
            return None
        path = readable_path(subject, key.field)
        if isinstance(path, NotChecked):
            return path
        if key.type not in _TEXT_KEYS:
            return NotChecked(f"a key of type {key.type} cannot be compared with a field yet")
        return RowTests(
            (
                RowTest(f"differs from {key.field}", DiffersFromField(path)),
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
