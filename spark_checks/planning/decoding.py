"""What is made of keys and values before they are judged, as plain data. Nothing, for most topics.

The frame keeps its columns, so that both engines judge what they know; these are added where something needs them:

| column | holds |
|---|---|
| `key_text` | the key as text: digits of a number, JSON text (a JSON string without its quotes), base64 of bytes |
| `partitions` | the partition count at the record's time |
| `key_outcome`, `value_outcome` | what decoding or the schema's validator says, as a `Outcome` |

An Avro value that decodes is replaced by its JSON text, so that everything after sees JSON only; one that does not
keeps its bytes, and a null stays null.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..topology.model import Key, KeyType
from .checks.base import Subject
from .checks.placement import eras_of
from .conditions import Era
from .sampling import Sample, sample_of
from .schemas import AvroSchema, JsonSchema
from .tables import ExpressionTable, UnusableTable, table_of

KeyText = Literal["plain", "int", "long", "json", "avro", "base64"]
KEY_TEXTS: dict[KeyType, KeyText] = {
    "string": "plain",
    "uuid": "plain",
    "pattern": "plain",
    "int": "int",
    "long": "long",
    "json": "json",
    "avro": "avro",
    "bytes": "base64",
}


@dataclass(frozen=True, slots=True)
class Decoding:
    """`eras` is filled where an expression asks for the partition count."""

    key_text: KeyText | None = None
    key_avro: AvroSchema | None = None
    key_json: JsonSchema | None = None
    value_avro: AvroSchema | None = None
    value_json: JsonSchema | None = None
    sample: Sample | None = None
    eras: tuple[Era, ...] = ()
    headers: bool = False


def decoding_of(subject: Subject) -> Decoding:
    key, value = subject.key, subject.topic.value
    key_schema, value_schema = subject.schema_of(key), subject.schema_of(value)
    computed = key is not None and "placement" not in subject.refused and _has_expression(key)
    return Decoding(
        key_text=KEY_TEXTS.get(key.type) if key is not None and _needs_text(key, computed=computed) else None,
        key_avro=key_schema if key and key.type == "avro" and isinstance(key_schema, AvroSchema) else None,
        key_json=key_schema if key and key.type == "json" and isinstance(key_schema, JsonSchema) else None,
        value_avro=value_schema if value and value.format == "avro" and isinstance(value_schema, AvroSchema) else None,
        value_json=value_schema if value and value.format == "json" and isinstance(value_schema, JsonSchema) else None,
        sample=sample_of(subject.topic),
        eras=eras_of(subject) if computed else (),
        headers=subject.topic.headers is not None,
    )


def _needs_text(key: Key, *, computed: bool) -> bool:
    by_field = key.field is not None and KEY_TEXTS.get(key.type) != "plain"
    by_table = bool(key.partitioner.ranges or key.partitioner.keys) and KEY_TEXTS.get(key.type) != "plain"
    return computed or by_field or by_table


def _has_expression(key: Key) -> bool:
    try:
        return isinstance(table_of(key), ExpressionTable)
    except UnusableTable:
        return False
