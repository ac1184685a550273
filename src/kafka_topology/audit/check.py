"""The checks of an audit as data, and the findings they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..topology.kafka.quantities import quantity_of
from ..topology.model.findings import Finding, Related, Severity
from ..topology.model.places import Place
from ..topology.model.units import parse_integer
from ..topology.model.words import escaped

if TYPE_CHECKING:
    from ..topology.model.declared import Topology
    from ..topology.model.places import Location


OptionRow: TypeAlias = tuple[str, object, str] | tuple[str, object, str, Literal["duration"]]
"""Name, default and meaning of an option. One of a duration is text with a unit, such as "30s"."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of an audit. `name` is the bad pattern; texts are Markdown.

    `transient` says that a restart, a rebalance or a reassignment causes it for a while: with a grace period, what it
    finds is reported only if it stays. What somebody configured, declared or lost is never transient.
    """

    id: str
    name: str
    severity: Severity
    summary: str
    why: str
    fix: str
    requirements: tuple[str, ...] = ()
    options: tuple[OptionRow, ...] = ()
    transient: bool = False


@dataclass(frozen=True, slots=True)
class About:
    """The resource that a finding is about, and where it is declared."""

    kind: str
    name: str
    declared: Location


def about_cluster(topology: Topology) -> About:
    return About("cluster", topology.cluster.name or "cluster", topology.cluster.location)


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
            related = (Related(about.declared, f"{escaped(about.name)} inherits it"),)
    return Finding(
        check.id,
        severity or check.severity,
        escaped(message),
        location,
        about.name,
        escaped(fix),
        related,
        evidence={"expected": expected, "actual": actual, **evidence},
        kind=about.kind,
    )


def value_text(setting: str, value: str | None) -> str:
    """The value as people write it: with a unit if the name of the setting implies one."""
    if value is None:
        return "not set"
    number = parse_integer(value)
    quantity = quantity_of(setting)
    if number is None or quantity is None or number < (-1 if quantity.measure == "duration" else 0):
        return value
    return quantity.format(number)
