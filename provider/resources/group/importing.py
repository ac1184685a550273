"""Consumer groups of a cluster for an import: those that have committed offsets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from kafka_topology.cluster.outcomes import Failure, FailureKind

from ..importer import Importer, Plain, is_odd, left_out, written_config
from .inputs import why_outside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.cluster.cluster import Cluster
    from kafka_topology.provider.config.settings import Owned

    from ..importer import Reading


@dataclass(frozen=True, slots=True)
class FoundGroup:
    """The topics of a group are those on which it has committed offsets."""

    topics: tuple[str, ...]
    config: Mapping[str, str] = field(default_factory=dict)


Groups: TypeAlias = Mapping[str, FoundGroup]


def take(cluster: Cluster, owned: Owned, reading: Reading) -> Groups:
    every = reading.value(reading.one(cluster.survey.group_names), frozenset())
    names = sorted(name for name in every if why_outside(name, owned.groups) is None)
    read = reading.each(names, cluster.survey.topics_read)
    found: dict[str, FoundGroup] = {}
    for name, config in reading.each(names, cluster.groups.group_configs).items():
        # Brokers before Kafka 4 have no config for groups.
        is_unknown = isinstance(config, Failure) and config.kind is FailureKind.REJECTED
        found[name] = FoundGroup(reading.value(read[name], ()), {} if is_unknown else reading.value(config, {}))
    return found


def sayable(found: Groups) -> tuple[Groups, tuple[str, ...]]:
    kept = {name: group for name, group in found.items() if not is_odd(name)}
    return kept, tuple(left_out("group", name) for name in found if is_odd(name))


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
    silent = ", ".join(name for name, group in found.items() if not group.topics)
    if silent:
        yield f"groups left out, because they have committed no offsets, so nothing says what they read: {silent}"


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
    about="groups with committed offsets, which show what each group reads, and the settings of the group",
)
