"""The kind `ConsumerGroup`: turns calls of the engine into calls for sets of groups."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kafka_topology.cluster.live.groups import LiveGroup
from kafka_topology.cluster.outcomes import FailureKind
from kafka_topology.provider.plugin.batches import Batch
from kafka_topology.provider.plugin.properties import UNKNOWN

from ..base import Deletion, Old, ResourceKind, State, refuse, state_of, value_of
from ..input_checks import as_lines, config_keys, plain, shown_config, undeclared_config, undeclared_warnings
from . import inputs as groups
from . import plan as plans
from .apply import AppliedGroup, GroupApplier, GroupChange, GroupDeletion
from .drift import as_output, offset_warnings
from .inputs import DeclaredGroup

if TYPE_CHECKING:
    from kafka_topology.cluster.outcomes import Outcome
    from kafka_topology.provider.plugin.properties import Properties, Value

    from ..admin import Admin
    from ..changes import Checked, PropertyChange


@dataclass(frozen=True, slots=True)
class _Batches:
    """The engine's calls for groups, gathered into sets per operation."""

    applier: GroupApplier
    changes: Batch[GroupChange, Outcome[AppliedGroup]]
    deletions: Batch[GroupDeletion, Outcome[None]]
    reads: Batch[DeclaredGroup, Outcome[LiveGroup]]


class GroupKind(ResourceKind[DeclaredGroup, LiveGroup, _Batches]):
    word = "group"

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked:
        return groups.check(resource_name, old, new, self._session.settings.owned.groups)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        return groups.diff(old, new)

    def parse(self, inputs: Properties) -> DeclaredGroup:
        return groups.parse(inputs)

    def why_outside(self, declared: DeclaredGroup) -> str | None:
        return groups.why_outside(declared.name, self._session.settings.owned.groups)

    def gather(self, admin: Admin) -> _Batches:
        applier = GroupApplier(admin.groups, self._session.pause, patience=self._session.settings.operation_timeout)
        return _Batches(applier, Batch(applier.change), Batch(applier.delete), Batch(applier.read))

    async def look(self, declared: DeclaredGroup) -> LiveGroup:
        return value_of(await (await self.batches()).reads.submit(declared))

    def unknown_state(self, new: Properties) -> State:
        return _state(new, None)

    def why_not_adopt(self, declared: DeclaredGroup, live: LiveGroup) -> str | None:
        lines = plans.config_differences(declared, live)
        return plans.why_not_adopt(declared, lines) if lines else None

    async def preview_new(self, declared: DeclaredGroup, live: LiveGroup, new: Properties) -> State:
        warnings = (*_creation_warnings(declared, live), *self._made_again(new))
        return _state(new, live if live.exists else None, warnings)

    async def create_new(self, declared: DeclaredGroup, new: Properties, timeout: float) -> State:
        item = GroupChange(declared, self._session.deadline(timeout), is_new=True)
        applied = value_of(await (await self.batches()).changes.submit(item))
        if applied.unfinished:
            message = "; ".join(applied.unfinished)
            refuse(f"{message}. Run 'pulumi up' again to complete it.", FailureKind.UNCERTAIN)
        return _state(new, applied.live, (*_creation_warnings(declared, applied.live), *self._made_again(new)))

    def _made_again(self, new: Properties) -> tuple[str, ...]:
        if not self.has_vanished(new):
            return ()
        warning = (
            f"{self.named(new)} had vanished from the cluster and is created again: its old offsets are gone, and it "
            "begins at its declared start."
        )
        return (warning,)

    async def preview_update(self, old: Old, new: Properties) -> State:
        if self.is_unknown(new):
            return _state(new, None)
        declared = groups.parse(new)
        live = await self.look(declared)
        warnings = plans.warnings(declared, live)
        if _asks_reset(old.inputs, new) and declared.reset is not None:
            refuse(plans.why_not_reset(declared, live))
            warnings = (*warnings, plans.reset_warning(declared, declared.reset, live))
        return _state(new, live, (*warnings, *_start_warnings(old.inputs, new)))

    async def update_known(self, declared: DeclaredGroup, old: Old, new: Properties, timeout: float) -> State:
        item = GroupChange(
            declared,
            self._session.deadline(timeout),
            previous_config=config_keys(old.inputs),
            reset=_asks_reset(old.inputs, new),
        )
        applied = value_of(await (await self.batches()).changes.submit(item))
        if not applied.unfinished:
            return _state(new, applied.live, plans.warnings(declared, applied.live))
        # Unfinished: keep the old reset in the state, so the next run does the new one.
        kept = {key: value for key, value in new.items() if key != "reset"}
        if "reset" in old.inputs:
            kept["reset"] = old.inputs["reset"]
        if "config" in kept:
            kept["config"] = shown_config("group", applied.live.config, new)
        return replace(_state(kept, applied.live), unfinished=applied.unfinished)

    async def read(self, old: Old) -> State | None:
        declared = groups.parse({"name": old.id, **old.inputs})
        if not old.inputs:
            applier = (await self.batches()).applier
            topics = value_of(await asyncio.to_thread(applier.topics_of, old.id))
            declared = DeclaredGroup(old.id, dict.fromkeys(topics))
        live = await self.look(declared)
        # A group without a declared start is not on the cluster until a consumer uses it.
        if not live.exists and (not old.inputs or declared.start is not None):
            return self.vanished(old, _vanished(old))
        removes = self._session.settings.removes_undeclared
        undeclared = undeclared_config(live.config, old.inputs)
        applier = (await self.batches()).applier
        starts = await asyncio.to_thread(applier.starts_of, live) if live.offsets else {}
        warnings = (
            *plans.warnings(declared, live),
            *offset_warnings(plain(old.properties, "offsets"), live, starts),
            *undeclared_warnings(f"group '{old.id}'", undeclared, removes),
        )
        state = _state(_live_inputs(declared, live, old.inputs, removes), live, warnings)
        return replace(state, properties={**state.properties, "undeclared": as_lines(undeclared)})

    def why_kept(self, declared: DeclaredGroup) -> str | None:
        return plans.why_protected(declared)

    async def judge_deletion(self, item: Deletion[DeclaredGroup]) -> None:
        refuse(plans.why_not_delete(item.declared, await self.look(item.declared)))

    async def send_deletion(self, item: Deletion[DeclaredGroup]) -> Outcome[object]:
        return await (await self.batches()).deletions.submit(GroupDeletion(item.declared, item.deadline))


def _vanished(old: Old) -> str:
    offsets = plain(old.properties, "offsets")
    count = f"{len(offsets)} committed offsets" if isinstance(offsets, dict) and offsets else "its committed offsets"
    return (
        f"group '{old.id}' HAS VANISHED: it is not on the cluster any more, and this stack did not delete it. {count} "
        "are gone: somebody deleted the group, or nobody used it for offsets.retention.minutes. The state has them in "
        "'offsets' until this refresh is saved. The next 'pulumi up' commits the declared start again."
    )


def _asks_reset(old: Properties, new: Properties) -> bool:
    """Whether the token is new, which asks for a reset."""
    wanted, was = groups.parse_reset(new), groups.parse_reset(old)
    return wanted is not None and (was is None or was.token != wanted.token)


def _creation_warnings(declared: DeclaredGroup, live: LiveGroup) -> tuple[str, ...]:
    warnings = list(plans.warnings(declared, live))
    if not plans.is_new(live) or live.shape.members:
        warnings.append(
            f"group '{declared.name}' exists ({live.shape.state}, {live.shape.members} members) and is adopted: "
            "none of its offsets is moved."
        )
    if declared.reset is not None:
        warnings.append(
            f"group '{declared.name}' is new to this stack: its reset is noted and not done. Give it a new token to "
            "move the offsets."
        )
    return tuple(warnings)


def _start_warnings(old: Properties, new: Properties) -> tuple[str, ...]:
    before, after = plain(old, "start"), plain(new, "start")
    if before == after or after is None:
        return ()
    warning = (
        f"group '{plain(new, 'name')}' exists: its start applies only when the group is created again, and moves "
        "nothing now. Declare a reset to move its offsets."
    )
    return (warning,)


def _live_inputs(declared: DeclaredGroup, live: LiveGroup, old: Properties, removes: bool) -> Properties:
    inputs: dict[str, Value] = dict(old) or {"name": declared.name, "deletion": "protected"}
    if not old and declared.reads:
        inputs["topics"] = list(declared.reads)
    config = shown_config("group", live.config, old, removes)
    if config or "config" in old:
        inputs["config"] = config
    return inputs


def _state(inputs: Properties, live: LiveGroup | None, warnings: tuple[str, ...] = ()) -> State:
    seen: dict[str, Value] = dict.fromkeys(("state", "members", "lag", "offsets", "undeclared"), UNKNOWN)
    if live is not None:
        seen = {
            "state": live.shape.state,
            "members": live.shape.members,
            "lag": live.lag,
            "offsets": as_output(live),
            "undeclared": as_lines(undeclared_config(live.config, inputs)),
        }
    return state_of(inputs["name"], inputs, seen, warnings)
