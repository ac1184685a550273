"""The language of `cluster` and `ownership`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import model
from .alternatives import OneOf
from .fields import RATE, SIZE, Integer, Text
from .language_terms import TEXT
from .open_maps import Config
from .structures import Field, ListOf, Record

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


def _dump_brokers(brokers: int | tuple[model.Broker, ...]) -> Any:
    return brokers if isinstance(brokers, int) else [BROKER.dump(broker) for broker in brokers]


def _brokers_by_number(cluster: model.Cluster) -> Mapping[str, Any]:
    """Brokers that a number, racks and a disk size describe completely are written that way."""
    brokers = cluster.brokers
    if brokers is None or not cluster.lists_brokers:
        return {"brokers": len(brokers) if brokers is not None else None}
    return {}


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
            OneOf(Integer(1, 100_000), ListOf(BROKER, at_least=1), dump_as=_dump_brokers),
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
    holds=model.Cluster,
    rewritten=_brokers_by_number,
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
