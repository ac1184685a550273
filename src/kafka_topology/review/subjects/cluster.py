"""Changes of the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kafka_topology.topology.model.words import counted, named

from ...topology.model.declared import Cluster, Topology
from ..changes import Change, Effect, Verdict, breaking, care, safe, unclassified
from ..fields import Path, changed_fields
from ..judging import field_change
from ..subject import Subject
from ..versions import Versions


def cluster_changes(versions: Versions) -> Iterator[Change]:
    old, new = versions.old.topology.cluster, versions.new.topology.cluster
    if old == new:
        return
    name = new.name or "cluster"
    for path, was, now in changed_fields("cluster", old, new):
        verdict = _cluster_verdict(versions, old, new, path)
        yield field_change(("cluster", name), path, (was, now), verdict, (old, new))


def _cluster_verdict(versions: Versions, old: Cluster, new: Cluster, path: Path) -> Verdict:
    field = path[0]
    if field == "brokers" and old.brokers and new.brokers and len(new.brokers) < len(old.brokers):
        return _fewer_brokers(versions.new.topology, len(new.brokers))
    if field in ("brokers", "racks", "controllers"):
        return care("rules and what-if use it; nothing is applied to the brokers")
    if field == "kafka":
        return care("known settings, defaults and client features follow the new version; upgrade the brokers first")
    if field == "defaults":
        return care("topics that do not set it follow the new value; set the same in the brokers' own files")
    if field in ("name", "disk", "limits"):
        return safe("rules use it; nothing is applied")
    return unclassified()


def _fewer_brokers(topology: Topology, brokers: int) -> Verdict:
    short = tuple(topic.name for topic in topology.topics.values() if topic.replication > brokers)
    if not short:
        return care("move the replicas off the removed brokers first", Effect("bytes", _moves(brokers)))
    text = f"{named(short)} cannot place all replicas on {counted(brokers, 'broker')}"
    return breaking("some topics declare more replicas than there are brokers", Effect("stall", text))


def _moves(brokers: int) -> str:
    return f"every replica on the removed brokers is copied to one of the remaining {brokers}"


SUBJECT: Final = Subject(order=60, kinds=("cluster",), sections=("cluster",), changes=cluster_changes)
