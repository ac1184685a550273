"""The topology language, version 1: every section and field, what it holds and what it means.

The decoder, the JSON Schema, the reference and `show` are all driven by these declarations.
"""

from __future__ import annotations

from typing import Any

from . import model
from .entries import Entry
from .fields import DURATION, MOMENT, RATE, SIZE, Choice, Integer, Number, Reading, Text
from .open_maps import Anything, Config
from .places import Layer
from .structures import Either, Field, ListOf, MapOf, OneOf, Record
from .units import format_moment

VERSION = 1

# Partitioners that place a key by its bytes alone; see docs/partitioners.md.
HASH_PARTITIONERS = (
    "murmur2",
    "librdkafka-consistent",
    "librdkafka-consistent-random",
    "librdkafka-murmur2",
    "librdkafka-murmur2-random",
    "librdkafka-fnv1a",
    "librdkafka-fnv1a-random",
    "sarama-hash",
    "sarama-reference-hash",
)
# Partitioners that do not look at the key, or that nobody can recompute without more.
KEYLESS_PARTITIONERS = ("round-robin", "sticky", "random")
OPAQUE_PARTITIONERS = ("explicit", "custom")
PARTITIONERS = HASH_PARTITIONERS + KEYLESS_PARTITIONERS + OPAQUE_PARTITIONERS

KEY_TYPES = ("none", "string", "int", "long", "uuid", "json", "avro", "bytes")
ACL_RESOURCES = {
    "topic": "topic",
    "group": "group",
    "transactionalId": "transactional-id",
    "cluster": "cluster",
    "user": "user",
    "delegationToken": "delegation-token",
}
ACL_OPERATIONS = (
    "All",
    "Read",
    "Write",
    "Create",
    "Delete",
    "Alter",
    "Describe",
    "ClusterAction",
    "DescribeConfigs",
    "AlterConfigs",
    "IdempotentWrite",
    "CreateTokens",
    "DescribeTokens",
    "TwoPhaseCommit",
)

TEXT = Text()
PRINCIPAL = Text("a principal", r"[A-Za-z][A-Za-z0-9]*:.+", "User:shop-checkout")
TOPIC_NAME = Text("a topic's name")
PATH = Text("a path relative to this file", r"[^\x00]+", "schemas/order.schema.json")
OWNER_DOC = "The team that answers for it."
IGNORE = MapOf(Text("a reason"), r"KT[0-9]{3}|[A-Z][A-Z0-9]*-?[0-9]+", "a rule's id such as KT306")
IGNORE_DOC = "Rules to silence here, each with the reason."
DELIVERY = Choice(("at-most-once", "at-least-once", "exactly-once"))
DELETION = Choice(("protected", "allowed", "force"))

BROKER = Record(
    "a broker",
    (
        Field("id", Integer(0), "The broker's node id.", required=True),
        Field("rack", TEXT, "The rack or availability zone it stands in."),
        Field("disk", SIZE, "Disk space for logs on this broker."),
    ),
    model.Broker,
)
LIMITS = Record(
    "limits",
    (
        Field(
            "partitionsPerBroker",
            Integer(1),
            "How many partition replicas one broker should hold at most.",
        ),
        Field(
            "throughputPerPartition",
            RATE,
            "What one partition can take in, as measured on this cluster.",
        ),
    ),
    model.Limits,
)
CLUSTER = Record(
    "the cluster",
    (
        Field("name", TEXT, "What people call the cluster."),
        Field(
            "kafka",
            Text("a quoted Kafka version", r"[0-9]+\.[0-9]+(?:\.[0-9]+)?", '"4.1"'),
            "The brokers' version; it picks the catalogue of settings and defaults.",
        ),
        Field(
            "brokers",
            OneOf(Integer(1, 100_000), ListOf(BROKER, at_least=1)),
            "How many brokers, or a list of them.",
        ),
        Field(
            "racks",
            ListOf(TEXT, at_least=1),
            "Racks or zones; brokers given by number are spread over them in turn.",
        ),
        Field("controllers", Integer(1, 1_000), "How many controllers vote in the quorum."),
        Field("disk", SIZE, "Disk space for logs on each broker."),
        Field("limits", LIMITS, "What the cluster can bear."),
        Field(
            "defaults",
            Config(),
            "Broker settings that topics inherit; compared with the live brokers in an audit.",
        ),
    ),
)

OWNERSHIP = Record(
    "ownership",
    (
        Field("topics", ListOf(TEXT), "Prefixes of the topics this topology may touch."),
        Field("groups", ListOf(TEXT), "Prefixes of the consumer groups this topology may touch."),
        Field("principals", ListOf(TEXT), "Prefixes of the principals this topology may touch."),
    ),
    model.Ownership,
)

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
            "Spark SQL over `key` (text), `bytes` and `partitions` that gives the partition.",
        ),
    ),
    _table_partitioner,
    exactly_one=("range", "list", "expression"),
)
PARTITIONER = OneOf(Choice(PARTITIONERS), PARTITIONER_TABLE, _named_partitioner, _dump_partitioner)

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
    retention = topic.value.get("retention")
    if retention is None:
        return
    config = topic.value.get("config")
    settings = dict(config.value) if config is not None else {}
    if "retention.ms" in settings:
        other = settings["retention.ms"].location
        reading.problem(
            "KT004",
            retention.key or retention.node,
            f"retention is set twice; line {other.line} has it already",
            "keep one",
        )
        return
    settings["retention.ms"] = Entry(str(retention.value), retention.node, retention.origin, retention.key)
    holder = config if config is not None else retention
    topic.value["config"] = Entry(settings, holder.node, holder.origin, holder.key)


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
)
PROFILE = Record(
    "a profile",
    (Field("extends", TEXT, "The profile this one starts from."), *TOPIC_FIELDS),
    after_decode=_retention_is_a_config,
    completed_elsewhere=True,
    definition="profile",
)

PRODUCER = Record(
    "a producer",
    (
        Field("principal", PRINCIPAL, "Who it connects as."),
        Field("owner", TEXT, OWNER_DOC),
        Field("topics", ListOf(TOPIC_NAME, at_least=1), "The topics it writes.", required=True),
        Field("delivery", DELIVERY, "What it promises."),
        Field("transactionalId", TEXT, "Its transactional id; one that ends in - is a prefix."),
        Field(
            "partitioner",
            Choice(PARTITIONERS),
            "How this client places keys, if not as the topics say.",
        ),
        Field("config", Config(), "What the client sets, by the Java client's names."),
        Field("ignore", IGNORE, IGNORE_DOC),
    ),
    model.Producer,
    definition="producer",
)


def _dump_start(start: Any) -> str:
    return start if isinstance(start, str) else format_moment(start)


CONSUMER_GROUP = Record(
    "a consumer group",
    (
        Field("principal", PRINCIPAL, "Who it connects as."),
        Field("owner", TEXT, OWNER_DOC),
        Field("topics", ListOf(TOPIC_NAME, at_least=1), "The topics it subscribes to."),
        Field(
            "assign",
            MapOf(ListOf(Integer(0), at_least=1), at_least=1),
            "For a standalone consumer: topics and the partitions it takes itself.",
        ),
        Field("members", Integer(1), "How many consumers run at the same time."),
        Field("delivery", DELIVERY, "What it promises."),
        Field(
            "start",
            Either((Choice(("earliest", "latest")), MOMENT), _dump_start),
            "Where a new group begins: earliest, latest, or a moment.",
        ),
        Field("maxLag", Integer(0, 2**62), "How many records it may be behind."),
        Field("maxOutage", DURATION, "How long it may be down without losing records."),
        Field("instances", ListOf(TEXT), "Static member ids (group.instance.id)."),
        Field("config", Config(), "What the client sets, by the Java client's names."),
        Field("groupConfig", Config(), "What the broker holds for the group (Kafka 4)."),
        Field("deletion", DELETION, "Whether the group and its offsets may be deleted."),
        Field("ignore", IGNORE, IGNORE_DOC),
    ),
    model.ConsumerGroup,
    exactly_one=("topics", "assign"),
    definition="consumerGroup",
)
STREAMS = Record(
    "a streams application",
    (
        Field("principal", PRINCIPAL, "Who it connects as."),
        Field("owner", TEXT, OWNER_DOC),
        Field("reads", ListOf(TOPIC_NAME, at_least=1), "Its input topics.", required=True),
        Field("writes", ListOf(TOPIC_NAME), "Its output topics."),
        Field("delivery", DELIVERY, "What it promises."),
        Field("config", Config(), "What the application sets, by the Java client's names."),
        Field("ignore", IGNORE, IGNORE_DOC),
    ),
    model.StreamsApplication,
    definition="streamsApplication",
)


def _make_acl(**attributes: Any) -> model.Acl:
    field = next(name for name in ACL_RESOURCES if name in attributes)
    name = attributes.pop(field)
    return model.Acl(resource=ACL_RESOURCES[field], name=name, **attributes)


ACL = Record(
    "an access rule",
    (
        Field("principal", PRINCIPAL, "Who it is about.", required=True),
        *(
            Field(name, TEXT, f"The {title.replace('-', ' ')} it is about.", attribute=name)
            for name, title in ACL_RESOURCES.items()
        ),
        Field(
            "pattern",
            Choice(("literal", "prefixed")),
            "Whether the name is the whole name or a prefix.",
        ),
        Field(
            "operations",
            ListOf(Choice(ACL_OPERATIONS), at_least=1),
            "What it is about.",
            required=True,
        ),
        Field("host", TEXT, 'From which host; "*" is any.'),
        Field("permission", Choice(("allow", "deny")), "Whether it is allowed or denied."),
    ),
    _make_acl,
    exactly_one=tuple(ACL_RESOURCES),
    definition="acl",
)
SECRET = Record(
    "a secret",
    (Field("secret", TEXT, "The name of the secret in the stack's configuration.", required=True),),
    lambda secret: secret,
)
USER = Record(
    "a user",
    (
        Field(
            "mechanism",
            Choice(("SCRAM-SHA-256", "SCRAM-SHA-512")),
            "How the password is stored.",
            required=True,
        ),
        Field(
            "password",
            SECRET,
            "Where the password comes from; never the password.",
            required=True,
            attribute="password_secret",
        ),
        Field("iterations", Integer(4096, 16384), "How often the password is hashed."),
    ),
    model.User,
    definition="user",
)
QUOTA = Record(
    "a quota",
    (
        Field("user", TEXT, "The user it limits; `default` is every user without one."),
        Field("clientId", TEXT, "The client id it limits; `default` is every client without one."),
        Field("producerByteRate", RATE, "How fast it may write, on each broker."),
        Field("consumerByteRate", RATE, "How fast it may read, on each broker."),
        Field(
            "requestPercentage",
            Number(0, 1_000_000),
            "How much of a broker's request threads it may use, in percent.",
        ),
        Field(
            "controllerMutationRate",
            Number(0, 1_000_000),
            "How many partitions it may create or delete a second.",
        ),
    ),
    model.Quota,
    definition="quota",
)
SEVERITY = Choice(("error", "warning", "advice", "off"))
RULE_ID = r"KT[0-9]{3}|[A-Z][A-Z0-9]*-?[0-9]+"

SECTIONS = (
    Field("cluster", CLUSTER, "What the cluster is; rules and audits compare with it."),
    Field("ownership", OWNERSHIP, "What this topology may touch; nothing outside is ever changed."),
    Field(
        "patterns",
        MapOf(TEXT, r"[A-Za-z][A-Za-z0-9_-]*"),
        "Named regular expressions that keys can have as a type.",
    ),
    Field("profiles", MapOf(PROFILE, layer=Layer.PROFILE), "Reusable parts of topics."),
    Field("topics", MapOf(TOPIC), "The topics, by name."),
    Field("producers", MapOf(PRODUCER), "Applications that write, by name."),
    Field("consumerGroups", MapOf(CONSUMER_GROUP), "Consumer groups, by group id."),
    Field("streams", MapOf(STREAMS), "Kafka Streams applications, by application id."),
    Field(
        "acls",
        ListOf(ACL),
        "Access that producers, groups and streams applications do not already imply.",
    ),
    Field("users", MapOf(USER), "Users with a password in the cluster (SCRAM)."),
    Field("quotas", ListOf(QUOTA), "Limits of users and clients."),
    Field(
        "rules",
        MapOf(Anything(), RULE_ID, "a rule's id such as KT101"),
        "Severity and options of rules, by id.",
    ),
)
ENVIRONMENT = Record("an environment", SECTIONS, definition="environment", completed_elsewhere=True)
DOCUMENT = Record(
    "a topology",
    (
        Field("version", Integer(VERSION, VERSION), "The version of the language.", required=True),
        Field("include", ListOf(PATH), "More files of this topology, relative to this one."),
        *SECTIONS,
        Field(
            "environments",
            MapOf(ENVIRONMENT, layer=Layer.ENVIRONMENT),
            "What is different in each environment; chosen with --env or by the Pulumi stack's name.",
        ),
    ),
)
