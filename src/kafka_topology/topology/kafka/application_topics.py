"""Topics that an application creates and changes for itself, as far as names and neighbours prove it.

A name alone is weak: `sensor.heartbeat` may hold data of a team. So most of these want a second sign: a group of the
application, or the other topics that the tool keeps.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

_STREAMS: Final = re.compile(r"(?P<application>.+)-(?P<node>.+)-(changelog|repartition)")
_STREAMS_NODE: Final = re.compile(r"K(STREAM|TABLE)-[A-Z-]+-[0-9]{10}(-.+)?")
_CONNECT: Final = re.compile(r"(?P<stem>.+[._-])(?P<part>configs?|offsets?|status(es)?)")
_CONNECT_PARTS: Final = {"c", "o", "s"}  # configs, offsets, status
_MIRROR_MAKER: Final = re.compile(r"mm2-.+\.internal|.+\.checkpoints\.internal")
_HEARTBEATS: Final = re.compile(r"(.+\.)?heartbeats")
_REGISTRY: Final = "_schemas"
_PREFIXES: Final = {
    "_confluent": "Confluent Platform",
    "__amazon_msk": "Amazon MSK",
    "__CruiseControl": "Cruise Control",
    "__KafkaCruiseControl": "Cruise Control",
    "__debezium": "Debezium",
    "__strimzi": "Strimzi",
}


def owners(topics: Mapping[str, int], groups: Iterable[str]) -> dict[str, str]:
    """The application that each such topic belongs to. `topics` are all of the cluster, with their partitions."""
    found = {name: owner for name in topics if (owner := tool_of(name)) is not None}
    if any(_MIRROR_MAKER.fullmatch(name) for name in topics):
        found |= dict.fromkeys(filter(_HEARTBEATS.fullmatch, topics), "MirrorMaker")
    found |= of_streams(topics, frozenset(groups))
    found |= _of_connect(topics)
    return found


def tool_of(name: str) -> str | None:
    """The tool whose topics alone have such a name, or None."""
    if _MIRROR_MAKER.fullmatch(name):
        return "MirrorMaker"
    if name == _REGISTRY:
        return "a schema registry"
    return next((tool for prefix, tool in _PREFIXES.items() if name.startswith(prefix)), None)


def is_hidden(name: str) -> bool:
    """Whether a tool keeps the topic beside Kafka's own, where nobody looks for topics of a team."""
    return name.startswith("__") and tool_of(name) is not None


def of_streams(topics: Iterable[str], groups: Collection[str]) -> dict[str, str]:
    """An application id may have hyphens, and so may a store: the longest group that fits is the application."""
    found: dict[str, str] = {}
    for name in topics:
        match = _STREAMS.fullmatch(name)
        if match is None:
            continue
        cuts = [at for at, character in enumerate(name) if character == "-"]
        application = next((name[:at] for at in reversed(cuts[:-1]) if name[:at] in groups), None)
        if application is None and (own := _application(name)) is not None:
            application = own
        if application is not None:
            found[name] = f"the Streams application {application}"
    return found


def _application(name: str) -> str | None:
    """The application id, if the node has one of the names that only Kafka Streams makes."""
    at = max(name.rfind("-KSTREAM-"), name.rfind("-KTABLE-"))
    node = name[at + 1 :].rpartition("-")[0]
    return name[:at] if at > 0 and _STREAMS_NODE.fullmatch(node) else None


def _of_connect(topics: Mapping[str, int]) -> dict[str, str]:
    """Connect keeps three topics with one stem, and that of its configs has one partition."""
    by_stem: dict[str, dict[str, str]] = {}
    for name in topics:
        match = _CONNECT.fullmatch(name)
        if match is not None:
            by_stem.setdefault(match["stem"], {})[match["part"][0]] = name
    found: dict[str, str] = {}
    for parts in by_stem.values():
        if parts.keys() == _CONNECT_PARTS and topics[parts["c"]] == 1:
            found |= dict.fromkeys(parts.values(), "Kafka Connect")
    return found
