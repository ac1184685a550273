"""Null keys, empty keys and tombstones appear only where the topology allows them."""

from __future__ import annotations

from collections import Counter

from ..conditions.record import EmptyKey, NullKey, RowTest, Tombstone
from ..planning.check import About, Check, Explanation, Found, NotChecked, RowTests
from ..planning.subject import Subject

_KEYS = (
    RowTest("null key", NullKey(), expected="a key that is not null"),
    RowTest("empty key", EmptyKey(), expected="a key that is not empty"),
)
_TOMBSTONE = RowTest("tombstone", Tombstone(), expected="a value that is not null")
_BY_POLICY = {
    "forbidden": RowTests((*_KEYS, _TOMBSTONE)),
    "tombstones": RowTests(_KEYS),
}


class Nulls(Check):
    about = About(
        id="nulls",
        order=50,
        summary="Null keys, empty keys and tombstones appear only where they are allowed.",
        why="A record without a key goes anywhere, and compaction refuses it.",
        needs="`key.nulls`",
        violation="a null key, an empty key or a tombstone where it is not allowed",
        declared_at=("key", "nulls"),
    )

    def tests(self, subject: Subject) -> RowTests | NotChecked:
        key = subject.key
        if key is None or key.type == "none":
            return NotChecked("the topology declares no key")
        return _BY_POLICY.get(key.nulls) or NotChecked("the topology allows nulls")

    def explain(self, subject: Subject, found: Found) -> Explanation:
        assert subject.key is not None  # noqa: S101 - only what was tested is explained
        kinds = Counter(test.name for test, _ in found.evidence)
        if set(kinds) == {"tombstone"}:
            fix = "declare `nulls: tombstones` if these records are deletions, else stop the producer that sends them"
        else:
            fix = "make the producer set the key; only a topic without order per key may declare `nulls: allowed`"
        return Explanation(f"key.nulls is {subject.key.nulls}", fix)


CHECK = Nulls()
