"""Failures and changes that the engine gets before anything is applied."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from kafka_topology.topology.model.words import nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ..plugin.properties import Value


class ChangeKind(StrEnum):
    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """A property that changes in place. Nothing is ever replaced."""

    path: str
    kind: ChangeKind


@dataclass(frozen=True, slots=True)
class CheckFailure:
    """Why an input is refused, and what to do instead."""

    property: str
    reason: str


@dataclass(frozen=True, slots=True)
class Checked:
    """Inputs ready to be applied, or the reasons why they are not. Warnings refuse nothing."""

    inputs: Mapping[str, Value]
    failures: tuple[CheckFailure, ...] = ()
    warnings: tuple[str, ...] = ()


def unknown_inputs(inputs: Collection[str], known: Collection[str]) -> Iterator[CheckFailure]:
    for name in inputs:
        if name not in known:
            near = nearest(name, known)
            hint = f" Did you mean '{near}'?" if near else f" Known: {', '.join(sorted(known))}."
            yield CheckFailure(name, f"there is no property '{name}'.{hint}")


def change_between(path: str, old: object, new: object) -> Iterator[PropertyChange]:
    """The change of one property; None means that it is not set."""
    if old == new:
        return
    if old is None:
        yield PropertyChange(path, ChangeKind.ADD)
    elif new is None:
        yield PropertyChange(path, ChangeKind.DELETE)
    else:
        yield PropertyChange(path, ChangeKind.UPDATE)
