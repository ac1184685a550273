"""Changes of the cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kafka_topology.topology.model.words import agreeing, counted, named

from ...topology.kafka.catalogue import ConfigKey
from ...topology.model.declared import Broker, Cluster
from ...topology.model.units import format_duration
from ...validators.facts.changes import about
from ..changes import Change, Effect, Verdict, breaking, care, safe, unclassified
from ..fields import Path, changed_fields
from ..judging import field_change
from ..subject import Subject
from ..versions import Versions

_OFFSETS_KEPT = "offsets.retention.minutes"


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
    if field == "brokers" and old.brokers and new.brokers:
        return _brokers(versions, old.brokers, new.brokers)
    if field in ("brokers", "racks", "controllers"):
        return care("rules and what-if use it; nothing is applied to the brokers")
    if field == "kafka" and _release(new.kafka) < _release(old.kafka):
        return breaking(
            f"a downgrade: brokers of Kafka {new.kafka} do not start if the cluster's metadata.version is newer than"
            " they know; known settings, defaults and client features follow the older version"
        )
    if field == "kafka":
        return care("known settings, defaults and client features follow the new version; upgrade the brokers first")
    if field == "distribution":
        return care("known topic settings follow it; Kafka refuses the settings of another distribution")
    if field == "defaults":
        return _default(versions, path[-1])
    if field in ("name", "disk", "limits"):
        return safe("rules use it; nothing is applied")
    return unclassified()


def _default(versions: Versions, name: str) -> Verdict:
    inherited = [key for key, each in _topic_keys(versions).items() if name in {held.name for held in each.broker_keys}]
    if not inherited:
        expiring = tuple(_expiring(versions)) if name == _OFFSETS_KEPT else ()
        return care("a setting of the brokers, which no topic inherits; set the same in their own files", *expiring)
    topics = versions.new.topology.topics.values()
    if all(topic.config.get(key) is not None for topic in topics for key in inherited):
        return care("every topic here sets its own value; set the same in the brokers' own files")
    return care("topics that do not set it follow the new value; set the same in the brokers' own files")


def _expiring(versions: Versions) -> Iterator[Effect]:
    was, now = (version.settings.broker(_OFFSETS_KEPT) for version in (versions.old, versions.new))
    before, after = (setting.number if setting is not None else None for setting in (was, now))
    if before is not None and after is not None and after < before:
        kept = format_duration(after * 60_000)
        yield Effect("data", f"offsets of groups without members for {kept} are deleted, and the groups start over")


def _topic_keys(versions: Versions) -> Mapping[str, ConfigKey]:
    return {**versions.old.settings.catalogue.topic, **versions.new.settings.catalogue.topic}


def _release(kafka: str) -> tuple[int, ...]:
    return tuple(int(part) for part in kafka.split(".")[:2] if part.isdigit())


def _brokers(versions: Versions, old: tuple[Broker, ...], new: tuple[Broker, ...]) -> Verdict:
    gone = tuple(broker.id for broker in old if broker.id not in {each.id for each in new})
    come = tuple(broker.id for broker in new if broker.id not in {each.id for each in old})
    if gone:
        return _fewer_brokers(versions, gone, len(new))
    if come:
        share = _total(versions) * len(come) / len(new)
        spread = f"about {about(share)} to copy for an even share on {_named(come)}, by the declared load"
        effects = (Effect("bytes", spread),) if share else ()
        return care("a new broker stays empty until replicas are moved to it", *effects)
    if any(one.rack != other.rack for one, other in zip(old, new, strict=True)):
        total = _total(versions)
        most = f"at most about {about(total)} to copy, by the declared load" if total else ""
        effects = (Effect("bytes", most),) if most else ()
        return care("existing replicas stay where they are; move them so that each partition is on all racks", *effects)
    return care("rules and what-if use it; nothing is applied to the brokers")


def _total(versions: Versions) -> float:
    """Bytes of all replicas."""
    sizes = ((topic, versions.size_now(topic)) for topic in versions.old.topology.topics.values())
    return sum(size.count * topic.replication for topic, size in sizes if size is not None)


def _named(brokers: tuple[int, ...]) -> str:
    return f"{agreeing(len(brokers), 'broker', 'brokers')} {named(tuple(map(str, brokers)))}"


def _fewer_brokers(versions: Versions, gone: tuple[int, ...], brokers: int) -> Verdict:
    topology = versions.new.topology
    short = tuple(topic.name for topic in topology.topics.values() if topic.replication > brokers)
    if not short:
        return care("move the replicas off the removed brokers first", Effect("bytes", _moves(versions, gone, brokers)))
    text = f"{named(short)} cannot place all replicas on {counted(brokers, 'broker')}"
    return breaking("some topics declare more replicas than there are brokers", Effect("stall", text))


def _moves(versions: Versions, gone: tuple[int, ...], brokers: int) -> str:
    old = versions.old.topology.cluster.brokers or ()
    size = _total(versions) * len(gone) / max(1, len(old))
    much = f", about {about(size)} by the declared load" if size else ""
    return f"every replica on {_named(gone)} is copied to one of the remaining {brokers}{much}"


SUBJECT: Final = Subject(order=60, kinds=("cluster",), sections=("cluster",), changes=cluster_changes)
