"""Reads everything on a cluster that an import can write to files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..cluster.outcomes import Failure
from ..provider.resources.descriptor import installed_kinds
from ..provider.resources.importer import Reading
from ..provider.resources.topic.inputs import is_owned as is_inside
from .brokers import uneven_settings, used_settings, with_down

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..cluster.cluster import Cluster
    from ..provider.config.settings import Owned
    from ..provider.resources.importer import Importer


def importers() -> Iterator[tuple[str, Importer[Any]]]:
    """The kinds that an import reads, by name."""
    return ((kind.name, kind.importer) for kind in installed_kinds().values() if kind.importer is not None)


def parts() -> tuple[str, ...]:
    """What an import can leave out."""
    return tuple(importer.part for _, importer in importers() if importer.part is not None)


@dataclass(frozen=True, slots=True)
class Inventory:
    """`found` has the result of each kind's importer, by the name of the kind.

    `unread` says what could not be read, and why; if it is not empty, the inventory is incomplete. `down` are brokers
    that do not run; `applications` has the topics that an application keeps for itself, with its name.
    """

    brokers: Mapping[int, str | None] = field(default_factory=dict)
    controllers: int | None = None
    version: str | None = None
    defaults: Mapping[str, str] = field(default_factory=dict)  # those that are equal on all brokers
    uneven: tuple[str, ...] = ()  # settings that differ between brokers
    down: tuple[int, ...] = ()
    applications: Mapping[str, str] = field(default_factory=dict)
    found: Mapping[str, Any] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    def of(self, kind: str) -> Any:
        """What was found of this kind; the importer's `nothing` if it was not read."""
        return self.found[kind] if kind in self.found else dict(importers())[kind].nothing


def take_inventory(
    cluster: Cluster, owned: Owned, without: frozenset[str] = frozenset(), *, of_applications: bool = False
) -> Inventory:
    """Reads everything inside the ownership, except the parts in `without`.

    Topics that an application keeps for itself are only named, unless they are asked for.
    """
    reading = Reading(cluster.patient())
    running = reading.value(reading.one(cluster.replicas.brokers), {})
    read = reading.each(running, cluster.survey.broker_configs)
    configs = [reading.value(each, {}) for each in read.values()]
    asked = reading.one(cluster.survey.kafka_version)
    version = None if isinstance(asked, Failure) else asked  # a note says so
    applications = {} if of_applications else reading.value(reading.one(cluster.survey.application_topics), {})
    found = {
        kind: importer.without(importer.take(cluster, owned, reading), applications)
        for kind, importer in importers()
        if importer.part not in without
    }
    placed = {broker for topic in found["Topic"] for part in topic.placement for broker in part.replicas}
    brokers = with_down(running, cluster.replicas.fenced(), placed)
    return Inventory(
        brokers=brokers,
        controllers=reading.value(reading.one(cluster.survey.controllers), None),
        version=version,
        defaults=used_settings(configs, version),
        uneven=uneven_settings(configs),
        down=tuple(sorted(brokers.keys() - running.keys())),
        applications={name: whose for name, whose in sorted(applications.items()) if is_inside(name, owned.topics)},
        found=found,
        unread=tuple(reading.failures),
    )
