"""The pure core: compares a snapshot with the topology and returns findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafka_topology.topology.model.words import counted, listed

from ..provider.resources.descriptor import installed_kinds
from ..topology.model.findings import in_reading_order
from .registry import subjects

if TYPE_CHECKING:
    from ..topology.model.declared import Topology
    from ..topology.model.findings import Finding
    from .snapshot import Snapshot
    from .subject import Options


@dataclass(frozen=True, slots=True)
class Audit:
    """`unread` says what could not be read or compared, and why."""

    findings: tuple[Finding, ...]
    unread: tuple[str, ...] = ()


def audit(topology: Topology, live: Snapshot, options: Options | None = None) -> Audit:
    """Compares only what the topology declares. `options` holds the options of the checks, by id."""
    findings = [found for subject in subjects() for found in subject.compare(topology, live, options or {})]
    return Audit(in_reading_order(findings), (*_unread(topology, live), *_not_compared(topology)))


def _unread(topology: Topology, live: Snapshot) -> Iterator[str]:
    observed = {each.name: each for subject in subjects() for each in subject.reads}
    for each in observed.values():
        yield from each.unread(topology, live.of(each))


def _not_compared(topology: Topology) -> Iterator[str]:
    """Declared resources of kinds that no subject compares. Nobody looked at them, so they are not clean."""
    compared = {kind for subject in subjects() for kind in subject.kinds}
    for kind in installed_kinds().values():
        if kind.name not in compared and (names := [each.name for each in kind.desired(topology)]):
            yield (
                f"{counted(len(names), 'resource')} of the kind {kind.name} ({listed(names)}): "
                "an audit does not compare this kind"
            )
