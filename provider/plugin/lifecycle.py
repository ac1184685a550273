"""The promises that hold for every kind of resource.

Nothing that the program still declares is deleted, nothing is replaced, and only the cluster in the state is changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kafka_topology.cluster.outcomes import Failure, FailureKind

from ..config.settings import why_other_cluster
from ..resources.base import Kind, Old, OperationError, State
from ..resources.changes import ChangeKind, Checked, CheckFailure, PropertyChange
from .properties import reveal
from .session import Session
from .versions import marked, marked_as_before, readable

if TYPE_CHECKING:
    from collections.abc import Hashable

    from .properties import Properties
    from .run import Kept

CLUSTER_ID: Final = "clusterId"
_NOT_LOOKED_AT: Final = (
    "The live cluster was not compared with the state, so changes made outside this stack do not show here. Run "
    "'pulumi up --refresh' to find and correct them, or set 'options: {refresh: always}' in Pulumi.yaml."
)


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """One kind in one configured provider. The engine's calls arrive here with the resource's URN."""

    kind: Kind
    session: Session

    def check(self, urn: str, name: str, old: Properties, new: Properties) -> Checked:
        if old:
            self.session.run.found_in_state([urn])
        checked = self.kind.check(name, old, new)
        if checked.failures:
            return checked
        parts = self.kind.parts(checked.inputs)
        self._declare(urn, parts)
        others = self._with_neighbours(self.session.run.others(urn, parts), parts)
        return replace(checked, failures=(_declared_twice(checked.inputs, others),)) if others.parts else checked

    def diff(self, old: Old, new: Properties) -> tuple[PropertyChange, ...]:
        old = self._readable(old)
        self.session.run.found_in_state([old.urn])
        changes = self.kind.diff(old.inputs or old.properties, new)
        if self._has_moved(old):
            changes = (*changes, PropertyChange(CLUSTER_ID, ChangeKind.UPDATE))
        if not changes and self.session.run.removed_before(self.kind.parts(new)).parts:
            # Another resource has just removed it. This one still declares it, so it adds it again.
            *_, last = new
            changes = (PropertyChange(last, ChangeKind.UPDATE),)
        if not changes:
            self.session.run.settled(old.urn)
        return changes

    async def create(self, urn: str, new: Properties, timeout: float, *, preview: bool) -> State:
        self.session.run.refuse_replacement(urn, self._named(new))
        parts = self.kind.parts(new)
        self._declare(urn, parts)
        if preview:
            self._refuse_gap(parts)
            return self._with_cluster(await self.kind.preview_create(new))
        try:
            state = await self.kind.create(new, timeout)
        except OperationError:
            self.session.run.failed(urn)
            raise
        self.session.run.created(urn)
        return self._with_cluster(self._with_gap_warning(state, parts))

    async def update(self, old: Old, new: Properties, timeout: float, *, preview: bool) -> State:
        old = self._readable(old)
        parts = self.kind.parts(new)
        self._declare(old.urn, parts)
        if self._has_moved(old):
            # It is new on this cluster, so it must not overwrite anything that differs.
            state = await (self.kind.preview_create(new) if preview else self.kind.create(new, timeout))
            return self._with_cluster(replace(state, notes=(*state.notes, self._moved_note(old, new))))
        if preview:
            self._refuse_gap(parts)
            return self._with_cluster(await self.kind.preview_update(old, new))
        state = await self.kind.update(old, new, timeout)
        self.session.run.settled(old.urn)
        return self._with_cluster(self._with_gap_warning(state, parts))

    async def read(self, old: Old) -> State | None:
        self.session.run.has_read = True
        state = await self.kind.read(self._readable(old))
        if state is None or state.gone:
            self.session.run.found_gone(old.urn)
        return None if state is None else marked_as_before(self._on_cluster(state), old)

    async def delete(self, old: Old, timeout: float) -> str | None:
        """Returns a note if nothing is deleted, because another resource declares it or it is on another cluster."""
        run, old = self.session.run, self._readable(old)
        inputs = old.inputs or old.properties
        named = self._named(inputs)
        parts = self.kind.parts(inputs)
        kept = self._kept(old.urn, parts)
        if kept.parts and run.is_half_replaced(old.urn):
            run.found_in_state([old.urn])
            run.refuse_replacement(old.urn, named)
        if kept.parts == parts and parts:
            if run.have_failed(kept.urns):
                why = f"{named} keeps its entry in the state: {_who(kept)}, which declares it now, failed in this run."
                raise OperationError(Failure(FailureKind.REFUSED, f"{why} Nothing was deleted. Correct that first."))
            return f"{named} stays on the cluster: {_who(kept)} declares it. Only its entry in the state is removed."
        # Check this before any request, because the connection may be to another cluster.
        if self._is_elsewhere(old):
            return (
                f"{named} is on cluster '{_cluster_of(old)}' and stays there: this stack is applied to "
                f"'{self.session.cluster_id}' now. Only its entry in the state is removed."
            )
        await self.kind.delete(old, timeout, kept.parts)
        return None

    async def preview_delete(self, old: Old) -> None:
        """Raises if the deletion would be refused."""
        old = self._readable(old)
        kept = self._kept(old.urn, parts := self.kind.parts(old.inputs or old.properties))
        if not self._is_elsewhere(old) and kept.parts != parts:
            await self.kind.preview_delete(old)

    def _refuse_gap(self, parts: frozenset[Hashable]) -> None:
        """Raises if another resource removes a part before this one adds it."""
        before = self.session.run.removed_before(parts)
        if before.parts:
            raise OperationError(
                Failure(
                    FailureKind.REFUSED,
                    f"{_who(before)} would remove {_listed(before)} before this resource adds it: it would be missing "
                    f"for a moment, and for good if the run fails in between. {_in_order(before)}",
                )
            )

    def _with_gap_warning(self, state: State, parts: frozenset[Hashable]) -> State:
        before = self.session.run.removed_before(parts)
        if not before.parts:
            return state
        gap = f"{_who(before)} removed {_listed(before)}, and it is back now: it was missing for a moment."
        return replace(state, warnings=(*state.warnings, f"{gap} {_in_order(before)}"))

    def _declare(self, urn: str, parts: frozenset[Hashable]) -> None:
        self.session.run.declare(urn, parts)
        self.session.neighbours.note(self.session.cluster_id or "", parts)

    def _kept(self, urn: str, parts: frozenset[Hashable]) -> Kept:
        return self._with_neighbours(self.session.run.kept(urn, parts), parts)

    def _with_neighbours(self, found: Kept, parts: frozenset[Hashable]) -> Kept:
        return replace(
            found, parts=found.parts | self.session.neighbours.declared(self.session.cluster_id or "", parts)
        )

    def unseen_drift(self) -> str | None:
        """A note if this run compares resources only with the state."""
        return None if self.session.run.has_read else _NOT_LOOKED_AT

    def _is_elsewhere(self, old: Old) -> bool:
        was, now = _cluster_of(old), self.session.cluster_id
        return was is not None and now is not None and was != now

    def _has_moved(self, old: Old) -> bool:
        """Whether the stack was moved to another cluster on purpose. Raises if it moved by accident."""
        if not self._is_elsewhere(old):
            return False
        settings = self.session.settings
        if settings.cluster_is_chosen:
            return True
        was, now = str(_cluster_of(old)), str(self.session.cluster_id)
        named = self._named(old.inputs or old.properties)
        raise OperationError(Failure(FailureKind.REFUSED, f"{named}: {why_other_cluster(settings, was, now)}"))

    def _moved_note(self, old: Old, new: Properties) -> str:
        return f"{self._named(new)} is applied to another cluster now; on '{_cluster_of(old)}' it stays unchanged."

    def _readable(self, old: Old) -> Old:
        return readable(old, self._named(old.inputs or old.properties))

    def _with_cluster(self, state: State) -> State:
        return marked(self._on_cluster(state))

    def _on_cluster(self, state: State) -> State:
        cluster = self.session.cluster_id
        return replace(state, properties={**state.properties, CLUSTER_ID: cluster}) if cluster else state

    def _named(self, inputs: Properties) -> str:
        return self.kind.named(inputs)


def _cluster_of(old: Old) -> str | None:
    cluster = reveal(old.properties.get(CLUSTER_ID))
    return cluster if isinstance(cluster, str) else None


def _short(urn: str) -> str:
    """The type and name of a resource, as the engine shows them."""
    kind, _, name = urn.rpartition("::")
    return f"{kind.rpartition('::')[2].rpartition('$')[2].rpartition(':')[2]} '{name}'"


def _listed(kept: Kept) -> str:
    return "; ".join(sorted(" ".join(map(str, part)) if isinstance(part, tuple) else str(part) for part in kept.parts))


def _in_order(kept: Kept) -> str:
    return f"Let {_who(kept)} depend on this resource: ResourceOptions(depends_on=[…])."


def _who(kept: Kept) -> str:
    return ", ".join(map(_short, kept.urns)) or "a resource of another provider"


def _declared_twice(inputs: Properties, others: Kept) -> CheckFailure:
    shared = min(others.parts, key=str)
    name = f"'{shared[1]}'" if isinstance(shared, tuple) else f"'{shared}'"
    return CheckFailure(
        next(name for name in ("name", "rules", "user", "clientId") if name in inputs),
        f"{name} is also declared by {_who(others)}: two resources for one thing undo each other's changes. Declare it "
        "once.",
    )
