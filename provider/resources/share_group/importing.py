"""Share groups of a cluster for an import: those whose topics are known."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from kafka_topology.cluster.outcomes import Failure

from ..importer import Importer, Plain, askable, sayable_names, written_config
from .inputs import SHARE_GROUP_INPUTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.cluster.cluster import Cluster
    from kafka_topology.provider.config.settings import Owned

    from ..importer import Reading


@dataclass(frozen=True, slots=True)
class FoundShareGroup:
    """The topics of a group are those that its members read, or that it has start offsets on."""

    topics: tuple[str, ...]
    config: Mapping[str, str] = field(default_factory=dict)


ShareGroups: TypeAlias = Mapping[str, FoundShareGroup]


def take(cluster: Cluster, owned: Owned, reading: Reading) -> ShareGroups:
    every = reading.value(reading.one(cluster.share_groups.group_names), frozenset())
    inside = sorted(name for name in every if SHARE_GROUP_INPUTS.why_outside(name, owned.groups) is None)
    names = askable(inside)
    shapes = reading.each(names, cluster.share_groups.describe_groups)
    offsets = reading.each(names, lambda asked: cluster.share_groups.start_offsets(dict.fromkeys(asked)))
    configs = reading.each(names, cluster.share_groups.group_configs)
    found = {name: FoundShareGroup(()) for name in inside if name not in names}
    for name in names:
        shape = shapes[name]
        if isinstance(shape, Failure):
            reading.value(shape, None)
            continue
        started = {topic for topic, _ in reading.value(offsets[name], {})}
        topics = tuple(sorted({*shape.topics, *started}))
        found[name] = FoundShareGroup(topics, _own(reading.value(configs[name], {})))
    return found


def _own(config: Mapping[str, str]) -> Mapping[str, str]:
    """Without settings of other types of groups, which do nothing for a share group and cannot be declared."""
    return {key: value for key, value in config.items() if key.startswith("share.")}


def without(found: ShareGroups, topics: Collection[str]) -> ShareGroups:
    return {
        name: replace(group, topics=tuple(topic for topic in group.topics if topic not in topics))
        for name, group in found.items()
    }


def sayable(found: ShareGroups) -> tuple[ShareGroups, tuple[str, ...]]:
    return sayable_names("share group", found)


def sections(found: ShareGroups) -> Mapping[str, Mapping[str, object]]:
    written = {name: _written(group) for name, group in found.items() if group.topics}
    return {"groups.yaml": {"shareGroups": written}} if written else {}


def _written(group: FoundShareGroup) -> Plain:
    written: Plain = {"topics": list(group.topics)}
    if group.config:
        written["groupConfig"] = written_config(group.config)
    return written


def listed(found: ShareGroups) -> Iterator[tuple[str, str]]:
    return ((name, name) for name, group in found.items() if group.topics)


def notes(found: ShareGroups) -> Iterator[str]:
    silent = ", ".join(name for name, group in found.items() if not group.topics)
    if silent:
        yield f"share groups left out, because they have no members and no start offsets: {silent}"


IMPORTER: Importer[ShareGroups] = Importer(
    "share-groups",
    {},
    take,
    sections,
    listed,
    sayable,
    notes,
    limited_by="groups",
    names=lambda found: found,
    without=without,
    about="share groups with members or start offsets, which show what each group reads, and the settings of the group",
)
