from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.partitioners import family
from kafka_topology.topology.model.declared import Key, Partitioner, Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.places import Place
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, changed, orders_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.compatibility import Part, schema_change
from kafka_topology.validators.facts.keys import keeps_bytes, type_shown

DOCS = """\
# KT807: key-or-value-changed

A topic's key, partitioner or value changes, and existing records no longer fit.

Records stay as they were written. With another key type or partitioner, most keys go to another partition than their
earlier records: order per key, compaction and joins break. Between `string`, `uuid` and patterns, keys keep their
bytes. With another format, or a schema that existing records do not fit, every reader that starts at the beginning
fails on them. Schemas are compared as far as their files allow: JSON Schema, Avro and Protocol Buffers.

A topic's `compatibility` says what must hold: `backward`, the default, that existing records fit the new schema;
`forward`, that readers with the old schema can read new records; `full`, both; `none`, neither. With `-transitive`, a
review compares with every earlier version of the schema in the base's history, too.

Fix: Create a topic under another name, write to both for a while, and move the readers to it.
"""


def check(context: Context) -> Iterator[Problem]:
    for old, new in context.changes.topics:
        if old.key != new.key and old.key is not None:
            for what, at in _key_changes(old.key, new):
                yield _problem(new, what, at)
        if old.key is not None and new.key is not None and type_shown(old.key) == type_shown(new.key):
            yield from _schema_problems(context, old, new, "key")
        if old.value is None or new.value is None:
            continue
        if old.value.format != new.value.format:
            what = f"value.format goes from {old.value.format} to {new.value.format}"
            yield _problem(new, what, new.place("value", "format"))
            continue
        yield from _schema_problems(context, old, new, "value")


def _problem(
    topic: Topic, what: str, at: Place, expected: str = "what the existing records were written with"
) -> Problem:
    return Problem(
        f"{topic.name}: {what}; expected {expected}",
        at,
        topic.name,
        "undo it, or create a topic under another name and move readers and writers to it",
    )


def _key_changes(old: Key, new: Topic) -> Iterator[tuple[str, Place]]:
    key = new.key
    if key is None:
        yield f"the key, {type_shown(old)}, is no longer declared", new.place()
        return
    if not keeps_bytes(old, key) and type_shown(old) != type_shown(key):
        yield f"key.type goes from {type_shown(old)} to {type_shown(key)}", new.place("key", "type")
        return
    if old.field is not None and key.field != old.field:
        yield f"key.field goes from {old.field} to {key.field or 'none'}", new.place("key", "field")
    if not _places_alike(old.partitioner, key.partitioner):
        what = f"key.partitioner goes from {old.partitioner.name} to {key.partitioner.name}"
        if old.partitioner.name == key.partitioner.name:
            what = f"the {key.partitioner.name} partitioner places keys differently"
        yield what, new.place("key", "partitioner")


def _places_alike(old: Partitioner, new: Partitioner) -> bool:
    """Whether keys keep their partitions. A table may grow."""
    if old.name != new.name:
        return family(old.name) == family(new.name) and family(old.name) != "application"
    if old.name == "list":
        return all(new.keys.get(key) == partition for key, partition in old.keys.items())
    if old.name == "range":
        return set(old.ranges) <= set(new.ranges)
    return old.expression == new.expression


def _schema_problems(context: Context, old: Topic, new: Topic, part: Part) -> Iterator[Problem]:
    found = schema_change(context.changes, old, new, part)
    if found is not None and found.broken:
        what = f"the {part}'s schema changes: {'; '.join(found.broken)}"
        expected = f"compatibility {found.promise}" if found.promise is not None else "what the existing records fit"
        yield _problem(new, what, new.place(part, "schema"), expected)


BEFORE = orders_with("key: {type: uuid}, value: {format: json, schema: order.schema.json}")
EXAMPLE = (
    ORDERS_BLOCK
    + """\
    key: {type: uuid, partitioner: librdkafka-murmur2-random}
    value: {format: json, schema: order.schema.json}
"""
)

GOOD = (EXAMPLE, changed(BEFORE, {"type: uuid": "type: string"}))
BAD = (
    Bad(changed(BEFORE, {"type: uuid": "type: long"}), line=3, column=55),
    Bad(
        changed(EXAMPLE, {"partitioner: librdkafka-murmur2-random": "partitioner: librdkafka-consistent-random"}),
        line=6,
        column=36,
    ),
    Bad(changed(BEFORE, {"format: json, schema: order.schema.json": "format: avro"}), line=3, column=78),
    Bad(
        ORDERS_BLOCK + "    key: {type: uuid}\n    value:\n      format: json\n      schema: stricter.schema.json\n",
        line=9,
        column=15,
        more_files={"stricter.schema.json": '{"type": "object", "required": ["order_id"]}\n'},
    ),
)

RULE = rule(
    DOCS,
    Severity.ERROR,
    check,
    GOOD,
    BAD,
    before=BEFORE,
    changed=("topic.key", "topic.value"),
    requirements=("R10", "R11", "R14"),
)
