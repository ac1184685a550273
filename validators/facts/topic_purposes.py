"""Topics that tools and frameworks keep for themselves, known by the names that those give them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Purpose = Literal["changelog", "repartition", "heartbeat", "dead letters", "state of a tool"]

# Connect's three topics by their usual names, with a prefix, and as Strimzi calls them: connect-cluster-configs.
_CONNECT = r"(?:.*[._-])?connect(?:[._-]cluster)?[._-]"
# What Debezium knows of the tables: schemahistory.inventory, dbhistory.inventory, inventory.schema-history
_DEBEZIUM = r"(?:.*[._-])?(?:schema[._-]?history|db[._-]?history)(?:[._-].+)?"

_PURPOSES: tuple[tuple[Purpose, re.Pattern[str]], ...] = (
    # Kafka Streams: <application id>-<store or node>-changelog, and -repartition
    ("changelog", re.compile(r".+-changelog")),
    ("repartition", re.compile(r".+-repartition")),
    # MirrorMaker: heartbeats, and <cluster>.heartbeats on the other side; Debezium: __debezium-heartbeat.<prefix>
    ("heartbeat", re.compile(r"(.+[._-])?heartbeats?|__debezium-heartbeat\..+", re.IGNORECASE)),
    # MirrorMaker's mm2-offset-syncs.dr.internal and dr.checkpoints.internal; Connect's three topics, of which
    # connect-configs must have one partition; the schema history of Debezium; _schemas of schema registries;
    # control-iceberg of the Iceberg sink
    (
        "state of a tool",
        re.compile(
            rf"mm2-.+\.internal|.+\.checkpoints\.internal|{_CONNECT}(configs?|offsets?|status)|{_DEBEZIUM}|_schemas"
            r"|(.+[._-])?(control[._-]iceberg|iceberg[._-]control)"
        ),
    ),
    # Connect and Spring have no fixed name; these are the usual ones: orders.dlq, orders-dlt, orders.dead-letter
    ("dead letters", re.compile(r"(.+[._-])?(dlq|dlt|dead[._-]?letters?([._-]?queue)?)([._-].+)?", re.IGNORECASE)),
)


def purpose_of(topic: str) -> Purpose | None:
    """What a topic is for, if its name says so: nobody declares its readers or chooses its partitions."""
    return next((purpose for purpose, pattern in _PURPOSES if pattern.fullmatch(topic)), None)


@dataclass(frozen=True, slots=True)
class NeededShape:
    """What a tool needs of a topic in which it keeps its state."""

    tool: str
    one_partition: bool
    policy: Literal["compact", "delete"] = "compact"
    kept_forever: bool = False  # it reads all of it at each start


_SHAPES = (
    (re.compile(rf"{_CONNECT}configs?"), NeededShape("Connect", one_partition=True)),
    (re.compile(rf"{_CONNECT}(offsets?|status)"), NeededShape("Connect", one_partition=False)),
    # MirrorMaker runs Connect's herder on topics of its own.
    (re.compile(r"mm2-configs\..+\.internal"), NeededShape("MirrorMaker", one_partition=True)),
    (re.compile(r"mm2-(offsets|status)\..+\.internal"), NeededShape("MirrorMaker", one_partition=False)),
    (re.compile(_DEBEZIUM), NeededShape("Debezium", one_partition=True, policy="delete", kept_forever=True)),
    (re.compile(r"_schemas"), NeededShape("a schema registry", one_partition=True)),
)


def needed_shape(topic: str) -> NeededShape | None:
    """What the tool needs that a topic of this name belongs to; None if the tool takes any, or there is none."""
    return next((shape for pattern, shape in _SHAPES if pattern.fullmatch(topic)), None)
