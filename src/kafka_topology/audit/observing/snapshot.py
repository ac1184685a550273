"""What an audit saw of a cluster at one moment. A failure says what could not be read, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from kafka_topology.topology.model.words import listed

from ...cluster.outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from ...cluster.attempts import Patience
    from ...cluster.cluster import Cluster
    from ...topology.model.declared import Topology

T = TypeVar("T")
_NAMED: Final = 3
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


def of_each(noun: str, what: str = "") -> Callable[[Topology, Mapping[Any, object]], Iterator[str]]:
    """What is missing of things that are read one by one: one line for each kind of failure.

    `what` is read of them: "the settings of", for example.
    """
    return lambda _, seen: alike(noun, seen, what)


def alike(noun: str, outcomes: Mapping[Any, object], what: str = "") -> Iterator[str]:
    by_kind: dict[FailureKind, dict[Any, Failure]] = {}
    for key, outcome in outcomes.items():
        # A missing topic is a finding. A missing group or user is not a failure.
        if isinstance(outcome, Failure) and outcome.kind is not FailureKind.MISSING:
            by_kind.setdefault(outcome.kind, {})[key] = outcome
    for failures in by_kind.values():
        first = next(iter(failures.values()))
        if len(failures) == 1:
            yield first.message
        else:
            names = listed([_text(key) for key in sorted(failures)], _NAMED)
            part = f"{what} " if what else ""
            yield f"reading {part}{len(failures):,} {noun} ({names}): {first.reason or first.message}"


def _text(key: object) -> str:
    """A name, a number, or the parts of a partition, which may be that of a group."""
    return " ".join(map(_text, key)) if isinstance(key, tuple) else str(key)


@dataclass(frozen=True, slots=True)
class Observation(Generic[T]):
    """One thing that an audit reads. `unread` says what is missing of it, and why.

    One that `is_first` gets the whole time of the command, because its silence alone is a finding.
    """

    name: str
    take: Callable[[Survey], T]
    unread: Callable[[Topology, T], Iterable[str]] = of_all
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was read, by the name of the observation."""

    seen: Mapping[str, Any]

    def of(self, asked: Observation[T]) -> T:
        """What was seen. Raises KeyError if no subject reads it: nothing counts as seen by default."""
        found: T = self.seen[asked.name]
        return found
