"""The kind `Topic`: turns calls of the engine into calls for sets of topics."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from kafka_topology.cluster.live.topics import LiveTopic, kafka_id
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.plugin.batches import Batch
from kafka_topology.provider.plugin.properties import UNKNOWN, reveal

from ..base import Deletion, Old, OperationError, ResourceKind, State, refuse, state_of, value_of
from ..input_checks import as_lines, config_keys, plain, shown_config, undeclared_config, undeclared_warnings
from ..replicas.apply import Moved, ReplicaApplier, Replication
from . import inputs as topics
from .apply import TopicApplier, TopicCreation, TopicDeletion, TopicUpdate
from .inputs import DeclaredTopic
from .outcomes import Applied, created_again, made_again, missing, vanished, why_not_adopt
from .plan import left_over_throttle, plan_update, uneven, why_protected
from .preview import TopicPreviewer, TopicToUpdate
from .reads import TopicReads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kafka_topology.cluster.outcomes import Outcome
    from kafka_topology.provider.plugin.properties import Properties, Value

    from ..admin import Admin
    from ..changes import Checked, PropertyChange


Item = TypeVar("Item")
Result = TypeVar("Result")


class _Batches:
    """The engine's calls for topics, gathered into sets per operation."""

    def __init__(self, applier: TopicApplier, replicas: ReplicaApplier, reads: TopicReads) -> None:
        self.replicas = replicas

        def written(apply: Callable[[Sequence[Item]], list[Result]]) -> Callable[[Sequence[Item]], list[Result]]:
            """Discards reads that started before the write ended."""

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
        self.judged_deletions: Batch[TopicDeletion, Outcome[None]] = Batch(applier.judge_deletions)
        previewer = TopicPreviewer(applier.admin, applier.pause)
        self.previewed_creations: Batch[TopicCreation, Outcome[None]] = Batch(previewer.creations)
        self.previewed_updates: Batch[TopicToUpdate, Outcome[None]] = Batch(previewer.updates)
        self.reads: Batch[str, Outcome[LiveTopic]] = Batch(reads.read)
        # One set at a time: the throttles of brokers are removed after the last topic has been copied.
        self.replications: Batch[Replication, Outcome[Moved]] = Batch(written(replicas.move), at_a_time=1)


class TopicKind(ResourceKind[DeclaredTopic, "LiveTopic | None", _Batches]):
    word = "topic"

    def check(self, resource_name: str, old: Properties, new: Properties) -> Checked:
        return topics.check(resource_name, old, new, self._session.settings.owned.topics)

    def diff(self, old: Properties, new: Properties) -> tuple[PropertyChange, ...]:
        return topics.diff(old, new)

    def parse(self, inputs: Properties) -> DeclaredTopic:
        return topics.parse(inputs)

    def why_outside(self, declared: DeclaredTopic) -> str | None:
        return topics.why_outside(declared.name, self._session.settings.owned.topics)

    def gather(self, admin: Admin) -> _Batches:
        session, settings = self._session, self._session.settings
        return _Batches(
            TopicApplier(admin, session.pause, report=session.report),
            ReplicaApplier(admin.replicas, session.pause, rate=settings.replication_throttle, report=session.report),
            TopicReads(admin, pause=session.pause, patience=settings.operation_timeout),
        )

    async def look(self, declared: DeclaredTopic) -> LiveTopic | None:
        return await self._look_at(declared.name)

    async def _look_at(self, name: str) -> LiveTopic | None:
        """The live topic, or None if the cluster says that there is none. Raises if that is unknown."""
        live = await (await self.batches()).reads.submit(name)
        if isinstance(live, Failure) and live.kind is FailureKind.MISSING:
            return None
        return value_of(live)

    def unknown_state(self, new: Properties) -> State:
        return _state(new, UNKNOWN)

    def why_not_adopt(self, declared: DeclaredTopic, live: LiveTopic | None) -> str | None:
        return why_not_adopt(declared, live) if live is not None else None

    async def preview_new(self, declared: DeclaredTopic, live: LiveTopic | None, new: Properties) -> State:
        if live is not None:
            adopted = f"topic '{declared.name}' exists, equals the declaration and is adopted."
            return _state(new, live.topic_id, live.config, warnings=(adopted,))
        item = TopicCreation(declared, self._session.deadline(0))
        value_of(await (await self.batches()).previewed_creations.submit(item))
        return _state(new, UNKNOWN, warnings=self._made_empty(new))

    async def create_new(self, declared: DeclaredTopic, new: Properties, timeout: float) -> State:
        item = TopicCreation(declared, self._session.deadline(timeout))
        applied = value_of(await (await self.batches()).creations.submit(item))
        return _applied_state(new, replace(applied, warnings=(*applied.warnings, *self._made_empty(new))))

    def _made_empty(self, new: Properties) -> tuple[str, ...]:
        """Repeats the warning of the refresh when the topic is created again."""
        return (made_again(str(plain(new, "name"))),) if self.has_vanished(new) else ()

    async def preview_update(self, old: Old, new: Properties) -> State:
        topic_id = old.properties.get("topicId")
        warnings = topics.warnings(old.inputs, new)
        if self.is_unknown(new):
            return _state(new, topic_id, warnings=warnings)
        declared = topics.parse(new)
        live = await self.look(declared)
        if live is None and _id_in(old) is None:
            return _never_seen(await self.preview_new(declared, None, new))
        if live is None:
            raise OperationError(missing(declared.name))
        plan = plan_update(config_keys(old.inputs), declared, live)
        refuse(plan.refusal)
        batches = await self.batches()
        item = TopicToUpdate(declared.name, plan, self._session.deadline(0))
        value_of(await batches.previewed_updates.submit(item))
        notes: tuple[str, ...] = ()
        if not live.has_replication(declared.replication):
            notes = (value_of(await asyncio.to_thread(batches.replicas.preview, declared.name, declared.replication)),)
        kept = {key: value for key, value in live.config.items() if key not in config_keys(old.inputs)}
        return _state(new, topic_id, kept, warnings=warnings, notes=notes)

    async def update_known(self, declared: DeclaredTopic, old: Old, new: Properties, timeout: float) -> State:
        batches = await self.batches()
        if _id_in(old) is None and await self._look_at(declared.name) is None:
            return _never_seen(await self.create_new(declared, new, timeout))
        before = plain(old.inputs, "replication")
        # Settings that need the new replicas, such as min.insync.replicas, wait for them. Settings that need the
        # old ones are changed before those are removed.
        grows = isinstance(before, int) and declared.replication > before
        moved = await self._replicate(declared, timeout) if grows else Moved()
        if moved.unfinished:
            return await self._half_replicated(old, declared.name, moved)
        item = TopicUpdate(declared, config_keys(old.inputs), self._session.deadline(timeout))
        applied = value_of(await batches.updates.submit(item))
        if not grows and not (before == declared.replication and applied.live.has_replication(declared.replication)):
            moved = await self._replicate(declared, timeout)
            if moved.unfinished:
                return await self._half_replicated(old, declared.name, moved)
        return _applied_state(new, replace(applied, warnings=(*applied.warnings, *moved.warnings)))

    async def _replicate(self, declared: DeclaredTopic, timeout: float) -> Moved:
        item = Replication(declared.name, declared.replication, self._session.long_deadline(timeout))
        return value_of(await (await self.batches()).replications.submit(item))

    async def _half_replicated(self, old: Old, name: str, moved: Moved) -> State:
        """Keeps the old replication in the state, so the next run continues."""
        live = await self._look_at(name)
        if live is None:
            raise OperationError(missing(name))
        inputs = {**_live_inputs(live, old.inputs), "replication": old.inputs["replication"]}
        state = _state(inputs, live.topic_id, live.config, moved.warnings)
        return replace(state, unfinished=moved.unfinished)

    async def read(self, old: Old) -> State | None:
        live = await self._look_at(old.id)
        if live is None:
            return self.vanished(old, vanished(old.id, _id_in(old)), had_content=_id_in(old) is not None)
        removes = self._session.settings.removes_undeclared
        undeclared = undeclared_config(live.config, old.inputs)
        state = _state(_live_inputs(live, old.inputs, removes), live.topic_id)
        warnings = (
            *_recreated_warnings(old, live),
            *uneven(live),
            *left_over_throttle(live),
            *undeclared_warnings(f"topic '{old.id}'", undeclared, removes),
        )
        properties = {**state.properties, "undeclared": as_lines(undeclared)}
        return replace(state, properties=properties, warnings=warnings)

    def why_kept(self, declared: DeclaredTopic) -> str | None:
        return why_protected(declared)

    async def judge_deletion(self, item: Deletion[DeclaredTopic]) -> None:
        value_of(await (await self.batches()).judged_deletions.submit(_deletion(item)))

    async def send_deletion(self, item: Deletion[DeclaredTopic]) -> Outcome[object]:
        return await (await self.batches()).deletions.submit(_deletion(item))


def _deletion(item: Deletion[DeclaredTopic]) -> TopicDeletion:
    return TopicDeletion(item.declared, _id_in(item.old), item.deadline)


def _id_in(old: Old) -> str | None:
    """The topic's id in the state; None if the topic was created and never became visible."""
    topic_id = plain(old.properties, "topicId")
    return topic_id if isinstance(topic_id, str) and topic_id else None


def _never_seen(state: State) -> State:
    return replace(state, warnings=(*state.warnings, created_again(str(state.id))))


def _recreated_warnings(old: Old, live: LiveTopic) -> tuple[str, ...]:
    """A warning if somebody deleted the topic and created it again: its old records are gone."""
    before = plain(old.properties, "topicId")
    if not isinstance(before, str) or not before or kafka_id(before) == live.topic_id:
        return ()
    warning = (
        f"topic '{live.name}' is not the same one as before: its id was {before} and is {live.topic_id}. Somebody "
        "deleted it and created it again outside this stack, and its old records are gone. Find out who did; offsets "
        "that groups committed before do not fit the new topic."
    )
    return (warning,)


def _state(
    inputs: Properties,
    topic_id: Value,
    live: Mapping[str, str] | None = None,
    warnings: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> State:
    """`live` is the config on the cluster, if known; its undeclared settings become an output."""
    undeclared = as_lines(undeclared_config(live or {}, inputs))
    return state_of(inputs["name"], inputs, {"topicId": topic_id, "undeclared": undeclared}, warnings, notes)


def _applied_state(inputs: Properties, applied: Applied) -> State:
    if not applied.unfinished:
        return _state(inputs, applied.live.topic_id, applied.live.config, applied.warnings)
    # Unfinished: the state gets what the cluster shows, so the next run does the rest.
    state = _state(_live_inputs(applied.live, inputs), applied.live.topic_id, applied.live.config, applied.warnings)
    return replace(state, unfinished=tuple(f"topic '{applied.live.name}': {line}" for line in applied.unfinished))


def _live_inputs(live: LiveTopic, old: Properties, removes: bool = False) -> Properties:
    """The inputs as the live topic shows them. Compares only declared settings; an import, which
    declares nothing, takes every setting of the topic."""
    inputs: dict[str, Value] = {
        "name": live.name,
        "partitions": live.partitions,
        "replication": live.shown_replication(reveal(old.get("replication"))),
        "deletion": old.get("deletion", "protected"),
    }
    if "keyType" in old:
        inputs["keyType"] = old["keyType"]
    config = shown_config("topic", live.config, old, removes)
    if config or "config" in old:
        inputs["config"] = config
    return inputs
