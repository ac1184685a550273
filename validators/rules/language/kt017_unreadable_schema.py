from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import listed
from kafka_topology.validators.engine.examples import ORDERS_BLOCK
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.compatibility import Part, written_as
from kafka_topology.validators.facts.schemas import UnreadableSchema, parse_schema, undefined_types

DOCS = """\
# KT017: unreadable-schema

A schema file is not valid JSON, or no schema of the declared format.

No client can use such a file, the record checks cannot hold records against it, and a review cannot tell whether a
change of it breaks readers. Files of JSON Schema and Avro must be JSON. An Avro schema must define
every type that it uses, and defaults must fit their types. A Protocol Buffers file must have a message, and must define
or import every type that it uses.

Fix: Correct the file, or declare the format that it has.
"""

_PARTS: tuple[Part, ...] = ("key", "value")


def check(context: Context) -> Iterator[Problem]:
    found: dict[tuple[str, str], str | None] = {}
    for topic in context.topology.topics.values():
        for part in _PARTS:
            declared = getattr(topic, part)
            text = context.topology.schemas.get(declared.schema) if declared is not None else None
            if text is None:
                continue
            used = (declared.schema, written_as(declared))
            if used not in found:
                found[used] = _wrong(written_as(declared), text)
            if found[used] is not None:
                yield _problem(topic, part, declared.schema, str(found[used]))


def _wrong(schema_format: str, text: str) -> str | None:
    try:
        schema = parse_schema(schema_format, text)
    except UnreadableSchema as error:
        return str(error)
    undefined = undefined_types(schema_format, schema)
    return f"incomplete: it does not define {listed(undefined, most=3)}" if undefined else None


def _problem(topic: Topic, part: Part, file: str, wrong: str) -> Problem:
    declared = getattr(topic, part)
    return Problem(
        f"{topic.name}: the {part}'s schema {file} is {wrong}; expected a schema of the format {written_as(declared)}",
        topic.place(part, "schema"),
        topic.name,
        f"correct {file}, or declare the format that it has",
    )


EXAMPLE = ORDERS_BLOCK + "    value: {format: json, schema: order.schema.json}\n"

GOOD = (EXAMPLE, ORDERS_BLOCK + "    value: {format: bytes}\n")
BAD = (
    Bad(
        ORDERS_BLOCK + "    value: {format: json, schema: broken.json}\n",
        line=6,
        column=35,
        more_files={"broken.json": "{nope"},
    ),
    Bad(
        ORDERS_BLOCK + "    key: {type: avro, schema: broken.avsc}\n    value: {format: protobuf, schema: a.proto}\n",
        line=6,
        column=31,
        more_files={"broken.avsc": "7", "a.proto": "message A {}\n"},
    ),
    Bad(
        ORDERS_BLOCK + "    value: {format: protobuf, schema: broken.proto}\n",
        line=6,
        column=39,
        more_files={"broken.proto": "message A {\n"},
    ),
    Bad(
        ORDERS_BLOCK + "    value: {format: protobuf, schema: broken.proto}\n",
        line=6,
        column=39,
        more_files={"broken.proto": "message A { B b = 1; }\n"},
    ),
    Bad(
        ORDERS_BLOCK + "    value: {format: avro, schema: broken.avsc}\n",
        line=6,
        column=35,
        more_files={"broken.avsc": '{"type": "array", "items": "Order"}\n'},
    ),
    Bad(
        ORDERS_BLOCK + "    value: {format: avro, schema: broken.avsc}\n",
        line=6,
        column=35,
        more_files={
            "broken.avsc": '{"type": "record", "name": "A", "fields": [{"name": "n", "type": "int", "default": "a"}]}\n'
        },
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R14",))
