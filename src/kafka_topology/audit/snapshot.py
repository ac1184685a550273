"""What an audit saw of a cluster at one moment. A failure says what could not be read, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from ..cluster.outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from ..cluster.attempts import Patience
    from ..cluster.cluster import Cluster
    from ..topology.model.declared import Topology

T = TypeVar("T")
Asked: TypeAlias = Outcome[T] | None
"""None: not read, because nothing is declared to compare it with."""


@dataclass(frozen=True, slots=True)
class Survey:
    """One survey of a cluster. An observation may need others: each is read once."""

    cluster: Cluster
    topology: Topology
    patient: Patience
    seen: dict[str, Any]

    def read(self, asked: Observation[T]) -> T:
        if asked.name not in self.seen:
            self.seen[asked.name] = asked.take(self)
        found: T = self.seen[asked.name]
        return found


def of_all(topology: Topology, seen: object) -> Iterator[str]:  # noqa: ARG001 - others need the topology
    """What is missing of something that is read as a whole."""
    if isinstance(seen, Failure):
        yield seen.message


def of_each(noun: str) -> Callable[[Topology, Mapping[Any, object]], Iterator[str]]:
    """What is missing of things that are read one by one: the first failure of a kind, and the number of the others."""
    return lambda _, seen: alike(noun, seen)


def alike(noun: str, outcomes: Mapping[Any, object]) -> Iterator[str]:
    by_kind: dict[FailureKind, list[str]] = {}
    for outcome in outcomes.values():
        # A missing topic is a finding. A missing group or user is not a failure.
        if isinstance(outcome, Failure) and outcome.kind is not FailureKind.MISSING:
            by_kind.setdefault(outcome.kind, []).append(outcome.message)
    for messages in by_kind.values():
        more = f", and {len(messages) - 1:,} more {noun}" if len(messages) > 1 else ""
        yield f"{messages[0]}{more}"


@dataclass(frozen=True, slots=True)
class Observation(Generic[T]):
    """One thing that an audit reads. `unread` says what is missing of it, and why."""

    name: str
    take: Callable[[Survey], T]
    unread: Callable[[Topology, T], Iterable[str]] = of_all


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was read, by the name of the observation."""

    seen: Mapping[str, Any]

    def of(self, asked: Observation[T]) -> T:
        """What was seen. Raises KeyError if no subject reads it: nothing counts as seen by default."""
        found: T = self.seen[asked.name]
        return found
