"""Keeps the secrets of a resource out of every message about it.

A broker repeats a value that it refuses, so a config value that the program marked as a secret could show in an error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kafka_topology.cluster.outcomes import Failure
from kafka_topology.topology.kafka.secrets import hide

from ..resources.base import Kind, Old, OperationError, State
from ..resources.changes import Checked, CheckFailure
from ..resources.config_values import as_text
from .properties import Output, Secret, items_of, reveal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Hashable, Iterator

    from ..resources.changes import PropertyChange
    from .properties import Properties, Value


def secrets_of(*sides: Properties) -> frozenset[str]:
    """The text of every value that is marked as a secret, at every depth."""
    return frozenset(text for side in sides for value in side.values() for text in _secrets(value) if text)


def _secrets(value: Value) -> Iterator[str]:
    match value:
        case Secret(inner) | Output(inner, True):
            yield from _texts(reveal(inner))
        case Output(inner):
            yield from _secrets(inner)
        case _:
            for item in items_of(value):
                yield from _secrets(item)


def _texts(value: Value) -> Iterator[str]:
    match value:
        case str():
            yield value
        case bool() | int() | float():
            yield str(value)
            yield str(as_text(value))
        case _:
            for item in items_of(value):
                yield from _texts(item)


@dataclass(frozen=True, slots=True)
class Discreet:
    """A kind that hides the secrets of its resource in failures, warnings and notes."""

    kind: Kind

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked:
        checked = self.kind.check(resource_name, old, new)
        secrets = secrets_of(old, new, checked.inputs)
        failures = tuple(CheckFailure(f.property, hide(f.reason, secrets)) for f in checked.failures)
        return replace(checked, failures=failures)

    def named(self, inputs: Properties) -> str:
        return hide(self.kind.named(inputs), secrets_of(inputs))

    def parts(self, inputs: Properties) -> frozenset[Hashable]:
        return self.kind.parts(inputs)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        return self.kind.diff(old, new)

    async def preview_create(self, new: Properties) -> State:
        return await _discreetly(self.kind.preview_create(new), secrets_of(new))

    async def create(self, new: Properties, timeout: float) -> State:
        return await _discreetly(self.kind.create(new, timeout), secrets_of(new))

    async def preview_update(self, old: Old, new: Properties) -> State:
        return await _discreetly(self.kind.preview_update(old, new), _secrets_with(old, new))

    async def update(self, old: Old, new: Properties, timeout: float) -> State:
        return await _discreetly(self.kind.update(old, new, timeout), _secrets_with(old, new))

    async def read(self, old: Old) -> State | None:
        secrets = _secrets_with(old)
        try:
            state = await self.kind.read(old)
        except OperationError as error:
            raise _redacted(error, secrets) from None
        return None if state is None else _shown(state, secrets)

    async def preview_delete(self, old: Old) -> None:
        try:
            await self.kind.preview_delete(old)
        except OperationError as error:
            raise _redacted(error, _secrets_with(old)) from None

    async def delete(self, old: Old, timeout: float, kept: frozenset[Hashable] = frozenset()) -> None:
        try:
            await self.kind.delete(old, timeout, kept)
        except OperationError as error:
            raise _redacted(error, _secrets_with(old)) from None


def _secrets_with(old: Old, *others: Properties) -> frozenset[str]:
    return secrets_of(old.inputs, old.properties, *others)


async def _discreetly(work: Awaitable[State], secrets: frozenset[str]) -> State:
    try:
        return _shown(await work, secrets)
    except OperationError as error:
        raise _redacted(error, secrets) from None


def _redacted(error: OperationError, secrets: frozenset[str]) -> OperationError:
    return OperationError(Failure(error.failure.kind, hide(error.failure.message, secrets)))


def _shown(state: State, secrets: frozenset[str]) -> State:
    if not secrets:
        return state

    def without(lines: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(hide(line, secrets) for line in lines)

    return replace(
        state, warnings=without(state.warnings), notes=without(state.notes), unfinished=without(state.unfinished)
    )
