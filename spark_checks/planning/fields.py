"""Fields of the value that can be read."""

from __future__ import annotations

from kafka_topology.topology.model.field_paths import field_path

from ..conditions.schemas import AvroSchema, Schema, UnusableSchema
from .check import NotChecked
from .subject import Subject


def readable_path(subject: Subject, field: str) -> tuple[str, ...] | NotChecked:
    """The names on the way to a field of the value, or why it cannot be read."""
    value = subject.topic.value
    if value is None or value.format not in {"json", "avro"}:
        actual = "no format" if value is None else value.format
        return NotChecked(f"the value's field can be read from JSON and Avro only, declared is {actual}")
    if value.format == "avro" and not isinstance(schema := subject.schema_of(value), AvroSchema):
        return schema_missing("the value's field", "value", schema)
    return field_path(field)


def schema_missing(what: str, part: str, schema: Schema | None) -> NotChecked:
    """Why a field of Avro cannot be read: its schema cannot be used, or is not declared."""
    if isinstance(schema, UnusableSchema):
        return NotChecked(schema.reason, unable=True)
    return NotChecked(f"{what} can be read only with its Avro schema: declare `{part}.schema`, a file .avsc")
