"""The language of `cluster` and `ownership`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kafka.distributions import DISTRIBUTIONS
from ..model import declared as model
from ..model.grants import Grants
from .alternatives import OneOf
from .fields import RATE, SIZE, Choice, Integer, Text
from .open_maps import Config
from .structures import Field, ListOf, Structure
from .terms import ACL_OPERATIONS, TEXT

BROKER = Structure(
    "a broker",
    (
        Field("id", Integer(0), "Node id of the broker.", required=True),
        Field("rack", TEXT, "Rack or availability zone of the broker."),
        Field("disk", SIZE, "Disk space for logs on this broker."),
    ),
    model.Broker,
)
LIMITS = Structure(
    "limits",
    (
        Field(
            "partitionsPerBroker",
            Integer(1),
            "Maximum number of partition replicas per broker.",
        ),
        Field(
            "throughputPerPartition",
            RATE,
            "Maximum write rate of one partition, measured on this cluster.",
        ),
    ),
    model.Limits,
)


def _dump_brokers(brokers: int | tuple[model.Broker, ...]) -> Any:
    return brokers if isinstance(brokers, int) else [BROKER.dump(broker) for broker in brokers]


def _as_written(cluster: model.Cluster) -> Mapping[str, Any]:
    """Brokers as a number if racks and a disk size describe the rest, and controllers by id if they are listed."""
    controllers = {"controllers": cluster.controller_ids} if cluster.controller_ids else {}
    brokers = cluster.brokers
    if brokers is None or not cluster.lists_brokers:
        return {**controllers, "brokers": len(brokers) if brokers is not None else None}
    return controllers


CLUSTER = Structure(
    "the cluster",
    (
        Field("name", TEXT, "Name of the cluster, for people."),
        Field(
            "kafka",
            Text("a quoted Kafka version", r"[0-9]+\.[0-9]+(?:\.[0-9]+)?", '"4.1"'),
            "Version of the brokers. It selects the known settings and defaults.",
        ),
        Field(
            "distribution",
            Choice(tuple(DISTRIBUTIONS)),
            "Who built the brokers. It adds the topic settings that only this distribution has.",
        ),
        Field(
            "brokers",
            OneOf(Integer(1, 100_000), ListOf(BROKER, at_least=1, noun="broker"), dump_as=_dump_brokers),
            "Number of brokers, or a list of them.",
        ),
        Field(
            "racks",
            ListOf(TEXT, at_least=1, noun="rack"),
            "Racks or zones. Brokers given as a number alternate between them.",
        ),
        Field(
            "controllers",
            OneOf(
                Integer(1, 1_000),
                ListOf(Integer(0), at_least=1, noun="controller", distinct=True),
                dump_as=lambda controllers: controllers if isinstance(controllers, int) else list(controllers),
            ),
            "Number of controllers in the quorum, or a list of their node ids; a broker can be one of them.",
        ),
        Field("disk", SIZE, "Disk space for logs on each broker."),
        Field("limits", LIMITS, "Capacity limits of the cluster."),
        Field(
            "defaults",
            Config(),
            "Broker settings that topics inherit. An audit compares them with the live brokers.",
        ),
    ),
    holds=model.Cluster,
    rewritten=_as_written,
)

_PREFIX_OR_ALL = "Prefixes of {} that ACLs may allow access to, besides the owned ones; `*` allows the wildcard."
GRANTS = Structure(
    "grants",
    (
        Field("topics", ListOf(TEXT), _PREFIX_OR_ALL.format("topics")),
        Field("groups", ListOf(TEXT), _PREFIX_OR_ALL.format("consumer groups")),
        Field("transactionalIds", ListOf(TEXT), _PREFIX_OR_ALL.format("transactional ids")),
        Field("users", ListOf(TEXT), _PREFIX_OR_ALL.format("users, such as `User:shop-`,")),
        Field("delegationTokens", ListOf(TEXT), "`*` if ACLs may allow access to all delegation tokens."),
        Field(
            "cluster",
            ListOf(Choice(ACL_OPERATIONS)),
            "Operations on the cluster that ACLs may allow. IdempotentWrite needs no grant.",
        ),
    ),
    Grants,
)
OWNERSHIP = Structure(
    "ownership",
    (
        Field("topics", ListOf(TEXT), "Prefixes of the topics that this topology may change."),
        Field("groups", ListOf(TEXT), "Prefixes of the consumer groups that this topology may change."),
        Field("principals", ListOf(TEXT), "Prefixes of the principals that this topology may change."),
        Field(
            "grants", GRANTS, "Access that ACLs may allow outside the ownership, on the wildcard and on the cluster."
        ),
    ),
    model.Ownership,
)
