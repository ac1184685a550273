"""Remembers what the program declares in one run of the engine, because nothing that it declares may be deleted.

The engine identifies resources by URN, Kafka by name. When a URN changes, the new resource adopts the thing on the
cluster, and then the engine deletes the old resource, which is the same thing. The engine checks every resource of the
program before it deletes anything, so whatever has been checked here is still wanted, under any URN.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from kafka_topology.cluster.outcomes import Failure, FailureKind

from ..resources.base import OperationError

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

Part = TypeVar("Part", bound="Hashable")


@dataclass(frozen=True, slots=True)
class Kept:
    """The parts that a deletion must leave alone, and the resources that declare them."""

    parts: frozenset[Hashable] = frozenset()
    urns: tuple[str, ...] = ()


class Run:
    """The resources of a run by URN; `parts` are the things on the cluster that one declares, such as its ACLs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._declared: dict[str, frozenset[Hashable]] = {}
        self._by_part: defaultdict[Hashable, set[str]] = defaultdict(set)
        self._in_state: set[str] = set()
        self._created: set[str] = set()
        self._failed: set[str] = set()
        self._settled: set[str] = set()
        self._gone: set[str] = set()
        self._removed: dict[Hashable, str] = {}
        self.has_read = False

    def declare(self, urn: str, parts: frozenset[Hashable]) -> None:
        with self._lock:
            for part in self._declared.get(urn, frozenset()) - parts:
                self._by_part[part].discard(urn)
            for part in parts:
                self._by_part[part].add(urn)
            self._declared[urn] = parts

    def found_in_state(self, urns: Collection[str]) -> None:
        self._in_state.update(urns)

    def found_gone(self, urn: str) -> None:
        """Notes that a refresh did not find it: the engine removes it from the state and may create it again."""
        self._gone.add(urn)

    def created(self, urn: str) -> None:
        self._created.add(urn)

    def failed(self, urn: str) -> None:
        """Notes that its creation failed, so the state does not have it."""
        self._failed.add(urn)

    def have_failed(self, urns: Collection[str]) -> bool:
        """Whether none of them came into the state. With `--continue-on-error`, deletions follow all the same."""
        return bool(urns) and self._failed.issuperset(urns)

    def settled(self, urn: str) -> None:
        """Notes that it is unchanged or was changed in place, so the engine does not replace it."""
        self._settled.add(urn)

    def others(self, urn: str, parts: Collection[Hashable]) -> Kept:
        """The parts that another resource of this run declares."""
        with self._lock:
            found = {part: self._by_part[part] - {urn} for part in parts if self._by_part.get(part, set()) - {urn}}
        return Kept(frozenset(found), tuple(sorted({other for urns in found.values() for other in urns})))

    def kept(self, urn: str, parts: Collection[Hashable]) -> Kept:
        """The parts that deleting this resource must leave alone. A replaced resource still declares its own parts."""
        others = self.others(urn, parts)
        with self._lock:
            own = frozenset(part for part in parts if urn in self._by_part.get(part, ()))
        return Kept(others.parts | own, others.urns or ((urn,) if own else ()))

    def removing(self, urn: str, parts: Collection[Part]) -> frozenset[Part]:
        """The parts that may be removed now. A resource that declares one later in this run adds it again."""
        free = frozenset(parts) - self.others(urn, parts).parts
        with self._lock:
            self._removed |= dict.fromkeys(free, urn)
        return free

    def removed_before(self, parts: Collection[Hashable]) -> Kept:
        """The parts that another resource removed earlier in this run, and which resource that was."""
        found = {part: urn for part in parts if (urn := self._removed.get(part)) is not None}
        return Kept(frozenset(found), tuple(sorted({*found.values()})))

    def refuse_replacement(self, urn: str, what: str) -> None:
        """Raises if the state has the resource already: then its creation is the first half of a replacement."""
        if urn in self._in_state - self._gone:
            raise OperationError(Failure(FailureKind.REFUSED, why_not_replace(what)))

    def is_half_replaced(self, urn: str) -> bool:
        """Whether the engine deletes the resource in order to create it again.

        The engine also deletes leftovers of an interrupted replacement; then the resource itself is settled.
        """
        return urn in self._declared and urn not in self._created | self._settled


def why_not_replace(what: str) -> str:
    return (
        f"{what} is not replaced: a replacement would delete it, with its records, offsets or logins, and create an "
        "empty one. Nothing was changed. Remove '--replace' or 'replace_on_changes', or run 'pulumi state untaint' "
        "where the resource is tainted; a change then happens in place."
    )
