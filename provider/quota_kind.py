"""`Quota` for the engine, and the set-wise core of it: one request changes the limits of many."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import quotas
from .attempts import attempts, one_at_a_time
from .batches import Batch
from .kinds import Old, OperationError, State, value_of
from .outcomes import Failure, FailureKind
from .properties import has_unknown
from .quotas import DeclaredQuota, Entity, QuotaChange
from .recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .changes import Checked, PropertyChange
    from .outcomes import Outcome
    from .properties import Properties
    from .security_admin import QuotaAdmin
    from .session import Session


@dataclass(frozen=True, slots=True)
class QuotaUpdate:
    """`previous` is what was declared until now; None for a new quota, which must not differ from a live one."""

    declared: DeclaredQuota
    previous: Mapping[str, float] | None
    deadline: float


@dataclass(frozen=True, slots=True)
class QuotaApplier:
    """`pause` waits so many seconds and says whether to go on: False once the run is cancelled."""

    admin: QuotaAdmin
    pause: Callable[[float], bool]
    clock: Callable[[], float] = field(default=time.monotonic)

    def apply(self, items: Sequence[QuotaUpdate]) -> list[Outcome[Mapping[str, float]]]:
        """The limits that each entity has afterwards. Looks and asks again until there is nothing to change."""
        return one_at_a_time(items, lambda item: item.declared.entity, self._apply_once)

    def _apply_once(self, items: Mapping[Entity, QuotaUpdate]) -> dict[Entity, Outcome[Mapping[str, float]]]:
        pending = dict(items)
        outcomes: dict[Entity, Outcome[Mapping[str, float]]] = {}
        unanswered = set(pending)
        for _ in attempts(pending, self.pause):
            live = self.admin.describe_quotas()
            changes = self._changes(pending, live, outcomes)
            asked = {entity: change for entity, change in changes.items() if entity in unanswered}
            for entity, answer in (self.admin.alter_quotas(asked) if asked else {}).items():
                # Without an answer, asking again is safe: the same values are set.
                if answer is None:
                    unanswered.discard(entity)
                elif answer.kind is not FailureKind.UNCERTAIN:
                    outcomes[entity] = answer
                    del pending[entity]
        outcomes.update(
            (entity, Failure(FailureKind.CANCELLED, f"{entity}: stopped before it was done.")) for entity in pending
        )
        return outcomes

    def _changes(
        self,
        pending: dict[Entity, QuotaUpdate],
        live: Outcome[Mapping[Entity, Mapping[str, float]]],
        outcomes: dict[Entity, Outcome[Mapping[str, float]]],
    ) -> dict[Entity, QuotaChange]:
        """What is left to do. What is done, refused or late goes to the outcomes."""
        changes: dict[Entity, QuotaChange] = {}
        for entity, item in tuple(pending.items()):
            if isinstance(live, Failure):
                if live.kind is FailureKind.UNCERTAIN and self.clock() < item.deadline:
                    continue
                outcomes[entity] = live
                del pending[entity]
                continue
            limits = live.get(entity, {})
            change = quotas.plan(item.previous or {}, item.declared.limits, limits)
            reason = quotas.why_not_adopt(item.declared, limits) if item.previous is None else None
            if reason is not None:
                outcomes[entity] = Failure(FailureKind.EXISTS, reason)
            elif not change:
                outcomes[entity] = limits
            elif self.clock() >= item.deadline:
                outcomes[entity] = Failure(FailureKind.UNCERTAIN, f"{entity}: asked for, and not visible yet.")
            else:
                changes[entity] = change
                continue
            del pending[entity]
        return changes


class _Batches:
    def __init__(self, applier: QuotaApplier) -> None:
        self._recent = Recent(applier.admin.describe_quotas)
        self._changes: Batch[QuotaUpdate, Outcome[Mapping[str, float]]] = Batch(applier.apply)
        self.reads: Batch[Entity, Outcome[Mapping[str, float]]] = Batch(self._read, at_a_time=1)

    def _read(self, entities: Sequence[Entity]) -> list[Outcome[Mapping[str, float]]]:
        live = self._recent()
        return [live if isinstance(live, Failure) else live.get(entity, {}) for entity in entities]

    async def change(self, update: QuotaUpdate) -> Outcome[Mapping[str, float]]:
        try:
            return await self._changes.submit(update)
        finally:
            self._recent.forget()


class QuotaKind:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._batches: _Batches | None = None

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked:  # noqa: ARG002 - the inputs name it
        return quotas.check(old, new, self._session.settings.owned.principals)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        return quotas.diff(old, new)

    async def preview_create(self, new: Properties) -> State:
        if has_unknown(dict(new)):
            return State(id="", inputs=new, properties=new)
        declared = quotas.parse(new)
        batches = await self._connected()
        live = value_of(await batches.reads.submit(declared.entity))
        if reason := quotas.why_not_adopt(declared, live):
            raise OperationError(Failure(FailureKind.EXISTS, reason))
        return _state(new, declared, live)

    async def create(self, new: Properties, timeout: float) -> State:
        return await self._apply(new, None, timeout)

    async def preview_update(self, old: Old, new: Properties) -> State:
        return State(id=old.id, inputs=new, properties=new)

    async def update(self, old: Old, new: Properties, timeout: float) -> State:
        return await self._apply(new, quotas.parse(old.inputs).limits, timeout)

    async def read(self, old: Old) -> State | None:
        entity = quotas.parse_id(old.id)
        if entity is None:
            raise OperationError(
                Failure(
                    FailureKind.REJECTED,
                    f"'{old.id}' is not the id of a quota: write 'user=NAME', 'client-id=NAME' or both with a comma.",
                )
            )
        batches = await self._connected()
        live = value_of(await batches.reads.submit(entity))
        # Only what was declared is compared; an import declares nothing and takes every limit.
        shown = {key: live[key] for key in quotas.parse(old.inputs).limits if key in live} if old.inputs else live
        inputs = quotas.as_inputs(entity, shown)
        return State(id=old.id, inputs=inputs, properties=inputs) if shown else None

    async def delete(self, old: Old, timeout: float) -> None:
        declared = quotas.parse(old.inputs or old.properties)
        self._guard(declared.entity)
        batches = await self._connected()
        self._session.reserve_delete(str(declared.entity))
        nothing = DeclaredQuota(declared.entity, {})
        outcome = await batches.change(QuotaUpdate(nothing, declared.limits, self._session.deadline(timeout)))
        if isinstance(outcome, Failure):
            self._session.release_delete()
            raise OperationError(outcome)

    async def _apply(self, new: Properties, previous: Mapping[str, float] | None, timeout: float) -> State:
        declared = quotas.parse(new)
        self._guard(declared.entity)
        batches = await self._connected()
        item = QuotaUpdate(declared, previous, self._session.deadline(timeout))
        return _state(new, declared, value_of(await batches.change(item)))

    def _guard(self, entity: Entity) -> None:
        """Checked in the preview too; looked at again because a state may come from elsewhere."""
        self._session.stop_if_cancelled()
        reason = quotas.why_outside(entity, self._session.settings.owned.principals)
        if reason is not None:
            raise OperationError(Failure(FailureKind.REFUSED, reason))

    async def _connected(self) -> _Batches:
        admin = await self._session.admin()
        if self._batches is None:
            self._batches = _Batches(QuotaApplier(admin.security.quotas, self._session.pause))
        return self._batches


def _state(inputs: Properties, declared: DeclaredQuota, live: Mapping[str, float]) -> State:
    warnings = quotas.undeclared(declared, live)
    return State(id=declared.entity.id, inputs=inputs, properties=inputs, warnings=warnings)
