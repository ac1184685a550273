"""Which of the given prefixes fit nothing on the cluster. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafka_topology.topology.model.words import named

from .inventory import importers

if TYPE_CHECKING:
    from ..provider.config.settings import Owned
    from .inventory import Inventory

SECTIONS = ("topics", "groups", "principals")


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A prefix that nothing of what was read has. `searched` was read, `left_out` was not."""

    section: str
    prefix: str
    searched: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        return f"--{self.section} {self.prefix}"

    @property
    def warning(self) -> str:
        if not self.searched:
            return f"{self.option} was not compared with the cluster, because {named(self.left_out)} were left out"
        but = f", and {named(self.left_out)} were left out" if self.left_out else ""
        return (
            f"{self.option} matches nothing in {named(self.searched)}{but}; check the prefix, and whether the client "
            "may describe what has it"
        )


@dataclass(frozen=True, slots=True)
class Matches:
    unmatched: tuple[Unmatched, ...]
    given: int

    @property
    def are_none(self) -> bool:
        """Whether prefixes were given, all were compared with everything they limit, and none matches."""
        return 0 < self.given == len(self.unmatched) and not any(each.left_out for each in self.unmatched)


def matches(found: Inventory, owned: Owned) -> Matches:
    given = {section: tuple(dict.fromkeys(getattr(owned, section) or ())) for section in SECTIONS}
    return Matches(
        tuple(each for section, prefixes in given.items() for each in _unmatched(found, section, prefixes)),
        sum(len(prefixes) for prefixes in given.values()),
    )


def _unmatched(found: Inventory, section: str, prefixes: tuple[str, ...]) -> Iterator[Unmatched]:
    limited = {kind: importer for kind, importer in importers() if importer.limited_by == section}
    called = {kind: importer.part or section for kind, importer in limited.items()}
    names = [name for kind in limited if kind in found.found for name in limited[kind].names(found.found[kind])]
    for prefix in prefixes:
        if not any(name.startswith(prefix) for name in names):
            yield Unmatched(
                section,
                prefix,
                tuple(part for kind, part in called.items() if kind in found.found),
                tuple(part for kind, part in called.items() if kind not in found.found),
            )
