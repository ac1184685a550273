"""How a subject of an audit describes itself: what it reads, which checks it makes, and which kinds it compares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from ..topology.model.units import parse_duration

if TYPE_CHECKING:
    from ..topology.model.declared import Topology
    from ..topology.model.findings import Finding
    from .check import Check
    from .observing.snapshot import Observation, Snapshot

Options: TypeAlias = Mapping[str, Mapping[str, object]]
"""The options of checks, by the id of the check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """`order` sorts the subjects in docs, and what could not be read in reports.

    `kinds` are the kinds of resources that it compares, by the names of their descriptors. What a topology declares of
    a kind that no subject compares is reported as unchecked. `words` are what its findings call resources.
    `compares` has its rows in the docs. A subject `is_health` if it is about the cluster itself, and not about what is
    declared: nothing is read for it if all its checks are off.
    """

    order: int
    words: tuple[str, ...]
    compares: Mapping[str, str]
    reads: tuple[Observation[Any], ...]
    checks: tuple[Check, ...]
    compare: Callable[[Topology, Snapshot, Options], Iterable[Finding]]
    kinds: tuple[str, ...] = ()
    is_health: bool = False

    def is_off(self, topology: Topology) -> bool:
        settings = (topology.rules.get(check.id) for check in self.checks)
        return self.is_health and all(each is not None and each.severity == "off" for each in settings)


def without_options(
    compare: Callable[[Topology, Snapshot], Iterable[Finding]],
) -> Callable[[Topology, Snapshot, Options], Iterable[Finding]]:
    """For a subject whose checks have no options."""
    return lambda topology, live, _: compare(topology, live)


def _option(options: Options, check: Check, name: str) -> object:
    default = next(row[1] for row in check.options if row[0] == name)
    return options.get(check.id, {}).get(name, default)


def number_option(options: Options, check: Check, name: str) -> float:
    value = _option(options, check, name)
    assert isinstance(value, int | float)  # noqa: S101 - the engine has checked it
    return value


def duration_option(options: Options, check: Check, name: str) -> timedelta:
    milliseconds = parse_duration(str(_option(options, check, name)))
    assert milliseconds is not None  # noqa: S101 - the engine has checked it
    return timedelta.max if milliseconds < 0 else timedelta(milliseconds=milliseconds)


def texts_option(options: Options, check: Check, name: str) -> tuple[str, ...]:
    value = _option(options, check, name)
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),)
