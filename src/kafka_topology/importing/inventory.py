"""Reads everything on a cluster that an import can write to files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ..cluster.attempts import patience
from ..provider.resources.descriptor import installed_kinds
from ..provider.resources.importer import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..cluster.cluster import Cluster
    from ..provider.config.settings import Owned
    from ..provider.resources.importer import Importer

# The broker settings that rules use.
DEFAULTS: Final = (
    "auto.create.topics.enable",
    "min.insync.replicas",
    "offsets.topic.replication.factor",
    "transaction.state.log.replication.factor",
)


def importers() -> Iterator[tuple[str, Importer[Any]]]:
    """The kinds that an import reads, by name."""
    return ((kind.name, kind.importer) for kind in installed_kinds().values() if kind.importer is not None)


def parts() -> tuple[str, ...]:
    """What an import can leave out."""
    return tuple(importer.part for _, importer in importers() if importer.part is not None)


@dataclass(frozen=True, slots=True)
class Inventory:
    """`found` has the result of each kind's importer, by the name of the kind.

    `unread` says what could not be read, and why; if it is not empty, the inventory is incomplete.
    """

    brokers: Mapping[int, str | None] = field(default_factory=dict)
    controllers: int | None = None
    defaults: Mapping[str, str] = field(default_factory=dict)  # those that are equal on all brokers
    found: Mapping[str, Any] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    def of(self, kind: str) -> Any:
        """What was found of this kind; the importer's `nothing` if it was not read."""
        return self.found[kind] if kind in self.found else dict(importers())[kind].nothing


def take_inventory(cluster: Cluster, owned: Owned, without: frozenset[str] = frozenset()) -> Inventory:
    """Reads everything inside the ownership, except the parts in `without`."""
    reading = Reading(patience(cluster.patience))
    brokers = reading.value(reading.one(cluster.replicas.brokers), {})
    configs = [reading.value(each, {}) for each in reading.each(brokers, cluster.survey.broker_configs).values()]
    return Inventory(
        brokers=brokers,
        controllers=reading.value(reading.one(cluster.survey.controllers), None),
        defaults={
            key: configs[0][key]
            for key in DEFAULTS
            if configs and len({config.get(key) for config in configs}) == 1 and key in configs[0]
        },
        found={
            kind: importer.take(cluster, owned, reading)
            for kind, importer in importers()
            if importer.part not in without
        },
        unread=tuple(reading.failures),
    )
