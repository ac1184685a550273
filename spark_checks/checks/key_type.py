"""Each key's bytes are what a serializer of the declared type writes."""

from __future__ import annotations

from ..conditions import NotOfType, RowTest
from .base import Explanation, Found, NotChecked, RowCheck, RowTests, Subject

_WRITTEN = {
    "none": "no key",
    "string": "UTF-8 text",
    "int": "4 bytes",
    "long": "8 bytes",
    "uuid": "36 characters of text, 8-4-4-4-12 hexadecimal digits",
    "json": "JSON text",
    "avro": "a zero byte, 4 bytes of schema id, then Avro",
}
_SCHEMA_ID_ONLY = "Avro keys are judged by their schema-id frame, not decoded"


class KeyTypeCheck(RowCheck):
    id = "key-type"

    def tests(self, subject: Subject) -> RowTests | NotChecked:
        key = subject.key
        if key is None:
            return NotChecked("the topology declares no key")
        if key.type == "bytes":
            return NotChecked("any key is of type bytes")
        if key.type == "pattern" and key.pattern is None:
            return NotChecked("the key's pattern is not declared")
        row = RowTest(f"not {key.type}", NotOfType(key.type, key.pattern))
        return RowTests((row,), bound=_SCHEMA_ID_ONLY if key.type == "avro" else None)

    def explain(self, subject: Subject, found: Found) -> Explanation:  # noqa: ARG002 - the protocol's signature
        key = subject.key
        assert key is not None  # noqa: S101 - only what was tested is explained
        written = f"text matching {key.pattern}" if key.type == "pattern" else _WRITTEN[key.type]
        return Explanation(
            f"another key serializer, or keys of another kind: {key.type} keys are {written}",
            "give every producer the same key serializer, or correct `key.type`",
        )
