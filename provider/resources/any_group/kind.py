"""What the kinds of groups share: turns calls of the engine into calls for sets of groups."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from kafka_topology.cluster.outcomes import FailureKind, Outcome
from kafka_topology.provider.plugin.batches import Batch
from kafka_topology.provider.plugin.properties import UNKNOWN, reveal

from ..base import Deletion, Old, ResourceKind, State, refuse, state_of, value_of
from ..input_checks import as_lines, config_keys, plain, shown_config, undeclared_config, undeclared_warnings
from .apply import AnyGroupApplier, AppliedGroup, Declared, GroupChange, GroupDeletion, Live
from .inputs import GroupInputs, parse_reset
from .plan import lag_warnings, why_protected

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from kafka_topology.provider.plugin.properties import Properties, Value

    from ..admin import Admin
    from ..changes import Checked, PropertyChange


@dataclass(frozen=True, slots=True)
class GroupBatches(Generic[Declared, Live]):
    """The engine's calls for groups, gathered into sets per operation."""

    applier: AnyGroupApplier[Any, Declared, Live, Any, Any]
    changes: Batch[GroupChange[Declared], Outcome[AppliedGroup[Live]]]
    deletions: Batch[GroupDeletion[Declared], Outcome[None]]
    reads: Batch[Declared, Outcome[Live]]


class AnyGroupKind(ResourceKind[Declared, Live, GroupBatches[Declared, Live]]):
    inputs: ClassVar[GroupInputs]
    offsets: ClassVar[str]  # what this type of group calls its offsets
    vanishing: ClassVar[str]  # who may have removed it
    starting: ClassVar[str]  # the verb for its declared start

    @abstractmethod
    def applier(self, admin: Admin) -> AnyGroupApplier[Any, Declared, Live, Any, Any]: ...

    @abstractmethod
    def of_topics(self, name: str, topics: Sequence[str]) -> Declared:
        """A group about which nothing but its topics is known."""

    @abstractmethod
    def topics_of(self, declared: Declared) -> Sequence[str]: ...

    @abstractmethod
    def as_output(self, live: Live) -> dict[str, Value]:
        """The offsets by `topic-partition`, as the state keeps them."""

    @abstractmethod
    def adoption_warnings(self, declared: Declared, live: Live) -> tuple[str, ...]: ...

    @abstractmethod
    def why_not_reset(self, declared: Declared, live: Live) -> str | None: ...

    @abstractmethod
    def reset_warning(self, declared: Declared, live: Live) -> str: ...

    @abstractmethod
    async def offset_warnings(self, old: Old, live: Live) -> tuple[str, ...]:
        """What happened to its offsets since the last look."""

    def why_other(self, declared: Declared, live: Live) -> str | None:  # noqa: ARG002
        """Why what has this name on the cluster is something else."""
        return None

    def warnings(self, declared: Declared, live: Live) -> tuple[str, ...]:
        return lag_warnings(f"{self.word} '{declared.name}'", declared, live)

    def parts(self, inputs: Properties) -> frozenset[Hashable]:
        """Groups of all types have one namespace: the same name is the same thing."""
        name = reveal(inputs.get(self.identity))
        return frozenset({("group", name)}) if isinstance(name, str) else frozenset()

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked:
        return self.inputs.check(resource_name, old, new, self._session.settings.owned.groups)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        return self.inputs.diff(old, new)

    def why_outside(self, declared: Declared) -> str | None:
        return self.inputs.why_outside(declared.name, self._session.settings.owned.groups)

    def gather(self, admin: Admin) -> GroupBatches[Declared, Live]:
        applier = self.applier(admin)
        return GroupBatches(applier, Batch(applier.change), Batch(applier.delete), Batch(applier.read))

    async def look(self, declared: Declared) -> Live:
        return value_of(await (await self.batches()).reads.submit(declared))

    def unknown_state(self, new: Properties) -> State:
        return self._state(new, None)

    async def preview_new(self, declared: Declared, live: Live, new: Properties) -> State:
        adopted = self.adoption_warnings(declared, live)
        warnings = (*self.warnings(declared, live), *adopted, *self._made_again(new))
        return self._state(new, live if live.exists else None, warnings)

    async def preview_update(self, old: Old, new: Properties) -> State:
        if self.is_unknown(new):
            return self._state(new, None)
        declared = self.parse(new)
        live = await self.look(declared)
        refuse(self.why_other(declared, live))
        warnings = self.warnings(declared, live)
        if _asks_reset(old.inputs, new) and declared.reset is not None:
            refuse(self.why_not_reset(declared, live))
            warnings = (*warnings, self.reset_warning(declared, live))
        return self._state(new, live, (*warnings, *self._start_warnings(old.inputs, new)))

    async def create_new(self, declared: Declared, new: Properties, timeout: float) -> State:
        before = await self.look(declared)
        item = GroupChange(declared, self._session.deadline(timeout), is_new=True)
        applied = value_of(await (await self.batches()).changes.submit(item))
        if applied.unfinished:
            message = "; ".join(applied.unfinished)
            refuse(f"{message}. Run 'pulumi up' again to complete it.", FailureKind.UNCERTAIN)
        adopted = self.adoption_warnings(declared, before)
        warnings = (*self.warnings(declared, applied.live), *adopted, *self._made_again(new))
        return self._state(new, applied.live, warnings)

    async def update_known(self, declared: Declared, old: Old, new: Properties, timeout: float) -> State:
        item = GroupChange(
            declared,
            self._session.deadline(timeout),
            previous_config=config_keys(old.inputs),
            reset=_asks_reset(old.inputs, new),
        )
        applied = value_of(await (await self.batches()).changes.submit(item))
        if not applied.unfinished:
            return self._state(new, applied.live, self.warnings(declared, applied.live))
        # Unfinished: keep the old reset in the state, so the next run does the new one.
        kept = {key: value for key, value in new.items() if key != "reset"}
        if "reset" in old.inputs:
            kept["reset"] = old.inputs["reset"]
        if "config" in kept:
            kept["config"] = shown_config("group", applied.live.config, new)
        return replace(self._state(kept, applied.live), unfinished=applied.unfinished)

    async def read(self, old: Old) -> State | None:
        declared = self.parse({"name": old.id, **old.inputs})
        if not old.inputs:
            applier = (await self.batches()).applier
            declared = self.of_topics(old.id, value_of(await asyncio.to_thread(applier.topics_of, old.id)))
        live = await self.look(declared)
        refuse(self.why_other(declared, live))
        # A group without a declared start is not on the cluster until a consumer uses it.
        if not live.exists and (not old.inputs or declared.start is not None):
            return self.vanished(old, self._vanished_warning(old))
        removes = self._session.settings.removes_undeclared
        undeclared = undeclared_config(live.config, old.inputs)
        warnings = (
            *self.warnings(declared, live),
            *await self.offset_warnings(old, live),
            *undeclared_warnings(f"{self.word} '{old.id}'", undeclared, removes),
        )
        state = self._state(self._live_inputs(declared, live, old.inputs, removes), live, warnings)
        return replace(state, properties={**state.properties, "undeclared": as_lines(undeclared)})

    def why_kept(self, declared: Declared) -> str | None:
        return why_protected(f"{self.word} '{declared.name}'", declared, self.offsets)

    async def judge_deletion(self, item: Deletion[Declared]) -> None:
        live = await self.look(item.declared)
        refuse((await self.batches()).applier.why_not_delete(item.declared, live))

    async def send_deletion(self, item: Deletion[Declared]) -> Outcome[object]:
        return await (await self.batches()).deletions.submit(GroupDeletion(item.declared, item.deadline))

    def _made_again(self, new: Properties) -> tuple[str, ...]:
        if not self.has_vanished(new):
            return ()
        warning = (
            f"{self.named(new)} had vanished from the cluster and is created again: its old {self.offsets} are gone, "
            "and it begins at its declared start."
        )
        return (warning,)

    def _vanished_warning(self, old: Old) -> str:
        known = plain(old.properties, "offsets")
        count = len(known) if isinstance(known, dict) and known else "its"
        return (
            f"{self.word} '{old.id}' HAS VANISHED: it is not on the cluster any more, and this stack did not delete "
            f"it. {count} {self.offsets} are gone: {self.vanishing}. The state has them in 'offsets' until this "
            f"refresh is saved. The next 'pulumi up' {self.starting} the declared start again."
        )

    def _start_warnings(self, old: Properties, new: Properties) -> tuple[str, ...]:
        before, after = plain(old, "start"), plain(new, "start")
        if before == after or after is None:
            return ()
        warning = (
            f"{self.named(new)} exists: its start applies only when the group is created again, and moves nothing "
            f"now. Declare a reset to move its {self.offsets}."
        )
        return (warning,)

    def _live_inputs(self, declared: Declared, live: Live, old: Properties, removes: bool) -> Properties:
        inputs: dict[str, Value] = dict(old) or {"name": declared.name, "deletion": "protected"}
        if not old and (topics := self.topics_of(declared)):
            inputs["topics"] = list(topics)
        config = shown_config("group", live.config, old, removes)
        if config or "config" in old:
            inputs["config"] = config
        return inputs

    def _state(self, inputs: Properties, live: Live | None, warnings: tuple[str, ...] = ()) -> State:
        seen: dict[str, Value] = dict.fromkeys(("state", "members", "lag", "offsets", "undeclared"), UNKNOWN)
        if live is not None:
            seen = {
                "state": live.shape.state,
                "members": live.shape.members,
                "lag": live.lag,
                "offsets": self.as_output(live),
                "undeclared": as_lines(undeclared_config(live.config, inputs)),
            }
        return state_of(inputs["name"], inputs, seen, warnings)


def _asks_reset(old: Properties, new: Properties) -> bool:
    """Whether the token is new, which asks for a reset."""
    wanted, was = parse_reset(new), parse_reset(old)
    return wanted is not None and (was is None or was.token != wanted.token)
