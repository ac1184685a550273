"""The resources of a Pulumi program as a topology that rules can judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from kafka_topology.provider.plugin.judging import Judged
from kafka_topology.provider.resources.descriptor import installed_kinds
from kafka_topology.provider.resources.parts import Part, PropertyPlaces
from kafka_topology.topology.model.declared import Cluster, Ownership, RuleSetting, Topology

# The place of things that no resource declares: the cluster, and the provider's choice of rules.
NOWHERE: Final = PropertyPlaces("").places(lambda _: "")
_LISTS: Final = frozenset(field.name for field in fields(Topology) if field.default == ())


def part_of(resource: Judged) -> Part | None:
    """None for a kind that no rule judges, and while a value that every rule needs is unknown."""
    part = installed_kinds()[resource.kind].part
    return part(resource, PropertyPlaces(resource.urn)) if part is not None else None


def topology_of(parts: Iterable[Part], rules: Mapping[str, RuleSetting]) -> Topology:
    """One topology of all parts, without a declared cluster. Of two parts with one name, the last one counts."""
    declared: dict[str, list[Any]] = {}
    for part in parts:
        section = installed_kinds()[part.source.kind].section
        if section is not None:
            declared.setdefault(section, []).extend(part.declared)
    sections: dict[str, Any] = {
        section: tuple(each) if section in _LISTS else {one.name: one for one in each}
        for section, each in declared.items()
    }
    return Topology(
        place=NOWHERE,
        root=Path(),
        cluster=Cluster(place=NOWHERE),
        ownership=Ownership(place=NOWHERE),
        rules=rules,
        **sections,
    )
