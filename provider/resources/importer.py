"""How an import reads the resources of a kind, writes them to files, and lists them for Pulumi."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from kafka_topology.cluster.outcomes import Failure, Outcome
from kafka_topology.topology.model.units import format_duration, format_size, parse_integer

if TYPE_CHECKING:
    from kafka_topology.cluster.attempts import Patience
    from kafka_topology.cluster.cluster import Cluster
    from kafka_topology.provider.config.settings import Owned

T = TypeVar("T")
Found = TypeVar("Found")
Plain = dict[str, object]
CLUSTER_FILE = "cluster.yaml"


class Reading:
    """Repeats unanswered reads, and collects the reasons why something could not be read, each once."""

    def __init__(self, patient: Patience) -> None:
        self.failures: dict[str, None] = {}
        self.each = patient.each
        self.one = patient.one

    def value(self, outcome: Outcome[T], instead: T) -> T:
        if isinstance(outcome, Failure):
            self.failures[outcome.message] = None
            return instead
        return outcome


def nothing_odd(found: Found) -> tuple[Found, tuple[str, ...]]:
    return found, ()


def no_names(found: object) -> Iterable[str]:  # noqa: ARG001
    return ()


def no_notes(found: object) -> Iterable[str]:  # noqa: ARG001
    return ()


@dataclass(frozen=True, slots=True)
class Importer(Generic[Found]):
    """`part` is its name in `--without`, None if it is always read; `nothing` is the result for an empty cluster.

    `limited_by` is the section of the ownership whose prefixes limit it, and `names` returns the names that have them.
    `about` says in the docs what is imported.

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


def is_odd(name: str) -> bool:
    """Whether it has a line break or another control character, which our files cannot hold."""
    return not name.isprintable()


def left_out(what: str, name: str) -> str:
    return f"{what} {name!r} left out, because its name has a control character"


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
    formats = {".ms": format_duration, ".bytes": format_size}
    shown = next((form(number) for end, form in formats.items() if name.endswith(end) and number >= 0), text)
    return shown if len(shown) < len(text) else number
