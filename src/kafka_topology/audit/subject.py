"""How a subject of an audit describes itself: what it reads, which checks it makes, and which kinds it compares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from ..topology.model.declared import Topology
    from ..topology.model.findings import Finding
    from .check import Check
    from .snapshot import Observation, Snapshot

Options: TypeAlias = Mapping[str, Mapping[str, object]]
"""The options of checks, by the id of the check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """`order` sorts the subjects in docs, and what could not be read in reports.

    `kinds` are the kinds of resources that it compares, by the names of their descriptors. What a topology declares of
    a kind that no subject compares is reported as unchecked. `words` are what its findings call resources.
    `compares` has its rows in the docs.
    """

    order: int
    words: tuple[str, ...]
    compares: Mapping[str, str]
    reads: tuple[Observation[Any], ...]
    checks: tuple[Check, ...]
    compare: Callable[[Topology, Snapshot, Options], Iterable[Finding]]
    kinds: tuple[str, ...] = ()


def without_options(
    compare: Callable[[Topology, Snapshot], Iterable[Finding]],
) -> Callable[[Topology, Snapshot, Options], Iterable[Finding]]:
    """For a subject whose checks have no options."""
    return lambda topology, live, _: compare(topology, live)
