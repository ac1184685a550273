"""Consumer groups of a cluster for an import: those that have committed offsets."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from kafka_topology.cluster.outcomes import Failure, FailureKind

from ..importer import Importer, Plain, askable, sayable_names, written_config
from .inputs import GROUP_INPUTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.cluster.cluster import Cluster
    from kafka_topology.provider.config.settings import Owned

    from ..importer import Reading


@dataclass(frozen=True, slots=True)
class FoundGroup:
    """The topics of a group are those on which it has committed offsets.

    A group `of_applications` has members that are no consumers, such as those of the streams protocol.
    """

    topics: tuple[str, ...]
    config: Mapping[str, str] = field(default_factory=dict)
    of_applications: bool = False


Groups: TypeAlias = Mapping[str, FoundGroup]


def take(cluster: Cluster, owned: Owned, reading: Reading) -> Groups:
    def inside(names: Collection[str]) -> list[str]:
        return sorted(name for name in names if GROUP_INPUTS.why_outside(name, owned.groups) is None)

    every = inside(reading.value(reading.one(cluster.survey.group_names), frozenset()))
    names = askable(every)
    apart = inside(reading.value(reading.one(cluster.survey.application_names), frozenset()))
    unused = inside(reading.value(reading.one(cluster.survey.groups_with_settings_only), frozenset()))
    read = reading.each(names, cluster.survey.topics_read)
    found = {name: FoundGroup(()) for name in every}
    for name, config in reading.each([*names, *askable(unused)], cluster.groups.group_configs).items():
        # Brokers before Kafka 4 have no config for groups.
        is_unknown = isinstance(config, Failure) and config.kind is FailureKind.REJECTED
        topics = reading.value(read[name], ()) if name in read else ()
        found[name] = FoundGroup(topics, {} if is_unknown else reading.value(config, {}))
    return found | {name: FoundGroup((), of_applications=True) for name in apart}


def without(found: Groups, topics: Collection[str]) -> Groups:
    return {
        name: replace(group, topics=tuple(topic for topic in group.topics if topic not in topics))
        for name, group in found.items()
    }


def sayable(found: Groups) -> tuple[Groups, tuple[str, ...]]:
    return sayable_names("group", found)


def sections(found: Groups) -> Mapping[str, Mapping[str, object]]:
    written = {name: _written(group) for name, group in found.items() if group.topics}
    return {"groups.yaml": {"consumerGroups": written}}


def _written(group: FoundGroup) -> Plain:
    written: Plain = {"topics": list(group.topics)}
    if group.config:
        written["groupConfig"] = written_config(group.config)
    return written


def listed(found: Groups) -> Iterator[tuple[str, str]]:
    return ((name, name) for name, group in found.items() if group.topics)


def notes(found: Groups) -> Iterator[str]:
    apart = ", ".join(name for name, group in found.items() if group.of_applications)
    if apart:
        yield f"groups left out, because their members are applications and not consumers: {apart}"
    silent = ", ".join(
        f"{name} ({_in_words(group.config)})" if group.config else name
        for name, group in found.items()
        if not group.topics and not group.of_applications
    )
    if silent:
        yield f"groups left out, because they have committed no offsets, so nothing says what they read: {silent}"


def _in_words(config: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(config.items()))


IMPORTER: Importer[Groups] = Importer(
    "groups",
    {},
    take,
    sections,
    listed,
    sayable,
    notes,
    limited_by="groups",
    names=lambda found: found,
    without=without,
    about="groups with committed offsets, which show what each group reads, and the settings of the group",
)
