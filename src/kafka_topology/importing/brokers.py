"""What an import writes about the brokers: all of them, and those of their settings that rules use. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Final

from kafka_topology.topology.kafka.broker_pairs import HARMFUL, REFUSED
from kafka_topology.topology.kafka.catalogue import VERSIONS, catalogue
from kafka_topology.topology.kafka.equal import same

# Written even if they have Kafka's default: what they are decides whether records survive a lost broker.
ALWAYS: Final = (
    "auto.create.topics.enable",
    "min.insync.replicas",
    "offsets.topic.replication.factor",
    "transaction.state.log.replication.factor",
)
_USED: Final = (
    "controller.quorum.fetch.timeout.ms",
    "default.replication.factor",
    "delete.topic.enable",
    "num.partitions",
    "offsets.retention.minutes",
    "offsets.topic.",
    "listener.security.protocol.map",
    "max.connections.per.ip",
    "remote.log.storage.system.enable",
    "replica.fetch.",
    "replica.selector.class",
    "socket.request.max.bytes",
    "share.coordinator.state.topic.",
    "transaction.max.timeout.ms",
    "transaction.state.log.",
    "group.",
    "log.cleaner.",
)
_COMPARED: Final = frozenset(name for pair in (*REFUSED, *HARMFUL) for name in (pair.name, pair.least))


def is_used(name: str) -> bool:
    """Whether a rule may ask for this setting of the brokers: those that topics inherit, and some others."""
    return name in ALWAYS or name in _COMPARED or name.startswith(_USED) or name in _inherited()


def used_settings(configs: Iterable[Mapping[str, str]], version: str | None) -> dict[str, str]:
    """Those that are equal on all brokers, and not what Kafka would use anyway."""
    first, *others = [*configs] or [{}]
    known = catalogue(version if version in VERSIONS else VERSIONS[-1]).broker
    return {
        name: value
        for name, value in sorted(first.items())
        if is_used(name)
        and name in known
        and all(other.get(name) == value for other in others)
        and (name in ALWAYS or not same("broker", name, value, known[name].default))
    }


def uneven_settings(configs: Iterable[Mapping[str, str]]) -> tuple[str, ...]:
    """Settings that rules use and that differ between brokers."""
    every = [*configs]
    names = {name for config in every for name in config if is_used(name)}
    return tuple(sorted(name for name in names if len({config.get(name) for config in every}) > 1))


def with_down(
    running: Mapping[int, str | None], fenced: Mapping[int, str | None], replicas: Collection[int]
) -> dict[int, str | None]:
    """All brokers: those that run, those that are registered and down, and those that only hold replicas."""
    return {**dict.fromkeys(sorted(replicas)), **fenced, **running}


@cache
def _inherited() -> frozenset[str]:
    return frozenset(
        key.name for version in VERSIONS for topic in catalogue(version).topic.values() for key in topic.broker_keys
    )
