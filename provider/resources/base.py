"""The interface of every kind of resource, and the code that all kinds share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

from kafka_topology.cluster.outcomes import Failure, FailureKind, Outcome

from ..plugin.properties import has_unknown, reveal

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from ..plugin.properties import Properties, Value
    from ..plugin.session import Session
    from .admin import Admin
    from .changes import Checked, PropertyChange

T = TypeVar("T")


class OperationError(Exception):
    """An operation that failed for a reason that the user can act on."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def value_of(outcome: Outcome[T]) -> T:
    """The value, or the failure as an error that the servicer translates."""
    if isinstance(outcome, Failure):
        raise OperationError(outcome)
    return outcome


def refuse(reason: str | None, kind: FailureKind = FailureKind.REFUSED) -> None:
    """Raises if there is a reason to refuse."""
    if reason is not None:
        raise OperationError(Failure(kind, reason))


@dataclass(frozen=True, slots=True)
class State:
    """A resource as the engine keeps it. With `unfinished`, the next run completes it; `notes` are for information.

    `gone` means that it is no longer on the cluster; the warnings say what follows from that.
    """

    id: str
    inputs: Properties
    properties: Properties
    warnings: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    gone: bool = False


def state_of(
    identity: Value,
    inputs: Properties,
    outputs: Mapping[str, Value],
    warnings: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> State:
    """The state of inputs and what the cluster adds to them. Without a known identity, it has no id."""
    plain = reveal(identity)
    return State(plain if isinstance(plain, str) else "", inputs, {**inputs, **outputs}, warnings, notes=notes)


@dataclass(frozen=True, slots=True)
class Old:
    """A resource in the state of the last run."""

    id: str
    inputs: Properties
    properties: Properties
    urn: str = ""


class Kind(Protocol):
    """Check and diff are pure. The others talk to the cluster and raise OperationError."""

    def named(self, inputs: Properties) -> str:
        """Its name in messages: `topic 'shop.orders'`."""

    def parts(self, inputs: Properties) -> frozenset[Hashable]:
        """The things on the cluster that these inputs declare; none while their names are unknown."""

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked: ...

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]: ...

    async def preview_create(self, new: Properties) -> State: ...

    async def create(self, new: Properties, timeout: float) -> State: ...

    async def preview_update(self, old: Old, new: Properties) -> State: ...

    async def update(self, old: Old, new: Properties, timeout: float) -> State: ...

    async def read(self, old: Old) -> State | None: ...

    async def preview_delete(self, old: Old) -> None:
        """Raises if `delete` would refuse, and changes nothing."""

    async def delete(self, old: Old, timeout: float, kept: frozenset[Hashable] = frozenset()) -> None:
        """Deletes all parts except those in `kept`, which others still declare. At least one part is deleted."""


Declared = TypeVar("Declared")
Live = TypeVar("Live")
Batches = TypeVar("Batches")


@dataclass(frozen=True, slots=True)
class Deletion(Generic[Declared]):
    declared: Declared
    old: Old
    deadline: float


class ResourceKind(ABC, Generic[Declared, Live, Batches]):
    """What all kinds share: check the ownership, read before creating, adopt only equal resources, limit deletions.

    Each kind adds the rest. `Live` is one resource as read from the cluster, and `Batches` gather calls into sets.
    """

    word: ClassVar[str] = ""  # the word before its name in messages
    identity: ClassVar[str] = "name"  # the input with its name in Kafka

    def __init__(self, session: Session) -> None:
        self._session = session
        self._batches: Batches | None = None

    def named(self, inputs: Properties) -> str:
        return f"{self.word} '{reveal(inputs.get(self.identity))}'"

    def parts(self, inputs: Properties) -> frozenset[Hashable]:
        name = reveal(inputs.get(self.identity))
        return frozenset({(self.word, name)}) if isinstance(name, str) else frozenset()

    @abstractmethod
    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked: ...

    @abstractmethod
    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]: ...

    @abstractmethod
    def parse(self, inputs: Properties) -> Declared:
        """Parses inputs that `check` has accepted and that have no unknown values."""

    @abstractmethod
    def why_outside(self, declared: Declared) -> str | None:
        """Why the ownership forbids changing it."""

    def why_not_applied(self, declared: Declared) -> str | None:
        """Why it must not be created or changed like this. It may still be deleted, though."""
        return self.why_outside(declared)

    @abstractmethod
    def gather(self, admin: Admin) -> Batches:
        """The calls of this kind, gathered into sets."""

    @abstractmethod
    async def look(self, declared: Declared) -> Live: ...

    def is_unknown(self, new: Properties) -> bool:
        """Whether a preview cannot compare it with the cluster yet."""
        return has_unknown(dict(new))

    @abstractmethod
    def unknown_state(self, new: Properties) -> State: ...

    def why_not_adopt(self, declared: Declared, live: Live) -> str | None:  # noqa: ARG002
        """Why an existing resource must not be adopted."""
        return None

    @abstractmethod
    async def preview_new(self, declared: Declared, live: Live, new: Properties) -> State: ...

    @abstractmethod
    async def create_new(self, declared: Declared, new: Properties, timeout: float) -> State: ...

    @abstractmethod
    async def update_known(self, declared: Declared, old: Old, new: Properties, timeout: float) -> State: ...

    def without(self, declared: Declared, kept: frozenset[Hashable]) -> Declared:  # noqa: ARG002
        """What to delete if some parts stay. Kinds with one part need not override this."""
        return declared

    def why_kept(self, declared: Declared) -> str | None:  # noqa: ARG002
        """Why it must not be deleted, as far as is known without the cluster."""
        return None

    async def judge_deletion(self, item: Deletion[Declared]) -> None:
        """Raises if the cluster shows a reason against the deletion."""
        await self.look(item.declared)

    @abstractmethod
    async def send_deletion(self, item: Deletion[Declared]) -> Outcome[object]:
        """A failure means that nothing was deleted."""

    async def preview_create(self, new: Properties) -> State:
        if self.is_unknown(new):
            return self.unknown_state(new)
        declared = self.parse(new)
        live = await self.look(declared)
        refuse(self.why_not_adopt(declared, live), FailureKind.EXISTS)
        return await self.preview_new(declared, live, new)

    async def create(self, new: Properties, timeout: float) -> State:
        return await self.create_new(self._guarded(new), new, timeout)

    async def update(self, old: Old, new: Properties, timeout: float) -> State:
        return await self.update_known(self._guarded(new), old, new, timeout)

    async def preview_delete(self, old: Old) -> None:
        item = self._deletable(old, 0, frozenset())
        self._session.plan_delete(self.named(self.declaration(old)))
        await self.judge_deletion(item)

    async def delete(self, old: Old, timeout: float, kept: frozenset[Hashable] = frozenset()) -> None:
        item = self._deletable(old, timeout, kept)
        await self.batches()
        self._session.reserve_delete(self.named(self.declaration(old)))
        outcome = await self.send_deletion(item)
        if isinstance(outcome, Failure):
            self._session.release_delete()
            raise OperationError(outcome)

    def declaration(self, old: Old) -> Properties:
        """The inputs in the state. The state of another version may have no inputs, or none for the identity."""
        return {self.identity: old.id, **(old.inputs or old.properties)}

    async def batches(self) -> Batches:
        admin = await self._session.admin()
        if self._batches is None:
            self._batches = self.gather(admin)
        return self._batches

    def vanished(self, old: Old, warning: str, *, had_content: bool = True) -> State | None:
        """The state of a resource that is no longer on the cluster; None for an import, which then finds nothing.

        Without `had_content`, its next creation does not warn that something was lost.
        """
        if not old.inputs:
            return None
        if had_content:
            self._session.note_vanished(self.named(self.declaration(old)))
        return State("", {}, {}, (warning,), gone=True)

    def has_vanished(self, new: Properties) -> bool:
        """Whether a refresh in this run did not find it."""
        return self._session.has_vanished(self.named(new))

    def _guarded(self, new: Properties) -> Declared:
        """Checks the ownership again after the preview, because a state may come from elsewhere."""
        self._session.stop_if_cancelled()
        declared = self.parse(new)
        refuse(self.why_not_applied(declared))
        return declared

    def _deletable(self, old: Old, timeout: float, kept: frozenset[Hashable]) -> Deletion[Declared]:
        self._session.stop_if_cancelled()
        declared = self.without(self.parse(self.declaration(old)), kept)
        refuse(self.why_outside(declared))
        refuse(self.why_kept(declared))
        return Deletion(declared, old, self._session.deadline(timeout))
