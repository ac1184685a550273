"""Entries to the model's values, and the problems met on the way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .entries import BROKEN, Entry
from .findings import Finding, Severity


@dataclass(slots=True)
class Building:
    """The problems met while entries become the model."""

    findings: list[Finding] = field(default_factory=list)

    def lacks(self, entry: Entry, name: str, needed: str, remediation: str) -> None:
        message = f"`{name}` is missing: {needed}"
        self.findings.append(Finding("KT003", Severity.ERROR, message, entry.location, "", remediation))

    def not_exactly_one(self, entry: Entry, title: str, names: tuple[str, ...]) -> None:
        found = " and ".join(f"`{name}`" for name in names if name in entry.value) or "none"
        message = f"{title} takes exactly one of {', '.join(names)}; found {found}"
        self.findings.append(Finding("KT003", Severity.ERROR, message, entry.location, "", "keep exactly one"))


class Incomplete(Exception):
    """Something lacks a required field; the problem was reported, and it cannot be built."""


def build(kind: Any, entry: Entry, building: Building) -> Any:
    """The model's value of an entry: plain for a scalar, built from its parts for everything else."""
    if entry.value is BROKEN:
        raise Incomplete
    builder = getattr(kind, "build", None)
    return entry.value if builder is None else builder(entry, building)


def build_each(kind: Any, entries: Iterable[tuple[Any, Entry]], building: Building) -> dict[Any, Any]:
    """All items. One that is incomplete does not hide what is wrong with the others."""
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
