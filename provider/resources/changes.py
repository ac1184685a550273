"""What the engine is told about a resource before anything is applied: failures and changes."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from .properties import Value


class ChangeKind(StrEnum):
    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """A property that changes in place. There is no other way: nothing here is ever replaced."""

    path: str
    kind: ChangeKind


@dataclass(frozen=True, slots=True)
class CheckFailure:
    """Why an input is refused, and what to do instead."""

    property: str
    reason: str


@dataclass(frozen=True, slots=True)
class Checked:
    """Inputs ready to be applied, or the reasons why they are not."""

    inputs: Mapping[str, Value]
    failures: tuple[CheckFailure, ...] = ()


def unknown_inputs(inputs: Collection[str], known: Collection[str]) -> Iterator[CheckFailure]:
    for name in inputs:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else f" Known: {', '.join(sorted(known))}."
            yield CheckFailure(name, f"there is no property '{name}'.{hint}")


def change_between(path: str, old: object, new: object) -> Iterator[PropertyChange]:
    """The change of one property, where None means that it is not set."""
    if old == new:
        return
    if old is None:
        yield PropertyChange(path, ChangeKind.ADD)
    elif new is None:
        yield PropertyChange(path, ChangeKind.DELETE)
    else:
        yield PropertyChange(path, ChangeKind.UPDATE)
