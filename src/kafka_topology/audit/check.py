"""The checks of an audit as data, and the findings they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..topology.model.findings import Finding, Related, Severity
from ..topology.model.places import Place
from ..topology.model.units import format_duration, format_size, parse_integer

if TYPE_CHECKING:
    from ..topology.model.places import Location


@dataclass(frozen=True, slots=True)
class Check:
    """One check of an audit. `name` is the bad pattern; texts are Markdown."""

    id: str
    name: str
    severity: Severity
    summary: str
    why: str
    fix: str
    requirements: tuple[str, ...] = ()
    options: tuple[tuple[str, object, str], ...] = ()  # name, default, meaning


@dataclass(frozen=True, slots=True)
class About:
    """The resource that a finding is about, and where it is declared."""

    kind: str
    name: str
    declared: Location


def found(
    check: Check,
    about: About,
    at: Place | Location,
    message: str,
    fix: str,
    *,
    expected: object = None,
    actual: object = None,
    severity: Severity | None = None,
    **evidence: object,
) -> Finding:
    """A finding about an inherited value points at the place that sets it, and names the resource that inherits it."""
    related: tuple[Related, ...] = ()
    location = at.location if isinstance(at, Place) else at
    if isinstance(at, Place) and at.is_inherited:
        message = f"{message} (set by {at})"
        if about.declared != location:
            related = (Related(about.declared, f"{about.name} inherits it"),)
    return Finding(
        check.id,
        severity or check.severity,
        message,
        location,
        about.name,
        fix,
        related,
        evidence={"expected": expected, "actual": actual, **evidence},
        kind=about.kind,
    )


def value_text(setting: str, value: str | None) -> str:
    """The value as people write it: with a unit if the name of the setting implies one."""
    if value is None:
        return "not set"
    number = parse_integer(value)
    if number is None or number < -1:
        return value
    if setting.endswith(".ms"):
        return format_duration(number)
    return format_size(number) if setting.endswith(".bytes") and number >= 0 else value
