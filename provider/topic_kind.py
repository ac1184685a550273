"""`Topic` for the engine: its inputs and state around the set-wise core."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from . import topics
from .batches import Batch
from .input_checks import plain, shown_config
from .kinds import Old, OperationError, State, value_of
from .outcomes import Failure, FailureKind
from .properties import UNKNOWN, has_unknown, reveal
from .replica_apply import Moved, ReplicaApplier, Replication
from .topic_apply import (
    TopicApplier,
    TopicCreation,
    TopicDeletion,
    TopicUpdate,
)
from .topic_outcomes import Applied, gone, why_not_adopt
from .topic_plan import LiveTopic, plan_update, why_protected
from .topic_reads import TopicReads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .changes import Checked, PropertyChange
    from .outcomes import Outcome
    from .properties import Properties, Value
    from .session import Session
    from .topics import DeclaredTopic


Item = TypeVar("Item")
Result = TypeVar("Result")


class _Batches:
    """The engine's calls for topics, gathered into sets per operation."""

    def __init__(self, applier: TopicApplier, replicas: ReplicaApplier, reads: TopicReads) -> None:
        self.replicas = replicas

        def written(apply: Callable[[Sequence[Item]], list[Result]]) -> Callable[[Sequence[Item]], list[Result]]:
            """A look from before a write, or from the midst of it, answers nobody afterwards."""

            def run(items: Sequence[Item]) -> list[Result]:
                reads.wrote()
                try:
                    return apply(items)
                finally:
                    reads.wrote()

            return run

        self.creations: Batch[TopicCreation, Outcome[Applied]] = Batch(written(applier.create))
        self.updates: Batch[TopicUpdate, Outcome[Applied]] = Batch(written(applier.update))
        self.deletions: Batch[TopicDeletion, Outcome[None]] = Batch(written(applier.delete))
        self.reads: Batch[str, Outcome[LiveTopic]] = Batch(reads.read)
        # One at a time: the throttles of brokers go when the last topic has been copied.
        self.replications: Batch[Replication, Outcome[Moved]] = Batch(written(replicas.move), at_a_time=1)


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
        return _applied_state(new, value_of(await batches.creations.submit(item)))

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
        notes: tuple[str, ...] = ()
        if live.replication != declared.replication:
            replicas = (await self._connected()).replicas
            notes = (value_of(await asyncio.to_thread(replicas.preview, declared.name, declared.replication)),)
        return _state(new, topic_id, warnings=warnings, notes=notes)

    async def update(self, old: Old, new: Properties, timeout: float) -> State:
        declared = topics.parse(new)
        self._guard(declared.name)
        batches = await self._connected()
        before = plain(old.inputs, "replication")
        # Settings that need the new replicas, such as min.insync.replicas, wait for them; those that
        # must not need the old ones any more come before they go.
        grows = isinstance(before, int) and declared.replication > before
        moved = await self._replicate(declared, timeout) if grows else Moved()
        if moved.unfinished:
            return await self._half_replicated(old, declared.name, moved)
        item = TopicUpdate(declared, _config_keys(old.inputs), self._session.deadline(timeout))
        applied = value_of(await batches.updates.submit(item))
        if not grows and not before == declared.replication == applied.live.replication:
            moved = await self._replicate(declared, timeout)
            if moved.unfinished:
                return await self._half_replicated(old, declared.name, moved)
        return _applied_state(new, replace(applied, warnings=(*applied.warnings, *moved.warnings)))

    async def _replicate(self, declared: DeclaredTopic, timeout: float) -> Moved:
        batches = await self._connected()
        item = Replication(declared.name, declared.replication, self._session.long_deadline(timeout))
        return value_of(await batches.replications.submit(item))

    async def _half_replicated(self, old: Old, name: str, moved: Moved) -> State:
        """The state keeps the old replication, so that the next run goes on."""
        live = await self._look(name)
        if live is None:
            raise OperationError(gone(name))
        inputs = {**_live_inputs(live, old.inputs), "replication": old.inputs["replication"]}
        state = _state(inputs, live.topic_id, moved.warnings)
        return replace(state, unfinished=moved.unfinished)

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
        return value_of(live)

    async def _connected(self) -> _Batches:
        admin = await self._session.admin()
        if self._batches is None:
            session = self._session
            replicas = ReplicaApplier(
                admin.replicas, session.pause, session.settings.replication_throttle, session.tell
            )
            self._batches = _Batches(TopicApplier(admin, session.pause), replicas, TopicReads(admin))
        return self._batches


def _config_keys(inputs: Properties) -> frozenset[str]:
    config = reveal(inputs.get("config"))
    return frozenset(config) if isinstance(config, dict) else frozenset()


def _state(inputs: Properties, topic_id: Value, warnings: tuple[str, ...] = (), notes: tuple[str, ...] = ()) -> State:
    name = reveal(inputs["name"])
    return State(
        id=name if isinstance(name, str) else "",
        inputs=inputs,
        properties={**inputs, "topicId": topic_id},
        warnings=warnings,
        notes=notes,
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
        # While replicas are copied, the new ones are counted already: until then it is as it was.
        "replication": old.get("replication", live.replication) if live.throttled else live.replication,
        "deletion": old.get("deletion", "protected"),
    }
    if "keyType" in old:
        inputs["keyType"] = old["keyType"]
    config = shown_config(live.config, old)
    if config or "config" in old:
        inputs["config"] = config
    return inputs
