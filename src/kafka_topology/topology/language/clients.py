"""The language of what writes and reads (`producers`, `consumerGroups`, `streams`) and what it may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import model
from .alternatives import Either
from .fields import DURATION, MOMENT, RATE, Choice, Integer, Number
from .language_terms import (
    ACL_OPERATIONS,
    ACL_RESOURCES,
    DELETION,
    DELIVERY,
    IGNORE,
    IGNORE_DOC,
    OWNER_DOC,
    PRINCIPAL,
    TEXT,
    TOPIC_NAME,
)
from .open_maps import Config
from .partitioners import PARTITIONERS
from .structures import Field, ListOf, MapOf, Record
from .units import format_moment

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


def _dump_position(position: Any) -> str:
    return position if isinstance(position, str) else format_moment(position)


POSITION = Either((Choice(("earliest", "latest")), MOMENT), _dump_position)
OFFSET_RESET = Record(
    "a reset of offsets",
    (
        Field("to", POSITION, "Where it reads on: earliest, latest, or a moment.", required=True),
        Field("ticket", TEXT, "Any text, such as a ticket's number: the offsets move once for each.", required=True),
    ),
    model.OffsetReset,
)
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
        Field("start", POSITION, "Where a new group begins: earliest, latest, or a moment."),
        Field("reset", OFFSET_RESET, "Moves the offsets of a group that nobody is a member of."),
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


def _acl_resource(acl: model.Acl) -> Mapping[str, Any]:
    return {field: acl.name for field, resource in ACL_RESOURCES.items() if resource == acl.resource}


def _secret_name(secret: str) -> Mapping[str, Any]:
    return {"secret": secret}


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
    holds=model.Acl,
    rewritten=_acl_resource,
)
SECRET = Record(
    "a secret",
    (Field("secret", TEXT, "The name of the secret in the stack's configuration.", required=True),),
    lambda secret: secret,
    rewritten=_secret_name,
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
