"""Each key's bytes are what a serializer of the declared type writes."""

from __future__ import annotations

from kafka_topology.topology.model.declared import Key

from ..conditions.record import Judged, NotOfType, NullKey, Outcome, RowTest
from ..conditions.schemas import AvroSchema, JsonSchema, UnusableSchema
from ..planning.check import About, Check, Explanation, Found, NotChecked, RowTests
from ..planning.subject import Subject

_WRITTEN = {
    "none": "no key",
    "string": "UTF-8 text",
    "int": "4 bytes",
    "long": "8 bytes",
    "uuid": "36 characters of text, 8-4-4-4-12 hexadecimal digits",
    "json": "JSON text",
    "avro": "a zero byte, 4 bytes of schema id, then Avro",
}
_SCHEMA_ID_ONLY = "without a declared schema Avro keys are judged by their schema-id frame, not decoded"
_NULL_KEY = RowTest("null key", NullKey(), "exempt")
_BREAKS, _UNDECODABLE = "breaks the schema", "does not decode"


class KeyTypeCheck(Check):
    about = About(
        id="key-type",
        order=30,
        summary="Each key is what a serializer of the declared type writes.",
        why="A reader cannot deserialize other keys, and equal keys in two forms go to two partitions.",
        needs="`key.type`",
        violation="a key whose bytes no serializer of that type writes",
        declared_at=("key", "type"),
    )

    def tests(self, subject: Subject) -> RowTests | NotChecked:
        key = subject.key
        if key is None:
            return NotChecked("the topology declares no key")
        if key.type == "bytes":
            return NotChecked("any key is of type bytes")
        if key.type == "pattern" and key.pattern is None:
            return NotChecked("the key's pattern is not declared")
        by_bytes = RowTest(f"not {key.type}", NotOfType(key.type, key.pattern), expected=_written(key))
        breaks = f"a key that fits {key.schema}"
        rows = (by_bytes,) if key.type == "none" else (by_bytes, _NULL_KEY)
        schema = subject.schema_of(key) if key.type in {"avro", "json"} else None
        match key.type, schema:
            case _, UnusableSchema(reason):
                return RowTests(rows, bound=f"keys were not compared with their schema: {reason}")
            case "avro", AvroSchema():
                return RowTests(
                    (
                        RowTest("not avro", Judged("key", Outcome.UNFRAMED), expected=_written(key)),
                        RowTest(_UNDECODABLE, Judged("key", Outcome.UNREADABLE), expected=breaks),
                        _NULL_KEY,
                    )
                )
            case "json", JsonSchema():
                return RowTests(
                    (
                        by_bytes,
                        RowTest(_BREAKS, Judged("key", Outcome.BREAKS_SCHEMA), expected=breaks),
                        RowTest("not validated", Judged("key", Outcome.NOT_VALIDATED), "unjudged"),
                        _NULL_KEY,
                    )
                )
            case "avro", None:
                return RowTests(rows, bound=_SCHEMA_ID_ONLY)
            case _, None:
                return RowTests(rows)
            case _:
                bound = f"keys were not compared with {key.schema}: it is not a schema for {key.type} keys"
                return RowTests(rows, bound=bound)

    def explain(self, subject: Subject, found: Found) -> Explanation:
        key = subject.key
        assert key is not None  # noqa: S101 - only what was tested is explained
        kinds = {test.name for test, _ in found.evidence}
        if kinds and kinds <= {_BREAKS, _UNDECODABLE}:
            return Explanation(
                f"keys written with another schema, or another version of it, than {key.schema}",
                "declare the schema that the producers write keys with, or switch the producers to the declared one",
            )
        return Explanation(
            f"another key serializer, or keys of another kind: {key.type} keys are {_written(key)}",
            "give every producer the same key serializer, or correct `key.type`",
        )


CHECK = KeyTypeCheck()


def _written(key: Key) -> str:
    return f"text matching {key.pattern}" if key.type == "pattern" else _WRITTEN[key.type]
