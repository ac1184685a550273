"""The kind `Quota`: turns calls of the engine into calls for sets of quotas."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from kafka_topology.cluster.live.quotas import Entity
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.plugin.properties import has_unknown

from ..base import Deletion, Old, OperationError, ResourceKind, State, value_of
from ..input_checks import as_lines, undeclared_warnings
from ..recent import RecentBatches
from . import inputs as quotas
from .apply import Limits, QuotaApplier, QuotaUpdate
from .inputs import DeclaredQuota

if TYPE_CHECKING:
    from collections.abc import Hashable

    from kafka_topology.cluster.outcomes import Outcome
    from kafka_topology.provider.plugin.properties import Properties

    from ..admin import Admin
    from ..changes import Checked, PropertyChange

_Batches: TypeAlias = RecentBatches[QuotaUpdate, Limits, Entity, Limits]


class QuotaKind(ResourceKind[DeclaredQuota, Limits, _Batches]):
    def named(self, inputs: Properties) -> str:
        return str(quotas.entity_of(inputs))

    def parts(self, inputs: Properties) -> frozenset[Hashable]:
        if has_unknown({name: inputs.get(name) for name in ("user", "clientId")}):
            return frozenset()
        return frozenset({("quota", quotas.entity_of(inputs).id)})

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked:  # noqa: ARG002 - the inputs name it
        return quotas.check(old, new, self._session.settings.owned.principals)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        return quotas.diff(old, new)

    def parse(self, inputs: Properties) -> DeclaredQuota:
        return quotas.parse(inputs)

    def declaration(self, old: Old) -> Properties:
        return old.inputs or old.properties

    def why_outside(self, declared: DeclaredQuota) -> str | None:
        return quotas.why_outside(declared.entity, self._session.settings.owned.principals)

    def gather(self, admin: Admin) -> _Batches:
        settings = self._session.settings
        applier = QuotaApplier(admin.security.quotas, self._session.pause, patience=settings.operation_timeout)
        return RecentBatches(applier.apply, applier.described, lambda live, entity: live.get(entity, {}))

    async def look(self, declared: DeclaredQuota) -> Limits:
        return value_of(await (await self.batches()).read(declared.entity))

    def unknown_state(self, new: Properties) -> State:
        return State(id="", inputs=new, properties=new)

    def why_not_adopt(self, declared: DeclaredQuota, live: Limits) -> str | None:
        return quotas.why_not_adopt(declared, live)

    async def preview_new(self, declared: DeclaredQuota, live: Limits, new: Properties) -> State:
        return _state(new, declared, live)

    async def create_new(self, declared: DeclaredQuota, new: Properties, timeout: float) -> State:
        return await self._apply(declared, new, None, timeout)

    async def preview_update(self, old: Old, new: Properties) -> State:
        if not self.is_unknown(new):
            await self.look(quotas.parse(new))
        return State(id=old.id, inputs=new, properties={**new, "undeclared": old.properties.get("undeclared", [])})

    async def update_known(self, declared: DeclaredQuota, old: Old, new: Properties, timeout: float) -> State:
        return await self._apply(declared, new, quotas.parse(old.inputs).limits, timeout)

    async def _apply(self, declared: DeclaredQuota, new: Properties, previous: Limits | None, timeout: float) -> State:
        item = QuotaUpdate(declared, previous, self._session.deadline(timeout))
        return _state(new, declared, value_of(await (await self.batches()).change(item)))

    async def read(self, old: Old) -> State | None:
        entity = quotas.parse_id(old.id)
        if entity is None:
            wrong = f"'{old.id}' is not the id of a quota: write 'user=NAME', 'client-id=NAME', or both with a comma."
            raise OperationError(Failure(FailureKind.REJECTED, wrong))
        live = await self.look(DeclaredQuota(entity, {}))
        # Only what was declared is compared; an import declares nothing and takes every limit.
        declared = quotas.parse(old.inputs) if old.inputs else DeclaredQuota(entity, live)
        shown = {key: live[key] for key in declared.limits if key in live}
        if not shown:
            return self.vanished(old, _vanished(entity))
        removes = self._session.settings.removes_undeclared
        state = _state(quotas.as_inputs(entity, live if removes else shown), declared, live, removes)
        return replace(state, id=old.id)

    async def send_deletion(self, item: Deletion[DeclaredQuota]) -> Outcome[object]:
        declared = item.declared
        nothing = DeclaredQuota(declared.entity, {})
        return await (await self.batches()).change(QuotaUpdate(nothing, declared.limits, item.deadline))


def _vanished(entity: Entity) -> str:
    return (
        f"{entity} HAS VANISHED: none of its declared limits is on the cluster any more, and this stack did not remove "
        "them. The next 'pulumi up' sets them again."
    )


def _state(inputs: Properties, declared: DeclaredQuota, live: Limits, removes: bool = False) -> State:
    others = quotas.undeclared(declared, live)
    return State(
        id=declared.entity.id,
        inputs=inputs,
        properties={**inputs, "undeclared": as_lines(others)},
        warnings=undeclared_warnings(str(declared.entity), others, removes),
    )
