"""What every kind of resource offers to the servicer, and the words in which it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from .outcomes import Failure, Outcome

if TYPE_CHECKING:
    from .changes import Checked, PropertyChange
    from .properties import Properties

T = TypeVar("T")


class OperationError(Exception):
    """An operation that did not happen, for a reason that the user can act on."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def value_of(outcome: Outcome[T]) -> T:
    """The value, or the failure as an error that the servicer translates."""
    if isinstance(outcome, Failure):
        raise OperationError(outcome)
    return outcome


@dataclass(frozen=True, slots=True)
class State:
    """A resource as the engine keeps it. `unfinished` makes the next run complete it; `notes` are worth knowing."""

    id: str
    inputs: Properties
    properties: Properties
    warnings: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Old:
    """What the engine kept of a resource from the last run."""

    id: str
    inputs: Properties
    properties: Properties


class Kind(Protocol):
    """Check and diff are pure. The others talk to the cluster and raise OperationError."""

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked: ...

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]: ...

    async def preview_create(self, new: Properties) -> State: ...

    async def create(self, new: Properties, timeout: float) -> State: ...

    async def preview_update(self, old: Old, new: Properties) -> State: ...

    async def update(self, old: Old, new: Properties, timeout: float) -> State: ...

    async def read(self, old: Old) -> State | None: ...

    async def delete(self, old: Old, timeout: float) -> None: ...
