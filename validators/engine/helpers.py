"""Small things that several rules do: find the place to point at, name a value, offer a mending."""

from __future__ import annotations

from ..topology.catalogue import VERSIONS, Catalogue, ConfigKey
from ..topology.effective import Setting
from ..topology.findings import Edit, Related
from ..topology.model import Declared, Topic, Topology
from ..topology.places import Layer, Place
from ..topology.units import DURATION_UNITS, format_duration, format_size

# Kafka writes "no limit" as the largest number of 64 bits.
NO_LIMIT = 2**63 - 1

_BROKER_DEFAULTS = {"partitions": "num.partitions", "replication": "default.replication.factor"}


def place_of(setting: Setting, holder: Declared) -> Place:
    """Where a setting was written; for Kafka's own default, which nobody wrote, the resource."""
    return setting.place if setting.is_declared else holder.place()


def count_place(topology: Topology, topic: Topic, field: str) -> Place:
    """Where the `partitions` or `replication` of a topic was written."""
    place = topic.place(field)
    broker_key = _BROKER_DEFAULTS[field]
    if place.layer is Layer.LANGUAGE and broker_key in topology.cluster.defaults:
        return Place(Layer.CLUSTER, topology.cluster.place("defaults", broker_key).location)
    return place


def shown(setting: Setting) -> str:
    """The value as people write it, and whether it is Kafka's default."""
    value = setting.value
    if setting.number is not None and setting.number >= 0:
        if setting.name.endswith(".ms"):
            value = format_duration(setting.number)
        elif setting.name.endswith(".bytes"):
            value = format_size(setting.number)
    return value if setting.is_declared else f"{value} (Kafka's default)"


def own_edit(setting: Setting, text: str) -> tuple[Edit, ...]:
    """An edit of a value that the resource itself sets. A shared value is left alone: others live by it."""
    return (Edit(setting.place.location, text),) if setting.place.layer is Layer.RESOURCE else ()


def related(setting: Setting, message: str) -> tuple[Related, ...]:
    """The place of another value that has to do with the problem, if somebody wrote it."""
    return (Related(setting.place.location, message),) if setting.is_declared else ()


def was_removed(known: Catalogue, key: ConfigKey) -> bool:
    """Whether the version that counts no longer has a config that another version has."""
    return key.removed is not None and VERSIONS.index(key.removed) <= VERSIONS.index(known.version)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def roughly(milliseconds: float) -> str:
    """A duration in its largest unit, rounded down: "36d", "5h"."""
    for unit in ("d", "h", "m", "s"):
        amount = int(milliseconds // DURATION_UNITS[unit])
        if amount >= 2:
            return f"{amount}{unit}"
    return f"{int(milliseconds)}ms"


def cluster_name(topology: Topology) -> str:
    return topology.cluster.name or "cluster"
