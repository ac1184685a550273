"""The language of `topics` and `profiles`: what records are keyed by, what they hold, how they are kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import model
from .alternatives import OneOf
from .entries import BROKEN, Entry
from .fields import DURATION, MOMENT, RATE, SIZE, Choice, Integer, Number, Text
from .findings import Related
from .language_terms import DELETION, IGNORE, IGNORE_DOC, OWNER_DOC, PATH, TEXT, TOPIC_NAME
from .open_maps import Config
from .partitioners import PARTITIONERS
from .reading import Reading
from .structures import Field, ListOf, MapOf, Record
from .units import FOREVER

THROUGHPUT = Record(
    "throughput",
    (
        Field("peak", RATE, "The highest rate to plan for, over all partitions."),
        Field("average", RATE, "The average rate, over all partitions."),
        Field("recordSize", SIZE, "The usual size of one record."),
    ),
    model.Throughput,
)
ERA = Record(
    "an entry of the key's history",
    (
        Field("partitions", Integer(1, 1_000_000), "The partition count of that time.", required=True),
        Field("until", MOMENT, "When that count ended.", required=True),
    ),
    model.PartitionEra,
)
KEY_RANGE = Record(
    "a range",
    (
        Field("partition", Integer(0), "The partition of these keys.", required=True),
        Field("from", TEXT, "The first key of the range; open if left out.", attribute="start"),
        Field("to", TEXT, "The first key above the range; open if left out.", attribute="end"),
    ),
    model.KeyRange,
)


def _named_partitioner(name: str) -> model.Partitioner:
    return model.Partitioner(name)


def _table_partitioner(**table: Any) -> model.Partitioner:
    if "range" in table:
        return model.Partitioner("range", ranges=table["range"])
    if "list" in table:
        return model.Partitioner("list", keys=table["list"])
    return model.Partitioner("custom", expression=table["expression"])


def _dump_partitioner(partitioner: model.Partitioner) -> Any:
    if partitioner.ranges:
        return {"range": ListOf(KEY_RANGE).dump(partitioner.ranges)}
    if partitioner.keys:
        return {"list": dict(partitioner.keys)}
    if partitioner.expression is not None:
        return {"expression": partitioner.expression}
    return partitioner.name


PARTITIONER_TABLE = Record(
    "a partitioner",
    (
        Field("range", ListOf(KEY_RANGE, at_least=1), "Key ranges, each with its partition."),
        Field("list", MapOf(Integer(0), at_least=1), "Keys, each with its partition."),
        Field(
            "expression",
            TEXT,
            "Spark SQL over `key`, `key_text`, `partitions` and `timestamp` that gives the partition.",
        ),
    ),
    _table_partitioner,
    exactly_one=("range", "list", "expression"),
)
PARTITIONER = OneOf(Choice(PARTITIONERS), PARTITIONER_TABLE, _named_partitioner, dump_as=_dump_partitioner)


def _type_as_written(key: model.Key) -> Mapping[str, Any]:
    return {"type": key.pattern_name if key.type == "pattern" else key.type}


KEY = Record(
    "a key",
    (
        Field(
            "type",
            Text(
                "a key type",
                r"[A-Za-z][A-Za-z0-9_-]*",
                "string, int, long, uuid, json, avro, bytes or none",
            ),
            "none, string, int, long, uuid, json, avro, bytes, or the name of a pattern under `patterns`.",
            required=True,
        ),
        Field("field", TEXT, "The key equals this field of the value; dots lead into objects."),
        Field("schema", PATH, "The schema of a JSON or Avro key, relative to this file."),
        Field("partitioner", PARTITIONER, "How producers turn a key into a partition."),
        Field(
            "nulls",
            Choice(("forbidden", "tombstones", "allowed")),
            "Whether keys or values may be null: not at all, values as tombstones, or both.",
        ),
        Field("distinct", Integer(1, 2**62), "How many different keys there are, roughly."),
        Field(
            "history",
            ListOf(ERA),
            "Earlier partition counts, so that old records are judged by theirs.",
        ),
    ),
    completed_elsewhere=True,
    holds=model.Key,
    rewritten=_type_as_written,
)
VALUE = Record(
    "a value",
    (
        Field(
            "format",
            Choice(("json", "avro", "protobuf", "string", "bytes")),
            "How values are written.",
            required=True,
        ),
        Field("schema", PATH, "The values' schema, relative to this file."),
        Field("sequence", TEXT, "A field that grows with every record of a key."),
        Field("timestamp", TEXT, "A field with the moment of the event."),
        Field(
            "sample",
            Number(0, 1),
            "The share of records whose value is checked against the schema; 1 is all.",
        ),
    ),
    completed_elsewhere=True,
    holds=model.Value,
)
HEADERS = Record(
    "headers",
    (
        Field("required", ListOf(TEXT), "Headers that every record carries."),
        Field("maxBytes", SIZE, "How large all headers of a record may be together."),
    ),
    model.Headers,
)


def _retention_is_a_config(topic: Entry, reading: Reading) -> None:
    """`retention: 7d` is a short way to write the setting, and is merged and judged as that setting."""
    retention = topic.value.pop("retention", None)
    config = topic.value.get("config")
    if retention is None or (config is not None and config.value is BROKEN):
        return
    settings = dict(config.value) if config is not None else {}
    if "retention.ms" in settings:
        other = settings["retention.ms"].location
        reading.problem(
            "KT004",
            retention.key or retention.node,
            f"retention is set twice; line {other.line} has it already",
            "keep one",
            (Related(other, "also here"),),
        )
        return
    milliseconds = BROKEN if retention.value is BROKEN else str(retention.value)
    settings["retention.ms"] = Entry(milliseconds, retention.node, retention.origin, retention.key)
    holder = config if config is not None else retention
    topic.value["config"] = Entry(settings, holder.node, holder.origin, holder.key)


# The same, said as JSON Schema.
_RETENTION_ONCE = {
    "not": {"required": ["retention", "config"], "properties": {"config": {"required": ["retention.ms"]}}}
}


def _without_profile(topic: model.Topic) -> Mapping[str, Any]:
    """A resolved topic holds what its profile gave it. `forever` stays a word, because a bare -1 may be an accident."""
    config = {**topic.config, "retention.ms": FOREVER} if topic.kept_forever else topic.config
    return {"profile": None, "config": config}


TOPIC_FIELDS = (
    Field("description", TEXT, "What the records are."),
    Field("owner", TEXT, OWNER_DOC),
    Field(
        "visibility",
        Choice(("public", "private")),
        "public: other teams may read it; private: its owner only.",
    ),
    Field("partitions", Integer(1, 1_000_000), "How many partitions. They can grow, never shrink."),
    Field("replication", Integer(1, 1_000), "How many brokers hold each partition."),
    Field("ordering", Choice(("none", "per-key", "total")), "What order readers rely on."),
    Field("throughput", THROUGHPUT, "The load to plan for."),
    Field("key", KEY, "What the records are keyed by."),
    Field("value", VALUE, "What the values hold."),
    Field("headers", HEADERS, "What the headers hold."),
    Field(
        "copartitionedWith",
        ListOf(TOPIC_NAME),
        "Topics whose equal keys must be in equal partitions, for joins.",
    ),
    Field("retention", DURATION, "How long records are kept: short for config `retention.ms`."),
    Field("config", Config(), "The topic's settings, by Kafka's names."),
    Field(
        "deletion",
        DELETION,
        "protected: never deleted; allowed: when empty and unread; force: whatever it holds.",
    ),
    Field("ignore", IGNORE, IGNORE_DOC),
)
TOPIC = Record(
    "a topic",
    (Field("profile", TEXT, "The profile this topic starts from."), *TOPIC_FIELDS),
    after_decode=_retention_is_a_config,
    completed_elsewhere=True,
    definition="topic",
    holds=model.Topic,
    rewritten=_without_profile,
    constraint=_RETENTION_ONCE,
)
PROFILE = Record(
    "a profile",
    (Field("extends", TEXT, "The profile this one starts from."), *TOPIC_FIELDS),
    after_decode=_retention_is_a_config,
    completed_elsewhere=True,
    definition="profile",
    constraint=_RETENTION_ONCE,
)
