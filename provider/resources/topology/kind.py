"""The resource `Topology`: everything that topology files declare, as one resource with a view for each item."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.plugin.lifecycle import Lifecycle
from kafka_topology.provider.plugin.properties import UNKNOWN, Value, reveal
from kafka_topology.provider.plugin.views import Op, View, ViewStep

from ..base import Old, OperationError, State
from . import inputs as topologies
from .apply import Items, Results, lines_of, raise_all, view_of
from .inputs import DIGEST, RESOURCES
from .items import Item, Key, counts, drifted_digest

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from kafka_topology.provider.plugin.properties import Properties
    from kafka_topology.provider.plugin.views import Views

    from ..changes import Checked, PropertyChange
    from .inputs import TopologyFiles

_NOT_IMPORTED = (
    "A topology is not imported. Declare it and run 'pulumi up': what the cluster has already and equals the "
    "declaration is adopted."
)


@dataclass(frozen=True, slots=True)
class TopologyKind:
    """One call of the engine for one topology, with the views that it brings. The lifecycles of the items do the work.

    It has no parts of its own: its items declare theirs, each under the URN of its view.
    """

    urn: str
    files: TopologyFiles
    views: Views

    def named(self, inputs: Properties) -> str:
        return f"topology '{reveal(inputs.get('path'))}'"

    def parts(self, inputs: Properties) -> frozenset[Hashable]:  # noqa: ARG002
        return frozenset()

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked:  # noqa: ARG002
        return self.files.check(self.urn, new)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        return topologies.diff(old, new)

    async def preview_create(self, new: Properties) -> State:
        return await self._apply(new, 0, preview=True)

    async def create(self, new: Properties, timeout: float) -> State:
        return await self._apply(new, timeout, preview=False)

    async def preview_update(self, old: Old, new: Properties) -> State:  # noqa: ARG002 - the views have it all
        return await self._apply(new, 0, preview=True)

    async def update(self, old: Old, new: Properties, timeout: float) -> State:  # noqa: ARG002
        return await self._apply(new, timeout, preview=False)

    async def _apply(self, new: Properties, timeout: float, *, preview: bool) -> State:
        if reveal(new.get(DIGEST)) is UNKNOWN:
            return self._state(new, UNKNOWN)
        declared = self._declared(new)
        items = self._items()
        changes, failures = items.changes(declared)
        raise_all(failures)
        removed = items.removed(declared)
        raise_all(await items.refused_deletions(removed))
        results = await items.apply(changes, timeout, preview=preview)
        if preview or not results.done:
            raise_all(results.failures)
        if preview:
            items.preview_deletions(removed, results)
        elif not results.failures:
            await items.delete(removed, timeout, results)
        if results.failures:
            results.steps += _kept(items, removed, results)
        lost = await self.views.publish(results.steps)
        unfinished = (*lines_of(results.failures), *((lost,) if lost is not None else ()))
        state = self._state(new, counts(item.key for item in declared), results)
        return replace(state, unfinished=unfinished)

    async def read(self, old: Old) -> State | None:
        if not old.inputs:
            _refuse(_NOT_IMPORTED)
        items = self._items()
        steps: list[ViewStep] = []
        drifted: dict[Key, object] = {}
        warnings: list[str] = []
        for key, state in (await items.read()).items():
            before = items.old[key]
            warnings += state.warnings if state is not None else ()
            if state is None or state.gone:
                drifted[key] = None
                steps.append(ViewStep(Op.DELETE, key, before))
                continue
            changes = items.lifecycles[key[0]].kind.diff(state.inputs, before.inputs)
            if changes:
                drifted[key] = sorted(change.path for change in changes)
            now = view_of(state if changes else _with_inputs(state, before))
            is_same = reveal(dict(now.outputs)) == reveal(dict(before.outputs)) and not changes
            steps.append(ViewStep(Op.SAME if is_same else Op.UPDATE, key, before, now, changes))
        inputs = dict(old.inputs)
        if drifted or reveal(old.properties.get(RESOURCES)) != counts(items.old):
            # Also after a deletion that failed halfway: the state has fewer views than the topology has items.
            inputs[DIGEST] = drifted_digest(reveal(inputs.get(DIGEST)), drifted)
        lost = await self.views.publish(steps)
        if lost is not None:
            _refuse(lost, FailureKind.UNCERTAIN)
        properties = {**old.properties, **inputs, RESOURCES: counts(items.old.keys() - _gone(drifted))}
        return State(old.id, inputs, properties, tuple(warnings))

    async def preview_delete(self, old: Old) -> None:  # noqa: ARG002
        items = self._items()
        raise_all(await items.refused_deletions(items.removed(())))

    async def delete(self, old: Old, timeout: float, kept: frozenset[Hashable] = frozenset()) -> None:
        raise NotImplementedError  # TopologyLifecycle deletes the items, each by its own lifecycle

    async def delete_items(self, old: Old, timeout: float) -> str | None:
        """Deletes all items, or none if one of them must stay. Returns the notes."""
        items = self._items()
        keys = items.removed(())
        raise_all(await items.refused_deletions(keys))
        results = Results()
        await items.delete(keys, timeout, results)
        lost = await self.views.publish(results.steps)
        if lost is not None:
            _refuse(lost, FailureKind.UNCERTAIN)
        if results.failures and results.done:
            results.failures.append(
                Failure(
                    FailureKind.UNCERTAIN,
                    f"{self.named(old.inputs)}: {results.done:,} of {len(keys):,} items were removed and the others "
                    "were not. Run 'pulumi destroy' again to remove the rest, or 'pulumi up --refresh' to bring the "
                    "removed ones back.",
                )
            )
        raise_all(results.failures)
        return "\n".join(lines_of([Failure(FailureKind.REFUSED, text) for text in results.warnings])) or None

    def _declared(self, new: Properties) -> tuple[Item, ...]:
        items = self.files.items(self.urn, new)
        if items is None:
            _refuse(f"{self.named(new)} changed while this run was under way. Nothing was changed. Run it again.")
        return items

    def _items(self) -> Items:
        return Items(self.urn, self.files.lifecycles, self.views.old)

    def _state(self, inputs: Properties, resources: Value, results: Results | None = None) -> State:
        results = results or Results()
        name = self.urn.rpartition("::")[2]
        properties = {**inputs, RESOURCES: resources}
        return State(name, inputs, properties, tuple(results.warnings), notes=tuple(results.notes))


@dataclass(frozen=True, slots=True)
class TopologyLifecycle(Lifecycle):
    """Deletes by item, because some may stay: those that other resources declare now, or that are elsewhere."""

    topology: TopologyKind

    async def delete(self, old: Old, timeout: float) -> str | None:
        return await self.topology.delete_items(old, timeout)


def _with_inputs(state: State, before: View) -> State:
    """The state with the inputs as they are declared: the cluster may write the same value in another way."""
    return replace(state, inputs=before.inputs, properties={**state.properties, **before.inputs})


def _gone(drifted: Mapping[Key, object]) -> set[Key]:
    return {key for key, found in drifted.items() if found is None}


def _kept(items: Items, removed: list[Key], results: Results) -> list[ViewStep]:
    """The views that stay in the state because a failure came before their deletion."""
    reported = {step.key for step in results.steps}
    return [ViewStep(Op.SAME, key, items.old[key], items.old[key]) for key in removed if key not in reported]


def _refuse(why: str, kind: FailureKind = FailureKind.REFUSED) -> NoReturn:
    raise OperationError(Failure(kind, why))
