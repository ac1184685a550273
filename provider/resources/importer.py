"""How an import reads the resources of a kind, writes them to files, and lists them for Pulumi."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from kafka_topology.cluster.outcomes import Failure, Outcome
from kafka_topology.topology.kafka.names import is_principal
from kafka_topology.topology.kafka.quantities import quantity_of
from kafka_topology.topology.model.placeholders import has_placeholder
from kafka_topology.topology.model.units import parse_integer
from kafka_topology.topology.model.words import LONGEST_NAME, escaped, fits_a_line, quoted

if TYPE_CHECKING:
    from kafka_topology.cluster.attempts import Patience
    from kafka_topology.cluster.cluster import Cluster
    from kafka_topology.provider.config.settings import Owned

T = TypeVar("T")
Found = TypeVar("Found")
Plain = dict[str, object]
CLUSTER_FILE = "cluster.yaml"
_SHOWN = 60  # characters of a name that is too long


class Reading:
    """Repeats unanswered reads, and collects the reasons why something could not be read, each once, on one line."""

    def __init__(self, patient: Patience) -> None:
        self.failures: dict[str, None] = {}
        self.each = patient.each
        self.one = patient.one

    def value(self, outcome: Outcome[T], instead: T) -> T:
        if isinstance(outcome, Failure):
            self.failures[escaped(outcome.message)] = None
            return instead
        return outcome


def nothing_odd(found: Found) -> tuple[Found, tuple[str, ...]]:
    return found, ()


def as_found(found: Found, topics: Collection[str]) -> Found:  # noqa: ARG001
    return found


def no_names(found: object) -> Iterable[str]:  # noqa: ARG001
    return ()


def no_notes(found: object) -> Iterable[str]:  # noqa: ARG001
    return ()


@dataclass(frozen=True, slots=True)
class Importer(Generic[Found]):
    """`part` is its name in `--without`, None if it is always read; `nothing` is the result for an empty cluster.

    `limited_by` is the section of the ownership whose prefixes limit it, and `names` returns the names that have them.
    `about` says in the docs what is imported. `without` leaves out these topics.

    `sections` returns the YAML sections by file. `listed` returns the names that the program registers, with the ids
    that Pulumi imports. `sayable` leaves out what no file can hold, with a note for each.
    """

    part: str | None
    nothing: Found
    take: Callable[[Cluster, Owned, Reading], Found]
    sections: Callable[[Found], Mapping[str, Mapping[str, object]]]
    listed: Callable[[Found], Iterable[tuple[str, str]]]
    sayable: Callable[[Found], tuple[Found, tuple[str, ...]]] = nothing_odd
    notes: Callable[[Found], Iterable[str]] = no_notes
    ownership: Callable[[Found, Owned], Plain] | None = None  # writes the section `ownership`, for one kind
    limited_by: Literal["topics", "groups", "principals"] | None = None
    names: Callable[[Found], Iterable[str]] = no_names
    about: str = ""
    without: Callable[[Found, Collection[str]], Found] = as_found


def why_unsayable(name: str) -> str | None:
    """Why our files cannot hold this name, or None if they can."""
    if not name.strip():
        return "is empty" if not name else "is blank"
    if not name.isprintable():
        return "has a control character"
    if has_placeholder(name):
        return "has a part that files take for a placeholder, `${each`"
    return None if fits_a_line(name) else f"is longer than {LONGEST_NAME:,} characters"


def why_unsayable_principal(principal: str) -> str | None:
    """Why our files cannot hold this principal, or None if they can."""
    return why_unsayable(principal) or (None if is_principal(principal) else "has no type or no name")


def askable(names: Iterable[str]) -> list[str]:
    """Those that can be asked for by name. Kafka 4.1 has groups whose id is empty, and clients refuse to name them."""
    return [name for name in names if name]


def sayable_names(what: str, found: Mapping[str, T]) -> tuple[Mapping[str, T], tuple[str, ...]]:
    """Those that a file can hold, and a note for each other one."""
    kept: dict[str, T] = {}
    notes: list[str] = []
    for name, each in found.items():
        why = why_unsayable(name)
        if why is None:
            kept[name] = each
        else:
            shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
            notes.append(f"{what} {quoted(shown)} left out, because its name {why}")
    return kept, tuple(notes)


def unused(name: str, taken: Mapping[str, object]) -> str:
    number = 2
    chosen = name
    while chosen in taken:
        chosen, number = f"{name}-{number}", number + 1
    return chosen


def written_config(config: Mapping[str, str]) -> Plain:
    return {name: _value(name, text) for name, text in sorted(config.items())}


def _value(name: str, text: str) -> object:
    """The value with a unit if that is shorter; else unchanged, with numbers as numbers."""
    number = parse_integer(text)
    if number is None or str(number) != text:
        return text == "true" if text in {"true", "false"} else text
    quantity = quantity_of(name)
    shown = quantity.format(number) if quantity is not None and number >= 0 else text
    return shown if len(shown) < len(text) else number
