"""The language of `topics` and `profiles`: keys, values, settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from ..kafka.partitioners import PARTITIONERS
from ..located.decoding import Reading
from ..located.entries import BROKEN, Entry
from ..model import declared as model
from ..model.findings import Related
from ..model.units import FOREVER
from .alternatives import OneOf
from .fields import DURATION, MOMENT, RATE, SHARE, SIZE, Choice, Integer, Number, Text
from .open_maps import Config
from .structures import Field, ListOf, MapOf, Structure
from .templates import FOR_EACH, ForEach
from .terms import DELETION, IGNORE, IGNORE_DOC, OWNER_DOC, PATH, TEXT, TOPIC_NAME

THROUGHPUT = Structure(
    "throughput",
    (
        Field("peak", RATE, "Highest rate to plan for, over all partitions."),
        Field("average", RATE, "Average rate, over all partitions."),
        Field("recordSize", SIZE, "Typical size of one record."),
    ),
    model.Throughput,
)
ERA = Structure(
    "an entry of the key's history",
    (
        Field("partitions", Integer(1, 1_000_000), "Partition count at that time.", required=True),
        Field("until", MOMENT, "When that partition count ended.", required=True),
    ),
    model.PartitionEra,
)
KEY_RANGE = Structure(
    "a range",
    (
        Field("partition", Integer(0), "Partition of these keys.", required=True),
        Field("from", TEXT, "First key of the range; unlimited if left out.", attribute="start"),
        Field("to", TEXT, "First key after the range; unlimited if left out.", attribute="end"),
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


PARTITIONER_TABLE = Structure(
    "a partitioner",
    (
        Field("range", ListOf(KEY_RANGE, at_least=1, noun="range"), "Key ranges, each with its partition."),
        Field("list", MapOf(Integer(0), at_least=1, noun="key"), "Keys, each with its partition."),
        Field(
            "expression",
            TEXT,
            "Spark SQL expression for the partition, over `key`, `key_text`, `partitions` and `timestamp`.",
        ),
    ),
    _table_partitioner,
    exactly_one=("range", "list", "expression"),
)
PARTITIONER = OneOf(Choice(PARTITIONERS), PARTITIONER_TABLE, _named_partitioner, dump_as=_dump_partitioner)


def _type_as_written(key: model.Key) -> Mapping[str, Any]:
    return {"type": key.pattern_name if key.type == "pattern" else key.type}


KEY = Structure(
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
        Field(
            "field", TEXT, "Field of the value that equals the key. Dots lead into objects; `\\.` is a dot of the name."
        ),
        Field("schema", PATH, "Schema of a JSON or Avro key, as a path relative to this file."),
        Field("partitioner", PARTITIONER, "How producers map a key to a partition."),
        Field(
            "nulls",
            Choice(("forbidden", "tombstones", "allowed")),
            "Whether keys or values may be null: neither, values as tombstones, or both.",
        ),
        Field("distinct", Integer(1, 2**62), "Approximate number of distinct keys."),
        Field(
            "history",
            ListOf(ERA),
            "Earlier partition counts, to check older records with.",
        ),
    ),
    completed_elsewhere=True,
    holds=model.Key,
    rewritten=_type_as_written,
)
VALUE = Structure(
    "a value",
    (
        Field(
            "format",
            Choice(("json", "avro", "protobuf", "string", "bytes")),
            "Format of the values.",
            required=True,
        ),
        Field("schema", PATH, "Schema of the values, as a path relative to this file."),
        Field("sequence", TEXT, "Field that increases with every record of a key."),
        Field("timestamp", TEXT, "Field with the time of the event."),
        Field(
            "sample",
            Number(0, 1),
            "Share of records to check against the schema; 1 is all.",
        ),
    ),
    completed_elsewhere=True,
    holds=model.Value,
)
HEADERS = Structure(
    "headers",
    (
        Field("required", ListOf(TEXT), "Headers that every record must have."),
        Field("maxBytes", SIZE, "Maximum total size of a record's headers."),
    ),
    model.Headers,
)

CHECK_ID = r"[a-z][a-z0-9-]*(?:/[a-z][a-z0-9-]*)?"
CHECK_LIMITS = Structure(
    "limits of a record check",
    (
        Field(
            "maxViolations",
            SHARE,
            "Share of what the check counts, mostly judged records, that may break the declaration; 0% if left out.",
        ),
        Field(
            "minJudged",
            SHARE,
            "Share of the records that must be judged, or else it could not check; 100% if left out.",
        ),
    ),
    model.CheckLimits,
)


def _retention_is_a_config(topic: Entry, reading: Reading) -> None:
    """Turn the short form `retention: 7d` into the setting, before anything is merged."""
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
            f"retention is set twice; line {other.line} sets it already",
            "keep one of the two",
            (Related(other, "also here"),),
        )
        return
    milliseconds = BROKEN if retention.value is BROKEN else str(retention.value)
    settings["retention.ms"] = Entry(milliseconds, retention.node, retention.origin, retention.key)
    holder = config if config is not None else retention
    topic.value["config"] = Entry(settings, holder.node, holder.origin, holder.key)


# The same as JSON Schema.
_RETENTION_ONCE = {
    "not": {"required": ["retention", "config"], "properties": {"config": {"required": ["retention.ms"]}}}
}


def _without_profile(topic: model.Topic) -> Mapping[str, Any]:
    """A resolved topic includes its profile. `forever` stays a word, because a bare -1 may be an accident."""
    config = {**topic.config, "retention.ms": FOREVER} if topic.kept_forever else topic.config
    return {"profile": None, "instance": None, "config": config}


TOPIC_FIELDS = (
    Field("description", TEXT, "What the records mean."),
    Field("owner", TEXT, OWNER_DOC),
    Field(
        "visibility",
        Choice(("public", "private")),
        "public: other teams may read it; private: only its owner.",
    ),
    Field("sharedWith", ListOf(TEXT), "Other owners whose clients may use the topic although it is private."),
    Field("partitions", Integer(1, 1_000_000), "Number of partitions. It can grow but never shrink."),
    Field("replication", Integer(1, 1_000), "Number of replicas of each partition."),
    Field("ordering", Choice(("none", "per-key", "total")), "The order that readers rely on."),
    Field("throughput", THROUGHPUT, "The load to plan for."),
    Field("key", KEY, "The key of the records."),
    Field("value", VALUE, "The values of the records."),
    Field(
        "compatibility",
        Choice(get_args(model.Compatibility)),
        "What changes of the schemas must keep: old records readable (backward), old readers working (forward), both.",
    ),
    Field("headers", HEADERS, "The headers of the records."),
    Field(
        "checks",
        MapOf(CHECK_LIMITS, CHECK_ID, "the id of a record check such as order", noun="check"),
        "What `kafka-topology check` tolerates, by the id of the record check.",
    ),
    Field(
        "copartitionedWith",
        ListOf(TOPIC_NAME),
        "Topics to join with: equal keys must be in equal partitions.",
    ),
    Field("retention", DURATION, "How long records are kept; short for `retention.ms` in `config`."),
    Field("config", Config(), "Settings of the topic, by Kafka's names."),
    Field(
        "deletion",
        DELETION,
        "protected: never deleted; allowed: deleted if empty and unused; force: always deleted.",
    ),
    Field("ignore", IGNORE, IGNORE_DOC),
)
TOPIC = Structure(
    "a topic",
    (
        Field(
            FOR_EACH,
            ForEach(),
            "Makes a topic of each item: `${each}` is the item, `${each.name}` a value of an item that is a mapping.",
            attribute="instance",
        ),
        Field("profile", TEXT, "Profile that this topic starts from."),
        *TOPIC_FIELDS,
    ),
    after_decode=_retention_is_a_config,
    completed_elsewhere=True,
    definition="topic",
    holds=model.Topic,
    rewritten=_without_profile,
    constraint=_RETENTION_ONCE,
)
PROFILE = Structure(
    "a profile",
    (Field("extends", TEXT, "Profile that this profile starts from."), *TOPIC_FIELDS),
    after_decode=_retention_is_a_config,
    completed_elsewhere=True,
    definition="profile",
    constraint=_RETENTION_ONCE,
)
