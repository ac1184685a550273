"""Which parts of a topic's records must be decoded for its checks."""

from __future__ import annotations

from kafka_topology.topology.model.declared import Key, KeyType

from ..conditions.decoding import Decoding, KeyText
from ..conditions.schemas import AvroSchema, JsonSchema
from ..conditions.shares import share_of
from .placing import PLACEMENT, eras_of
from .subject import Subject

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


def decoding_of(subject: Subject, *, headers: bool) -> Decoding:
    key, value = subject.key, subject.topic.value
    key_schema, value_schema = subject.schema_of(key), subject.schema_of(value)
    computed = PLACEMENT not in subject.refused and subject.has_expression
    return Decoding(
        key_text=KEY_TEXTS.get(key.type) if key is not None and _needs_text(key, computed=computed) else None,
        key_avro=key_schema if key and key.type == "avro" and isinstance(key_schema, AvroSchema) else None,
        key_json=key_schema if key and key.type == "json" and isinstance(key_schema, JsonSchema) else None,
        value_avro=value_schema if value and value.format == "avro" and isinstance(value_schema, AvroSchema) else None,
        value_json=value_schema if value and value.format == "json" and isinstance(value_schema, JsonSchema) else None,
        share=share_of(subject.topic),
        eras=eras_of(subject) if computed else (),
        headers=headers,
    )


def _needs_text(key: Key, *, computed: bool) -> bool:
    by_field = key.field is not None and KEY_TEXTS.get(key.type) != "plain"
    by_table = bool(key.partitioner.ranges or key.partitioner.keys) and KEY_TEXTS.get(key.type) != "plain"
    return computed or by_field or by_table
