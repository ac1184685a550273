"""Where the resources of a deployment are declared, or where the files lost them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ..cluster.live.quotas import Entity
from ..provider.resources.descriptor import installed_kinds
from ..topology.kafka.access import derived_acls
from ..topology.kafka.effective import EffectiveSettings
from ..topology.model.kinds import NAMED_KINDS
from ..topology.model.places import Location, Place
from ..validators.facts.changes import Changes
from ..validators.facts.indexes import Index

if TYPE_CHECKING:
    from ..topology.model.declared import Topology
    from .deployed import Key

_SECTIONS: Final = {kind.attribute: kind.section for kind in NAMED_KINDS}


@dataclass(frozen=True)
class Places:
    """Of the resources of `topology`, and of those that only the earlier version `before` has, if it is known."""

    topology: Topology
    before: Topology | None = None

    def of(self, key: Key) -> Location | None:
        """None for what is declared nowhere and whose former place nobody knows: a state has no lines."""
        found = self._declared.get(key)
        if found is not None or self.before is None or (was := self._lost.get(key)) is None:
            return found
        section = installed_kinds()[key[0]].section or ""
        at = self._compared.lost_at(_SECTIONS.get(section, section), was)
        return at.location if isinstance(at, Place) else at

    @cached_property
    def _declared(self) -> dict[Key, Location]:
        return dict(_located(self.topology))

    @cached_property
    def _lost(self) -> dict[Key, Location]:
        return dict(_located(self.before)) if self.before is not None else {}

    @cached_property
    def _compared(self) -> Changes:
        before = self.before or self.topology
        return Changes(before, self.topology, Index(self.topology, EffectiveSettings(self.topology)))


def _located(topology: Topology) -> Iterator[tuple[Key, Location]]:
    for kind in installed_kinds().values():
        section = getattr(topology, kind.section) if kind.section is not None else None
        if isinstance(section, Mapping):
            yield from (((kind.name, name), declared.location) for name, declared in section.items())
    yield from ((("Quota", Entity(each.user, each.client_id).id), each.location) for each in topology.quotas)
    # The first reason for any access of a principal; later ones must not replace it.
    yield from ((("Access", grant.principal), grant.place.location) for grant in reversed(derived_acls(topology)))
