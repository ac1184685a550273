"""Applies the items of a topology through the lifecycles of their kinds, many at a time, each with its own outcome.

Everything that forbids the change is known before anything is changed. Items are created and updated in the order of
their kinds, and deletions come last, in the reverse order, only after all else has succeeded: as the engine does it
with single resources.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeVar

from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.plugin.properties import Value, reveal
from kafka_topology.provider.plugin.views import Op, View, ViewStep

from ..base import Old, OperationError, State
from .items import Item, Key, item_urn, order_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from kafka_topology.provider.plugin.lifecycle import Lifecycle

    from ..changes import PropertyChange

T = TypeVar("T")
# Several full sets. More at once would wait in a queue while their deadlines run.
_AT_ONCE: Final = 500
_SHOWN: Final = 20
ID: Final = "id"


@dataclass(frozen=True, slots=True)
class Change:
    """An item to create, or to update if the state has it."""

    item: Item
    old: Old | None = None
    changes: tuple[PropertyChange, ...] = ()


@dataclass(slots=True)
class Results:
    """What became of each item. `done` counts the changes that succeeded, at least in part."""

    steps: list[ViewStep] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed_topics: set[str] = field(default_factory=set)
    done: int = 0

    def fail(self, key: Key, failure: Failure, step: ViewStep | None = None) -> None:
        self.failures.append(failure)
        if key[0].endswith(":Topic"):
            self.failed_topics.add(key[1])
        if step is not None:
            self.steps.append(step)


@dataclass(frozen=True, slots=True)
class Items:
    """The items of one owner: `old` are its views in the state."""

    owner: str
    lifecycles: Mapping[str, Lifecycle]
    old: Mapping[Key, View]

    def in_state(self, key: Key) -> Old:
        view = self.old[key]
        outputs = dict(view.outputs)
        return Old(str(reveal(outputs.pop(ID, ""))), view.inputs, outputs, item_urn(self.owner, key))

    def removed(self, items: Iterable[Item]) -> list[Key]:
        """The views that no item declares, in the order of their deletion."""
        gone = self.old.keys() - {item.key for item in items}
        return sorted(gone, key=lambda key: (-order_of(key[0]), key))

    def changes(self, items: Iterable[Item]) -> tuple[list[Change], list[Failure]]:
        """How each item differs from the state, and why some must not change like that."""
        changes: list[Change] = []
        failures: list[Failure] = []
        for item in items:
            lifecycle = self.lifecycles[item.key[0]]
            if item.key not in self.old:
                changes.append(Change(item))
                continue
            old = self.in_state(item.key)
            checked = lifecycle.check(old.urn, item.key[1], old.inputs, item.inputs)
            named = lifecycle.kind.named(item.inputs)
            failures += [
                Failure(FailureKind.REFUSED, f"{named}, {each.property}: {each.reason}") for each in checked.failures
            ]
            if checked.failures:
                continue
            try:
                known = replace(item, inputs=checked.inputs)
                changes.append(Change(known, old, lifecycle.diff(old, known.inputs)))
            except OperationError as error:
                failures.append(error.failure)
        return changes, failures

    async def refused_deletions(self, keys: Iterable[Key]) -> list[Failure]:
        async def judge(key: Key) -> Failure | None:
            try:
                await self.lifecycles[key[0]].preview_delete(self.in_state(key))
            except OperationError as error:
                return error.failure
            return None

        return [failure for failure in await _each(keys, judge) if failure is not None]

    async def apply(self, changes: Iterable[Change], timeout: float, *, preview: bool) -> Results:
        results = Results()
        ordered = sorted(changes, key=lambda change: order_of(change.item.key[0]))
        for _, stage in groupby(ordered, key=lambda change: order_of(change.item.key[0])):
            # A stage reads the failures of those before it, and its own are added to them.
            await _each(list(stage), lambda change: self._apply(change, timeout, results, preview=preview))
        return results

    async def _apply(self, change: Change, timeout: float, results: Results, *, preview: bool) -> None:
        item, old = change.item, change.old
        before = self.old.get(item.key)
        if old is not None and not change.changes:
            results.steps.append(ViewStep(Op.SAME, item.key, before, before))
            return
        lifecycle = self.lifecycles[item.key[0]]
        op = Op.CREATE if old is None else Op.UPDATE
        missing = [topic for topic in item.after if topic in results.failed_topics]
        if missing:
            why = f"{lifecycle.kind.named(item.inputs)} waits for topic '{missing[0]}', which failed."
            kept = None if before is None else ViewStep(Op.SAME, item.key, before, before)
            results.fail(item.key, Failure(FailureKind.REFUSED, why), kept)
            return
        try:
            if old is None:
                urn = item_urn(self.owner, item.key)
                state = await lifecycle.create(urn, item.inputs, timeout, preview=preview)
            else:
                state = await lifecycle.update(old, item.inputs, timeout, preview=preview)
        except OperationError as error:
            new = View(item.inputs, before.outputs if before is not None else {})
            step = ViewStep(op, item.key, before, new, change.changes, error.failure.message)
            results.fail(item.key, error.failure, step)
            return
        results.done += 1
        results.warnings += state.warnings
        results.notes += state.notes
        why = "; ".join(state.unfinished)
        step = ViewStep(op, item.key, before, view_of(state), change.changes, why, partial=bool(why))
        if why:
            results.fail(item.key, Failure(FailureKind.UNCERTAIN, why), step)
        else:
            results.steps.append(step)

    async def delete(self, keys: Iterable[Key], timeout: float, results: Results) -> None:
        """Deletes them in their order, kind by kind. A failed kind stops those that come after it."""
        for _, stage in groupby(keys, key=lambda key: order_of(key[0])):
            if not results.failures:
                await _each(list(stage), lambda key: self._delete(key, timeout, results))

    async def _delete(self, key: Key, timeout: float, results: Results) -> None:
        step = ViewStep(Op.DELETE, key, self.old[key])
        try:
            note = await self.lifecycles[key[0]].delete(self.in_state(key), timeout)
        except OperationError as error:
            failed = ViewStep(Op.DELETE, key, self.old[key], error=error.failure.message)
            results.fail(key, error.failure, failed)
            return
        results.done += 1
        results.steps.append(step)
        if note is not None:
            results.warnings.append(note)

    def preview_deletions(self, keys: Iterable[Key], results: Results) -> None:
        results.steps += [ViewStep(Op.DELETE, key, self.old[key]) for key in keys]

    async def read(self) -> Mapping[Key, State | None]:
        """Every item as it is on the cluster. Raises if one cannot be read: that is never taken for missing."""

        async def look(key: Key) -> tuple[Key, State | None]:
            return key, await self.lifecycles[key[0]].read(self.in_state(key))

        return dict(await _each(self.old, look))


def view_of(state: State) -> View:
    identity: dict[str, Value] = {ID: state.id} if state.id else {}
    return View(state.inputs, {**state.properties, **identity})


def lines_of(failures: list[Failure]) -> tuple[str, ...]:
    """The messages, each once; a long list is cut, because each failed item shows its own."""
    lines = tuple(dict.fromkeys(failure.message for failure in failures))
    return lines if len(lines) <= _SHOWN else (*lines[:_SHOWN], f"and {len(lines) - _SHOWN:,} more")


def raise_all(failures: list[Failure]) -> None:
    """Raises one error with all messages, if there are any."""
    if failures:
        kinds = {failure.kind for failure in failures}
        kind = failures[0].kind if len(kinds) == 1 else FailureKind.REFUSED
        raise OperationError(Failure(kind, "\n".join(lines_of(failures))))


async def _each(keys: Iterable[Change | Key], work: Callable[..., Awaitable[T]]) -> list[T]:
    free = asyncio.Semaphore(_AT_ONCE)

    async def one(key: Change | Key) -> T:
        async with free:
            return await work(key)

    return list(await asyncio.gather(*(one(key) for key in keys)))
