"""The language of clients (`producers`, `consumerGroups`, `streams`), `acls`, `users` and `quotas`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kafka.clients.libraries import LIBRARIES
from ..kafka.partitioners import PARTITIONERS
from ..model import declared as model
from ..model.units import format_moment, format_span
from .alternatives import Either
from .fields import DURATION, MOMENT, RATE, SPAN, Choice, Integer, Number
from .open_maps import Config
from .structures import Field, ListOf, MapOf, Structure
from .terms import (
    ACL_OPERATIONS,
    ACL_RESOURCES,
    DELETION,
    DELIVERY,
    IGNORE,
    IGNORE_DOC,
    OWNER_DOC,
    PRINCIPAL,
    PRINCIPALS,
    PRINCIPALS_DOC,
    TEXT,
    TOPIC_NAME,
)

LIBRARY = Choice(tuple(LIBRARIES))
LIBRARY_DOC = "Its client library: names, defaults and partitioner are judged and printed for it. Without one, Java's."
PRODUCER = Structure(
    "a producer",
    (
        Field("principal", PRINCIPALS, PRINCIPALS_DOC, attribute="principals"),
        Field("owner", TEXT, OWNER_DOC),
        Field("topics", ListOf(TOPIC_NAME, at_least=1, noun="topic"), "The topics it writes.", required=True),
        Field("library", LIBRARY, LIBRARY_DOC),
        Field("delivery", DELIVERY, "Its delivery guarantee."),
        Field("transactionalId", TEXT, "Its transactional id. One that ends in `-` is a prefix."),
        Field(
            "partitioner",
            Choice(PARTITIONERS),
            "How this client partitions keys, if it differs from its topics.",
        ),
        Field("config", Config(of_client=True), "Client settings, by the names of its library."),
        Field("ignore", IGNORE, IGNORE_DOC),
    ),
    model.Producer,
    definition="producer",
)


def _dump_position(position: Any) -> str:
    return position if isinstance(position, str) else format_moment(position)


POSITION = Either((Choice(("earliest", "latest")), MOMENT), _dump_position)


def _dump_lag(lag: Any) -> Any:
    return lag if isinstance(lag, int) else format_span(lag)


LAG = Either((Integer(0, 2**62), SPAN), _dump_lag)
OFFSET_RESET = Structure(
    "an offset reset",
    (
        Field("to", POSITION, "Where the group continues: earliest, latest, or a time.", required=True),
        Field("ticket", TEXT, "Any text, such as a ticket number. The offsets move once per ticket.", required=True),
    ),
    model.OffsetReset,
)
CONSUMER_GROUP = Structure(
    "a consumer group",
    (
        Field("principal", PRINCIPALS, PRINCIPALS_DOC, attribute="principals"),
        Field("owner", TEXT, OWNER_DOC),
        Field("topics", ListOf(TOPIC_NAME, at_least=1, noun="topic"), "The topics it subscribes to."),
        Field(
            "assign",
            MapOf(ListOf(Integer(0), at_least=1, noun="partition"), at_least=1, noun="topic"),
            "For a standalone consumer: the partitions it assigns itself, by topic.",
        ),
        Field("library", LIBRARY, LIBRARY_DOC),
        Field("members", Integer(1), "Number of consumers that run at the same time."),
        Field("delivery", DELIVERY, "Its delivery guarantee."),
        Field("start", POSITION, "Where a new group starts: earliest, latest, or a time."),
        Field("reset", OFFSET_RESET, "Moves the offsets of a group without members."),
        Field("maxLag", LAG, "Maximum lag: a number of records, or the age of the oldest record it has not read."),
        Field("maxOutage", DURATION, "How long it may be down without missing records."),
        Field("maxProcessingTime", DURATION, "Longest time that it takes to process one record."),
        Field("instances", ListOf(TEXT), "Static member ids (group.instance.id)."),
        Field("config", Config(of_client=True), "Client settings, by the names of its library."),
        Field("groupConfig", Config(), "Group settings that the brokers hold (Kafka 4)."),
        Field("deletion", DELETION, "Whether the group and its offsets may be deleted."),
        Field("ignore", IGNORE, IGNORE_DOC),
    ),
    model.ConsumerGroup,
    exactly_one=("topics", "assign"),
    definition="consumerGroup",
)
INTERNAL_TOPICS = Structure(
    "internal topics",
    (
        Field("replication", Integer(1, 1_000), "Number of replicas of each; the application's `replication.factor`."),
        Field(
            "topics",
            ListOf(TEXT, at_least=1, noun="topic", distinct=True),
            "Full names of its changelog and repartition topics. The application creates them; an audit compares.",
        ),
    ),
    model.InternalTopics,
)
STREAMS = Structure(
    "a streams application",
    (
        Field("principal", PRINCIPALS, PRINCIPALS_DOC, attribute="principals"),
        Field("owner", TEXT, OWNER_DOC),
        Field("reads", ListOf(TOPIC_NAME, at_least=1, noun="topic"), "Its input topics.", required=True),
        Field("writes", ListOf(TOPIC_NAME), "Its output topics."),
        Field("delivery", DELIVERY, "Its delivery guarantee."),
        Field("instances", Integer(1), "Number of instances that run at the same time."),
        Field("threads", Integer(1), "Stream threads of each instance (num.stream.threads)."),
        Field("maxLag", LAG, "Maximum lag on its inputs: a number of records, or the age of the oldest unread one."),
        Field("maxOutage", DURATION, "How long it may be down without missing records."),
        Field("internalTopics", INTERNAL_TOPICS, "Its changelog and repartition topics."),
        Field("config", Config(of_client=True), "Settings of the application, by the Java client's names."),
        Field("ignore", IGNORE, IGNORE_DOC),
    ),
    model.StreamsApplication,
    definition="streamsApplication",
)


def _make_acl(**attributes: Any) -> model.Acl:
    field = next(name for name in ACL_RESOURCES if name in attributes)
    name = attributes.pop(field)
    return model.Acl(resource=ACL_RESOURCES[field], name=name, **attributes)


def _acl_resource(acl: model.Acl) -> Mapping[str, Any]:
    return {field: acl.name for field, resource in ACL_RESOURCES.items() if resource == acl.resource}


def _secret_name(secret: str) -> Mapping[str, Any]:
    return {"secret": secret}


ACL = Structure(
    "an ACL",
    (
        Field("principal", PRINCIPAL, "The principal that it allows or denies.", required=True),
        *(
            Field(name, TEXT, f"Name of the {title.replace('-', ' ')}.", attribute=name)
            for name, title in ACL_RESOURCES.items()
        ),
        Field(
            "pattern",
            Choice(("literal", "prefixed")),
            "Whether the name is a full name or a prefix.",
        ),
        Field(
            "operations",
            ListOf(Choice(ACL_OPERATIONS), at_least=1, noun="operation"),
            "The operations that it allows or denies.",
            required=True,
        ),
        Field("host", TEXT, 'The host it applies to; "*" is any host.'),
        Field("permission", Choice(("allow", "deny")), "Whether to allow or deny."),
    ),
    _make_acl,
    exactly_one=tuple(ACL_RESOURCES),
    definition="acl",
    holds=model.Acl,
    rewritten=_acl_resource,
)
SECRET = Structure(
    "a secret",
    (Field("secret", TEXT, "Name of the secret in the stack's configuration.", required=True),),
    lambda secret: secret,
    fix="store it with `pulumi config set --secret NAME` and write `password: {secret: NAME}`",
    rewritten=_secret_name,
)
USER = Structure(
    "a user",
    (
        Field(
            "mechanism",
            Choice(("SCRAM-SHA-256", "SCRAM-SHA-512")),
            "SCRAM mechanism.",
            required=True,
        ),
        Field(
            "password",
            SECRET,
            "The secret that holds the password; never the password itself.",
            required=True,
            attribute="password_secret",
        ),
        Field("iterations", Integer(4096, 16384), "Number of hash iterations."),
    ),
    model.User,
    definition="user",
)
QUOTA = Structure(
    "a quota",
    (
        Field("user", TEXT, "The user to limit; `default` applies to users without their own quota."),
        Field("clientId", TEXT, "The client id to limit; `default` applies to clients without their own quota."),
        Field("producerByteRate", RATE, "Maximum write rate, per broker."),
        Field("consumerByteRate", RATE, "Maximum read rate, per broker."),
        Field(
            "requestPercentage",
            Number(0, 1_000_000),
            "Maximum share of a broker's request threads, in percent.",
        ),
        Field(
            "controllerMutationRate",
            Number(0, 1_000_000),
            "Maximum number of partitions created or deleted per second.",
        ),
    ),
    model.Quota,
    definition="quota",
)
