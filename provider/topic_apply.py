"""Creates, updates, reads and deletes sets of topics. Each item gets its own outcome, in order.

Two habits run through all of it. A write is confirmed by reading it back until a deadline, because
the brokers answer before the change can be seen. Where no answer came, it looks before it acts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias, TypeGuard, TypeVar

from . import topic_outcomes as told
from .attempts import attempts
from .outcomes import Failure, FailureKind, Outcome
from .topic_plan import (
    ConfigChange,
    LiveTopic,
    TopicContents,
    TopicPlan,
    differences,
    is_applied,
    plan_update,
    why_not_delete,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .admin import TopicAdmin
    from .topics import DeclaredTopic


@dataclass(frozen=True, slots=True)
class TopicCreation:
    declared: DeclaredTopic
    deadline: float


@dataclass(frozen=True, slots=True)
class TopicUpdate:
    declared: DeclaredTopic
    previous_config: frozenset[str]
    deadline: float


@dataclass(frozen=True, slots=True)
class TopicDeletion:
    declared: DeclaredTopic
    topic_id: str | None
    deadline: float


_Usage: TypeAlias = tuple[tuple[str, ...], TopicContents]
_UNUSED: Final[_Usage] = ((), TopicContents(0))
Item = TypeVar("Item", TopicCreation, TopicUpdate, TopicDeletion)


@dataclass(frozen=True, slots=True)
class TopicApplier:
    """`pause` waits so many seconds and says whether to go on: False once the run is cancelled."""

    admin: TopicAdmin
    pause: Callable[[float], bool]
    clock: Callable[[], float] = field(default=time.monotonic)

    def create(self, items: Sequence[TopicCreation]) -> list[Outcome[told.Applied]]:
        outcomes: dict[str, Outcome[told.Applied]] = {}
        made, existing = self._send_creations(items, outcomes)
        # The broker may say that a topic exists before it can describe it: wait for those as well.
        for name, live in self._look_until(existing, lambda _, live: _is_there(live)).items():
            outcomes[name] = told.adopted(existing[name].declared, live)
        for name, live in self._look_until(made, _equals_declaration).items():
            outcomes[name] = told.made(made[name].declared, live)
        return [outcomes[item.declared.name] for item in items]

    def _send_creations(
        self, items: Sequence[TopicCreation], outcomes: dict[str, Outcome[told.Applied]]
    ) -> tuple[dict[str, TopicCreation], dict[str, TopicCreation]]:
        """The topics that were made, and those that existed. Failures go to the outcomes."""
        made: dict[str, TopicCreation] = {}
        existing: dict[str, TopicCreation] = {}
        pending = {item.declared.name: item for item in items}
        for _ in attempts(pending, self.pause):
            answers = self.admin.create_topics([item.declared for item in pending.values()])
            for name, answer in answers.items():
                if answer is None:
                    made[name] = pending.pop(name)
                elif answer.kind is FailureKind.EXISTS:
                    existing[name] = pending.pop(name)
                # Without an answer, asking again is safe: a topic that was made now "exists".
                elif answer.kind is not FailureKind.UNCERTAIN or self._is_late(pending[name]):
                    del pending[name]
                    outcomes[name] = answer
        outcomes.update((name, told.cancelled(name)) for name in pending)
        return made, existing

    def update(self, items: Sequence[TopicUpdate]) -> list[Outcome[told.Applied]]:
        by_name = {item.declared.name: item for item in items}
        outcomes: dict[str, Outcome[told.Applied]] = {}
        plans: dict[str, TopicPlan] = {}
        for name, live in self.admin.describe_topics(by_name).items():
            if isinstance(live, Failure):
                outcomes[name] = told.gone(name) if _is_missing(live) else live
                continue
            plan = plan_update(by_name[name].previous_config, by_name[name].declared, live)
            if plan.refusal is not None:
                outcomes[name] = Failure(FailureKind.REFUSED, plan.refusal)
            else:
                plans[name] = plan
        accepted, errors = self._send_updates(plans)
        shown = self._look_until(
            {name: by_name[name] for name in plans},
            lambda item, live: isinstance(live, LiveTopic) and is_applied(accepted[item.declared.name], live),
        )
        for name, live in shown.items():
            outcomes[name] = told.updated(by_name[name].declared, live, errors.get(name, ()))
        return [outcomes[item.declared.name] for item in items]

    def _send_updates(self, plans: Mapping[str, TopicPlan]) -> tuple[dict[str, TopicPlan], dict[str, tuple[str, ...]]]:
        """What the brokers accepted of each plan, and what they said to the rest.

        A missing answer counts as accepted: reading back tells what came of it.
        """
        accepted, errors = dict(plans), dict[str, tuple[str, ...]]()
        totals = {name: plan.partitions for name, plan in plans.items() if plan.partitions}
        configs = {name: plan.config for name, plan in plans.items() if plan.config}
        for name, answer in (self.admin.create_partitions(totals) if totals else {}).items():
            if _is_refusal(answer):
                accepted[name] = replace(accepted[name], partitions=None)
                errors[name] = (*errors.get(name, ()), answer.message)
        for name, answer in (self.admin.alter_configs(configs) if configs else {}).items():
            if _is_refusal(answer):
                accepted[name] = replace(accepted[name], config=ConfigChange())
                errors[name] = (*errors.get(name, ()), answer.message)
        return accepted, errors

    def delete(self, items: Sequence[TopicDeletion]) -> list[Outcome[None]]:
        """Protection and ownership were looked at before: this asks what only the cluster knows."""
        outcomes: dict[str, Outcome[None]] = {}
        going = self._deletable({item.declared.name: item for item in items}, outcomes)
        for name, answer in (self.admin.delete_topics(going) if going else {}).items():
            # Without an answer it may be gone or not: looking tells.
            if answer is not None and answer.kind is not FailureKind.UNCERTAIN:
                outcomes[name] = None if answer.kind is FailureKind.MISSING else answer
                del going[name]
        for name, live in self._look_until(going, lambda _, live: _is_missing(live)).items():
            outcomes[name] = None if _is_missing(live) else told.still_there(name)
        return [outcomes[item.declared.name] for item in items]

    def _deletable(
        self, by_name: Mapping[str, TopicDeletion], outcomes: dict[str, Outcome[None]]
    ) -> dict[str, TopicDeletion]:
        live: dict[str, LiveTopic] = {}
        for name, answer in self.admin.describe_topics(by_name).items():
            if isinstance(answer, LiveTopic):
                live[name] = answer
            else:
                outcomes[name] = None if answer.kind is FailureKind.MISSING else answer
        usage = self._usage_of({n: by_name[n] for n in live if by_name[n].declared.deletion != "force"}, live)
        for name, topic in live.items():
            used = usage.get(name, _UNUSED)
            if isinstance(used, Failure):
                outcomes[name] = Failure(
                    used.kind,
                    f"topic '{name}' is not deleted, because it could not be checked whether it is "
                    f"in use: {used.message}",
                )
                continue
            item = by_name[name]
            reason = why_not_delete(item.declared, item.topic_id, topic, *used)
            if reason is not None:
                outcomes[name] = Failure(FailureKind.REFUSED, reason)
        return {name: item for name, item in by_name.items() if name not in outcomes}

    def _usage_of(
        self, items: Mapping[str, TopicDeletion], live: Mapping[str, LiveTopic]
    ) -> dict[str, Outcome[_Usage]]:
        """Who reads each topic and what it holds. A young topic may have no leader to ask yet."""
        pending = dict(items)
        usage: dict[str, Outcome[_Usage]] = {}
        for _ in attempts(pending, self.pause):
            readers = self.admin.readers_of(pending)
            contents = self.admin.contents_of({name: live[name].partitions for name in pending})
            for name in tuple(pending):
                usage[name] = both = _both(readers[name], contents[name])
                retry = isinstance(both, Failure) and both.kind is FailureKind.UNCERTAIN
                if not retry or self._is_late(pending[name]):
                    del pending[name]
        return usage

    def _look_until(
        self, waiting: Mapping[str, Item], is_done: Callable[[Item, Outcome[LiveTopic]], bool]
    ) -> dict[str, Outcome[LiveTopic]]:
        """The last look at each topic: the first that is as wanted, or the one at its deadline."""
        pending = dict(waiting)
        seen: dict[str, Outcome[LiveTopic]] = {}
        for _ in attempts(pending, self.pause):
            for name, live in self.admin.describe_topics(pending).items():
                seen[name] = live
                if is_done(pending[name], live) or self._is_late(pending[name]):
                    del pending[name]
        seen.update((name, told.cancelled(name)) for name in pending if name not in seen)
        return seen

    def _is_late(self, item: TopicCreation | TopicUpdate | TopicDeletion) -> bool:
        return self.clock() >= item.deadline


def _both(readers: Outcome[tuple[str, ...]], contents: Outcome[TopicContents]) -> Outcome[_Usage]:
    if isinstance(readers, Failure):
        return readers
    return contents if isinstance(contents, Failure) else (readers, contents)


def _is_refusal(answer: Outcome[None]) -> TypeGuard[Failure]:
    return answer is not None and answer.kind is not FailureKind.UNCERTAIN


def _is_there(live: Outcome[LiveTopic]) -> bool:
    return isinstance(live, LiveTopic)


def _is_missing(live: Outcome[LiveTopic]) -> bool:
    return isinstance(live, Failure) and live.kind is FailureKind.MISSING


def _equals_declaration(item: TopicCreation, live: Outcome[LiveTopic]) -> bool:
    return isinstance(live, LiveTopic) and not differences(item.declared, live)
