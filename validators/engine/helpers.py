"""What several rules do: find the place to point at, show a value, offer an edit."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.catalogue import VERSIONS, Catalogue, ConfigKey
from kafka_topology.topology.kafka.distributions import DISTRIBUTIONS
from kafka_topology.topology.kafka.effective import Setting
from kafka_topology.topology.kafka.quantities import quantity_of
from kafka_topology.topology.model.declared import Cluster, Declared, Limits, Topic, Topology
from kafka_topology.topology.model.findings import Edit, Related, Severity
from kafka_topology.topology.model.places import Layer, Place
from kafka_topology.topology.model.units import DURATION_UNITS

from ..facts.client_roles import Reader, Writer
from .in_library import own_library, own_setting
from .rule import Context, Problem

# Kafka writes "no limit" as the largest 64-bit number.
NO_LIMIT = 2**63 - 1

_BROKER_DEFAULTS = {"partitions": "num.partitions", "replication": "default.replication.factor"}


def place_of(setting: Setting, holder: Declared) -> Place:
    """The place that set the value; for Kafka's own default, the resource."""
    return setting.place if setting.is_declared else holder.place()


def count_place(topology: Topology, topic: Topic, field: str) -> Place:
    """The place that set the `partitions` or `replication` of a topic."""
    place = topic.place(field)
    broker_key = _BROKER_DEFAULTS[field]
    if place.layer is Layer.LANGUAGE and broker_key in topology.cluster.defaults:
        return Place(Layer.CLUSTER, topology.cluster.place("defaults", broker_key).location)
    return place


def shown(setting: Setting) -> str:
    """The value as people write it, marked if it is Kafka's default."""
    value = setting.value
    quantity = quantity_of(setting.name)
    if quantity is not None and setting.number is not None and setting.number >= 0:
        value = quantity.format(setting.number)
    return value if setting.is_declared else f"{value} ({setting.default_of}'s default)"


def own_edit(setting: Setting, text: str) -> tuple[Edit, ...]:
    """An edit of a value that the resource itself sets. Shared values stay: other resources use them too."""
    return (Edit(setting.place.location, text),) if setting.place.layer is Layer.RESOURCE else ()


def related(setting: Setting, message: str) -> tuple[Related, ...]:
    """The place of another value that is part of the problem, if it is declared."""
    return (Related(setting.place.location, message),) if setting.is_declared else ()


def problem_with(
    setting: Setting,
    holder: Topic | Writer | Reader,
    message: str,
    fix: str,
    *,
    edit: str | None = None,
    related: tuple[Related, ...] = (),
    severity: Severity | None = None,
) -> Problem:
    """A problem with a setting of a topic or client: at the place that set it, with an edit if the resource did."""
    declared = holder if isinstance(holder, Topic) else holder.declared
    place = place_of(setting, declared)
    edit = _for_library(declared, setting, edit)
    edits = own_edit(setting, edit) if edit is not None else ()
    return Problem(f"{holder.name}: {message}", place, holder.name, fix, related, edits, severity)


def _for_library(client: Declared, setting: Setting, edit: str | None) -> str | None:
    """The edit in the library's words, if it has them."""
    if edit is None or own_library(client) is None:
        return edit
    own = own_setting(client, setting.name)
    return own[1].from_java(edit) if own is not None else None


def topic_problem(context: Context, topic: Topic, key: str, message: str, fix: str) -> Iterator[Problem]:
    """A problem with a topic's setting in force, at the place that set it. None if this version has no such setting."""
    setting = context.settings.topic(topic, key)
    if setting is not None:
        yield problem_with(setting, topic, message, fix)


def was_removed(known: Catalogue, key: ConfigKey) -> bool:
    """Whether the catalogue's version no longer has a setting that an earlier version has."""
    return key.removed is not None and VERSIONS.index(key.removed) <= VERSIONS.index(known.version)


def roughly(milliseconds: float) -> str:
    """A duration in its largest unit, rounded down: "36d", "5h"."""
    for unit in ("d", "h", "m", "s"):
        amount = int(milliseconds // DURATION_UNITS[unit])
        if amount >= 2:
            return f"{amount}{unit}"
    return f"{int(milliseconds)}ms"


def has_min_isr(cluster: Cluster) -> bool:
    """Whether `acks=all` waits for `min.insync.replicas`; on some brokers it is always the majority of the replicas."""
    return not DISTRIBUTIONS[cluster.distribution].by_majority


def is_described(cluster: Cluster) -> bool:
    """Whether the file says anything about the brokers, so that what it leaves out is Kafka's default."""
    return bool(
        cluster.name or cluster.brokers or cluster.controllers or cluster.defaults or cluster.limits != Limits()
    )


def cluster_name(topology: Topology) -> str:
    return topology.cluster.name or "cluster"
