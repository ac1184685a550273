"""The topology language, version 1: every section, what it holds and what it means.

The decoder, the JSON Schema, the reference and `show` are all driven by these declarations.
"""

from __future__ import annotations

from .fields import Integer
from .language_clients import ACL, CONSUMER_GROUP, PRODUCER, QUOTA, STREAMS, USER
from .language_cluster import CLUSTER, OWNERSHIP
from .language_terms import PATH, RULE_ID, TEXT
from .language_topics import PROFILE, TOPIC
from .open_maps import RuleOptions
from .places import Layer
from .structures import Field, ListOf, MapOf, Record

VERSION = 1

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
        MapOf(RuleOptions(), RULE_ID, "a rule's id such as KT101"),
        "Severity and options of rules, by id.",
    ),
)
ENVIRONMENT = Record("an environment", SECTIONS, definition="environment", overlays=True)
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
