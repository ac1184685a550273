"""The topology language, version 1: every section, its content and its meaning.

The decoder, the JSON Schema, the reference and `show` are all made from these declarations.
"""

from __future__ import annotations

from ..model.places import Layer
from .acceptances import ACCEPTANCE
from .clients import ACL, CONSUMER_GROUP, PRODUCER, QUOTA, STREAMS, USER
from .cluster import CLUSTER, OWNERSHIP
from .fields import Integer
from .open_maps import RuleOptions
from .share_groups import SHARE_GROUP
from .structures import Field, ListOf, MapOf, Structure
from .templates import TopicMap
from .terms import PATH, RULE_ID, RULE_ID_EXPECTED, TEXT
from .topics import PROFILE, TOPIC

VERSION = 1

SECTIONS = (
    Field("cluster", CLUSTER, "The cluster. Rules and audits compare with it."),
    Field("ownership", OWNERSHIP, "What this topology may change. It never changes anything else."),
    Field(
        "patterns",
        MapOf(TEXT, r"[A-Za-z][A-Za-z0-9_-]*"),
        "Named regular expressions, usable as key types.",
    ),
    Field("profiles", MapOf(PROFILE, layer=Layer.PROFILE), "Sets of topic fields that topics start from."),
    Field("topics", TopicMap(TOPIC), "Topics, by name."),
    Field("producers", MapOf(PRODUCER), "Applications that write records, by name."),
    Field("consumerGroups", MapOf(CONSUMER_GROUP), "Consumer groups, by group id."),
    Field("shareGroups", MapOf(SHARE_GROUP), "Share groups (Kafka 4.1 and later), by group id."),
    Field("streams", MapOf(STREAMS), "Kafka Streams applications, by application id."),
    Field(
        "acls",
        ListOf(ACL),
        "ACLs beyond those that follow from producers, groups, share groups and streams applications.",
    ),
    Field("users", MapOf(USER), "SCRAM users of the cluster, by name."),
    Field("quotas", ListOf(QUOTA), "Quotas of users and clients."),
    Field(
        "rules",
        MapOf(RuleOptions(), RULE_ID, RULE_ID_EXPECTED),
        "Severity and options of rules, by id.",
    ),
)
ENVIRONMENT = Structure("an environment", SECTIONS, definition="environment", overlays=True)
DOCUMENT = Structure(
    "a topology",
    (
        Field("version", Integer(VERSION, VERSION), "Version of the language.", required=True),
        Field("include", ListOf(PATH), "More files of this topology, relative to this file."),
        *SECTIONS,
        Field(
            "accept", ListOf(ACCEPTANCE), "Risks of a change that are accepted. Reviews show them until they expire."
        ),
        Field(
            "environments",
            MapOf(ENVIRONMENT, layer=Layer.ENVIRONMENT),
            "Differences per environment, selected with --env or by the name of the Pulumi stack.",
        ),
    ),
    has_extensions=True,
)
