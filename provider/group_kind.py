"""`ConsumerGroup` for the engine: its inputs and state around the set-wise core."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import group_plan as plans
from . import groups
from .batches import Batch
from .group_apply import AppliedGroup, GroupApplier, GroupChange, GroupDeletion
from .group_plan import LiveGroup
from .groups import DeclaredGroup
from .input_checks import plain, shown_config
from .kinds import Old, OperationError, State, value_of
from .outcomes import Failure, FailureKind
from .properties import UNKNOWN, has_unknown

if TYPE_CHECKING:
    from .changes import Checked, PropertyChange
    from .outcomes import Outcome
    from .properties import Properties, Value
    from .session import Session


@dataclass(frozen=True, slots=True)
class _Batches:
    """The engine's calls for groups, gathered into sets per operation."""

    applier: GroupApplier
    changes: Batch[GroupChange, Outcome[AppliedGroup]]
    deletions: Batch[GroupDeletion, Outcome[None]]
    reads: Batch[DeclaredGroup, Outcome[LiveGroup]]


class GroupKind:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._batches: _Batches | None = None

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked:
        return groups.check(resource_name, old, new, self._session.settings.owned.groups)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        return groups.diff(old, new)

    async def preview_create(self, new: Properties) -> State:
        if has_unknown(dict(new)):
            return _state(new, None)
        declared = groups.parse(new)
        live = await self._look(declared)
        lines = plans.config_differences(declared, live)
        if lines:
            raise OperationError(Failure(FailureKind.EXISTS, plans.why_not_adopt(declared, lines)))
        return _state(new, live if live.exists else None, _told_of_creation(declared, live))

    async def create(self, new: Properties, timeout: float) -> State:
        declared = groups.parse(new)
        self._guard(declared.name)
        batches = await self._connected()
        item = GroupChange(declared, self._session.deadline(timeout), is_new=True)
        applied = value_of(await batches.changes.submit(item))
        if applied.unfinished:
            message = "; ".join(applied.unfinished)
            raise OperationError(Failure(FailureKind.UNCERTAIN, f"{message}. Run 'pulumi up' again to complete it."))
        return _state(new, applied.live, _told_of_creation(declared, applied.live))

    async def preview_update(self, old: Old, new: Properties) -> State:
        if has_unknown(dict(new)):
            return _state(new, None)
        declared = groups.parse(new)
        live = await self._look(declared)
        told = plans.warnings(declared, live)
        if _asks_reset(old.inputs, new) and declared.reset is not None:
            reason = plans.why_not_reset(declared, live)
            if reason is not None:
                raise OperationError(Failure(FailureKind.REFUSED, reason))
            told = (*told, plans.told_of_reset(declared, declared.reset, live))
        return _state(new, live, (*told, *_told_of_start(old.inputs, new)))

    async def update(self, old: Old, new: Properties, timeout: float) -> State:
        declared = groups.parse(new)
        self._guard(declared.name)
        batches = await self._connected()
        item = GroupChange(
            declared,
            self._session.deadline(timeout),
            previous_config=_config_keys(old.inputs),
            reset=_asks_reset(old.inputs, new),
        )
        applied = value_of(await batches.changes.submit(item))
        if not applied.unfinished:
            return _state(new, applied.live, plans.warnings(declared, applied.live))
        # Half done: the reset stays undone in the state, so that the next run sees it.
        kept = {key: value for key, value in new.items() if key != "reset"}
        if "reset" in old.inputs:
            kept["reset"] = old.inputs["reset"]
        if "config" in kept:
            kept["config"] = shown_config(applied.live.config, new)
        state = _state(kept, applied.live)
        return State(state.id, state.inputs, state.properties, unfinished=applied.unfinished)

    async def read(self, old: Old) -> State | None:
        declared = groups.parse({"name": old.id, **old.inputs})
        if not old.inputs:
            batches = await self._connected()
            topics = value_of(await asyncio.to_thread(batches.applier.topics_of, old.id))
            declared = DeclaredGroup(old.id, dict.fromkeys(topics))
        live = await self._look(declared)
        # A group without a declared start leaves nothing on the cluster until somebody uses it.
        if not live.exists and (not old.inputs or declared.start is not None):
            return None
        return _state(_live_inputs(declared, live, old.inputs), live, plans.warnings(declared, live))

    async def delete(self, old: Old, timeout: float) -> None:
        declared = groups.parse(old.inputs or old.properties)
        self._guard(declared.name)
        reason = plans.why_protected(declared)
        if reason is not None:
            raise OperationError(Failure(FailureKind.REFUSED, reason))
        batches = await self._connected()
        self._session.reserve_delete(f"group '{declared.name}'")
        outcome = await batches.deletions.submit(GroupDeletion(declared, self._session.deadline(timeout)))
        if outcome is not None:
            self._session.release_delete()
            raise OperationError(outcome)

    def _guard(self, name: str) -> None:
        self._session.stop_if_cancelled()
        reason = groups.why_outside(name, self._session.settings.owned.groups)
        if reason is not None:
            raise OperationError(Failure(FailureKind.REFUSED, reason))

    async def _look(self, declared: DeclaredGroup) -> LiveGroup:
        batches = await self._connected()
        return value_of(await batches.reads.submit(declared))

    async def _connected(self) -> _Batches:
        admin = await self._session.admin()
        if self._batches is None:
            applier = GroupApplier(admin.groups, self._session.pause)
            self._batches = _Batches(applier, Batch(applier.change), Batch(applier.delete), Batch(applier.read))
        return self._batches


def _asks_reset(old: Properties, new: Properties) -> bool:
    """A reset is asked for by a token that is new."""
    wanted, was = groups.parse_reset(new), groups.parse_reset(old)
    return wanted is not None and (was is None or was.token != wanted.token)


def _config_keys(inputs: Properties) -> frozenset[str]:
    config = plain(inputs, "config")
    return frozenset(config) if isinstance(config, dict) else frozenset()


def _told_of_creation(declared: DeclaredGroup, live: LiveGroup) -> tuple[str, ...]:
    told = list(plans.warnings(declared, live))
    if not plans.is_new(live) or live.shape.members:
        told.append(
            f"group '{declared.name}' exists ({live.shape.state}, {live.shape.members} members) and is adopted: "
            "none of its offsets is moved."
        )
    if declared.reset is not None:
        told.append(
            f"group '{declared.name}' is new to this stack: its reset is noted and not done. Give it a new token "
            "to move the offsets."
        )
    return tuple(told)


def _told_of_start(old: Properties, new: Properties) -> tuple[str, ...]:
    before, after = plain(old, "start"), plain(new, "start")
    if before == after or after is None:
        return ()
    told = (
        f"group '{plain(new, 'name')}' exists: its start is kept for a group that is made anew, and moves nothing "
        "now. Declare a reset to move its offsets."
    )
    return (told,)


def _live_inputs(declared: DeclaredGroup, live: LiveGroup, old: Properties) -> Properties:
    inputs: dict[str, Value] = dict(old) or {"name": declared.name, "deletion": "protected"}
    if not old and declared.reads:
        inputs["topics"] = list(declared.reads)
    config = shown_config(live.config, old)
    if config or "config" in old:
        inputs["config"] = config
    return inputs


def _state(inputs: Properties, live: LiveGroup | None, warnings: tuple[str, ...] = ()) -> State:
    seen: dict[str, Value] = dict.fromkeys(("state", "members", "lag"), UNKNOWN)
    if live is not None:
        seen = {"state": live.shape.state, "members": live.shape.members, "lag": live.lag}
    name = plain(inputs, "name")
    return State(
        id=name if isinstance(name, str) else "",
        inputs=inputs,
        properties={**inputs, **seen},
        warnings=warnings,
    )
