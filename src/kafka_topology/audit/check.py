"""What an audit looks at, as data, and how it says what it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...topology.findings import Finding, Related, Severity
from ...topology.places import Place
from ...topology.units import format_duration, format_size, parse_integer

if TYPE_CHECKING:
    from collections.abc import Collection

    from ...topology.places import Location

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that an audit looks at. `name` is the bad pattern; texts are Markdown."""

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
    """A value that was inherited is reported where it was set, with the resource that has it."""
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


def listed(items: Collection[object], most: int = SHOWN) -> str:
    """`a, b and 3 more`."""
    shown = [str(item) for item in items][: most if len(items) > most else None]
    more = f" and {len(items) - most:,} more" if len(items) > most else ""
    return ", ".join(shown) + more


def plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def value_text(setting: str, value: str | None) -> str:
    """A setting's value as people write it: with a unit, where its name says that it has one."""
    if value is None:
        return "not set"
    number = parse_integer(value)
    if number is None or number < -1:
        return value
    if setting.endswith(".ms"):
        return format_duration(number)
    return format_size(number) if setting.endswith(".bytes") and number >= 0 else value
