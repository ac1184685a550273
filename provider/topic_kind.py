"""`Topic` for the engine: its inputs and state around the set-wise core."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from . import topics
from .batches import Batch
from .config_values import same
from .kinds import Old, OperationError, State
from .outcomes import Failure, FailureKind
from .properties import UNKNOWN, has_unknown, reveal
from .topic_apply import (
    TopicApplier,
    TopicCreation,
    TopicDeletion,
    TopicUpdate,
)
from .topic_outcomes import Applied, gone, why_not_adopt
from .topic_plan import LiveTopic, plan_update, why_protected

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .changes import Checked, PropertyChange
    from .outcomes import Outcome
    from .properties import Properties, Value
    from .session import Session


class _Batches:
    """The engine's calls for topics, gathered into sets per operation."""

    def __init__(self, applier: TopicApplier) -> None:
        self.creations: Batch[TopicCreation, Outcome[Applied]] = Batch(applier.create)
        self.updates: Batch[TopicUpdate, Outcome[Applied]] = Batch(applier.update)
        self.deletions: Batch[TopicDeletion, Outcome[None]] = Batch(applier.delete)
        self.reads: Batch[str, Outcome[LiveTopic]] = Batch(applier.read)


class TopicKind:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._batches: _Batches | None = None

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked:
        return topics.check(resource_name, old, new, self._session.settings.owned.topics)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        return topics.diff(old, new)

    async def preview_create(self, new: Properties) -> State:
        if has_unknown(dict(new)):
            return _state(new, UNKNOWN)
        declared = topics.parse(new)
        live = await self._look(declared.name)
        if live is None:
            return _state(new, UNKNOWN)
        reason = why_not_adopt(declared, live)
        if reason is not None:
            raise OperationError(Failure(FailureKind.EXISTS, reason))
        return _state(
            new,
            live.topic_id,
            warnings=(f"topic '{declared.name}' exists, equals the declaration and is adopted.",),
        )

    async def create(self, new: Properties, timeout: float) -> State:
        declared = topics.parse(new)
        self._guard(declared.name)
        batches = await self._connected()
        item = TopicCreation(declared, self._session.deadline(timeout))
        return _applied_state(new, _value(await batches.creations.submit(item)))

    async def preview_update(self, old: Old, new: Properties) -> State:
        topic_id = old.properties.get("topicId")
        warnings = topics.warnings(old.inputs, new)
        if has_unknown(dict(new)):
            return _state(new, topic_id, warnings=warnings)
        declared = topics.parse(new)
        live = await self._look(declared.name)
        if live is None:
            raise OperationError(gone(declared.name))
        refusal = plan_update(_config_keys(old.inputs), declared, live).refusal
        if refusal is not None:
            raise OperationError(Failure(FailureKind.REFUSED, refusal))
        return _state(new, topic_id, warnings=warnings)

    async def update(self, old: Old, new: Properties, timeout: float) -> State:
        declared = topics.parse(new)
        self._guard(declared.name)
        batches = await self._connected()
        item = TopicUpdate(declared, _config_keys(old.inputs), self._session.deadline(timeout))
        return _applied_state(new, _value(await batches.updates.submit(item)))

    async def read(self, old: Old) -> State | None:
        live = await self._look(old.id)
        if live is None:
            return None
        return _state(_live_inputs(live, old.inputs), live.topic_id)

    async def delete(self, old: Old, timeout: float) -> None:
        declared = topics.parse(old.inputs or old.properties)
        self._guard(declared.name)
        reason = why_protected(declared)
        if reason is not None:
            raise OperationError(Failure(FailureKind.REFUSED, reason))
        batches = await self._connected()
        topic_id = reveal(old.properties.get("topicId"))
        item = TopicDeletion(
            declared,
            topic_id if isinstance(topic_id, str) else None,
            self._session.deadline(timeout),
        )
        self._session.reserve_delete(f"topic '{declared.name}'")
        outcome = await batches.deletions.submit(item)
        if outcome is not None:
            self._session.release_delete()
            raise OperationError(outcome)

    def _guard(self, name: str) -> None:
        """Checked in the preview too; looked at again because a state may come from elsewhere."""
        self._session.stop_if_cancelled()
        reason = topics.why_outside(name, self._session.settings.owned.topics)
        if reason is not None:
            raise OperationError(Failure(FailureKind.REFUSED, reason))

    async def _look(self, name: str) -> LiveTopic | None:
        """The live topic, None when the cluster says that there is none, else an error."""
        batches = await self._connected()
        live = await batches.reads.submit(name)
        if isinstance(live, Failure) and live.kind is FailureKind.MISSING:
            return None
        return _value(live)

    async def _connected(self) -> _Batches:
        admin = await self._session.admin()
        if self._batches is None:
            self._batches = _Batches(TopicApplier(admin, self._session.pause))
        return self._batches


T = TypeVar("T")


def _value(outcome: Outcome[T]) -> T:
    if isinstance(outcome, Failure):
        raise OperationError(outcome)
    return outcome


def _config_keys(inputs: Properties) -> frozenset[str]:
    config = reveal(inputs.get("config"))
    return frozenset(config) if isinstance(config, dict) else frozenset()


def _state(inputs: Properties, topic_id: Value, warnings: tuple[str, ...] = ()) -> State:
    name = reveal(inputs["name"])
    return State(
        id=name if isinstance(name, str) else "",
        inputs=inputs,
        properties={**inputs, "topicId": topic_id},
        warnings=warnings,
    )


def _applied_state(inputs: Properties, applied: Applied) -> State:
    if not applied.unfinished:
        return _state(inputs, applied.live.topic_id, applied.warnings)
    # Half done: what the cluster shows goes into the state, so that the next run sees the rest.
    live_inputs = _live_inputs(applied.live, inputs)
    return State(
        id=applied.live.name,
        inputs=live_inputs,
        properties={**live_inputs, "topicId": applied.live.topic_id},
        warnings=applied.warnings,
        unfinished=tuple(f"topic '{applied.live.name}': {line}" for line in applied.unfinished),
    )


def _live_inputs(live: LiveTopic, old: Properties) -> Properties:
    """The inputs that the live topic shows. Only what was declared is compared; an import, which
    declares nothing, takes every config that was set on the topic."""
    inputs: dict[str, Value] = {
        "name": live.name,
        "partitions": live.partitions,
        "replication": live.replication,
        "deletion": old.get("deletion", "protected"),
    }
    if "keyType" in old:
        inputs["keyType"] = old["keyType"]
    config = _live_config(live.config, old)
    if config or "config" in old:
        inputs["config"] = config
    return inputs


def _live_config(live: Mapping[str, str], old: Properties) -> dict[str, Value]:
    if not old:
        return dict(live)
    wrapped = old.get("config")
    declared = reveal(wrapped)
    if not isinstance(declared, dict):
        return {}
    shown: dict[str, Value] = {}
    for key, value in declared.items():
        if key in live:
            unchanged = isinstance(value, str) and same(value, live[key])
            shown[key] = value if unchanged else live[key]
    return shown
