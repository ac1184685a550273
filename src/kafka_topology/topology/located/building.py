"""Builds the model's values from entries, and collects findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..model.findings import Finding, Severity
from .entries import BROKEN, Entry


@dataclass(slots=True)
class Building:
    """The findings so far."""

    findings: list[Finding] = field(default_factory=list)

    def missing(self, entry: Entry, name: str, why: str, fix: str) -> None:
        message = f"`{name}` is missing: {why}"
        self.findings.append(Finding("KT003", Severity.ERROR, message, entry.location, "", fix))

    def not_exactly_one(self, entry: Entry, title: str, names: tuple[str, ...]) -> None:
        found = " and ".join(f"`{name}`" for name in names if name in entry.value)
        message = f"{title} takes exactly one of {', '.join(names)}; found {found or 'none'}"
        fix = "keep exactly one" if found else f"add `{'` or `'.join(names)}`"
        self.findings.append(Finding("KT003", Severity.ERROR, message, entry.location, "", fix))


class Incomplete(Exception):
    """A required field is missing, so nothing can be built. The finding was reported."""


def build(kind: Any, entry: Entry, building: Building) -> Any:
    """The model's value of an entry. Raises Incomplete if it could not be read."""
    if entry.value is BROKEN:
        raise Incomplete
    builder = getattr(kind, "build", None)
    return entry.value if builder is None else builder(entry, building)


def build_each(kind: Any, entries: Iterable[tuple[Any, Entry]], building: Building) -> dict[Any, Any]:
    """All items. Builds every one before it raises Incomplete, so findings of all are reported."""
    built: dict[Any, Any] = {}
    incomplete = False
    for name, entry in entries:
        try:
            built[name] = build(kind, entry, building)
        except Incomplete:
            incomplete = True
    if incomplete:
        raise Incomplete
    return built
