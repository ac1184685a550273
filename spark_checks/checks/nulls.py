"""Null keys, empty keys and tombstones appear only where the topology allows them."""

from __future__ import annotations

from collections import Counter

from ..conditions import EmptyKey, NullKey, RowTest, Tombstone
from .base import Explanation, Found, NotChecked, RowCheck, RowTests, Subject

_KEYS = (RowTest("null key", NullKey()), RowTest("empty key", EmptyKey()))
_BY_POLICY = {
    "forbidden": RowTests((*_KEYS, RowTest("tombstone", Tombstone()))),
    "tombstones": RowTests(_KEYS),
}


class Nulls(RowCheck):
    id = "nulls"

    def tests(self, subject: Subject) -> RowTests | NotChecked:
        key = subject.key
        if key is None or key.type == "none":
            return NotChecked("the topology declares no key")
        return _BY_POLICY.get(key.nulls) or NotChecked("the topology allows nulls")

    def explain(self, subject: Subject, found: Found) -> Explanation:
        assert subject.key is not None  # noqa: S101 - only what was tested is explained
        kinds = Counter(test.name for test, _ in found.evidence)
        if set(kinds) == {"tombstone"}:
            remedy = (
                "declare `nulls: tombstones` if these records are deletions, else stop the producer that sends them"
            )
        else:
            remedy = "make the producer set the key; only a topic without order per key may declare `nulls: allowed`"
        return Explanation(f"key.nulls is {subject.key.nulls}", remedy)
