"""Creates, updates, reads and deletes sets of topics. Each item gets its own outcome, in order.

Two habits run through all of it. A write is confirmed by reading it back until a deadline, because
the brokers answer before the change can be seen. Where no answer came, it looks before it acts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from .outcomes import Failure, FailureKind, Outcome
from .topic_plan import (
    LiveTopic,
    TopicContents,
    TopicPlan,
    differences,
    is_applied,
    plan_update,
    unmanaged,
    why_not_delete,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from .admin import TopicAdmin
    from .topics import DeclaredTopic

_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.5


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


@dataclass(frozen=True, slots=True)
class Applied:
    """What the cluster shows now. `unfinished` says what is still missing of the declaration."""

    live: LiveTopic
    warnings: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()


_Usage: TypeAlias = tuple[tuple[str, ...], TopicContents]
_UNUSED: Final[_Usage] = ((), TopicContents(0))
Item = TypeVar("Item", TopicCreation, TopicUpdate, TopicDeletion)


@dataclass(frozen=True, slots=True)
class TopicApplier:
    """`pause` waits so many seconds and says whether to go on: False once the run is cancelled."""

    admin: TopicAdmin
    pause: Callable[[float], bool]
    clock: Callable[[], float] = field(default=time.monotonic)

    def read(self, names: Sequence[str]) -> list[Outcome[LiveTopic]]:
        live = self.admin.describe_topics(set(names))
        return [live[name] for name in names]

    def create(self, items: Sequence[TopicCreation]) -> list[Outcome[Applied]]:
        outcomes: dict[str, Outcome[Applied]] = {}
        made, existing = self._send_creations(items, outcomes)
        # The broker may say that a topic exists before it can describe it: wait for those as well.
        for name, live in self._look_until(existing, lambda _, live: _is_there(live)).items():
            outcomes[name] = _adopted(existing[name].declared, live)
        for name, live in self._look_until(made, _equals_declaration).items():
            outcomes[name] = _made(made[name].declared, live)
        return [outcomes[item.declared.name] for item in items]

    def _send_creations(
        self, items: Sequence[TopicCreation], outcomes: dict[str, Outcome[Applied]]
    ) -> tuple[dict[str, TopicCreation], dict[str, TopicCreation]]:
        """The topics that were made, and those that existed. Failures go to the outcomes."""
        made: dict[str, TopicCreation] = {}
        existing: dict[str, TopicCreation] = {}
        pending = {item.declared.name: item for item in items}
        for _ in self._attempts(pending):
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
        outcomes.update((name, _cancelled(name)) for name in pending)
        return made, existing

    def update(self, items: Sequence[TopicUpdate]) -> list[Outcome[Applied]]:
        by_name = {item.declared.name: item for item in items}
        outcomes: dict[str, Outcome[Applied]] = {}
        plans: dict[str, TopicPlan] = {}
        for name, live in self.admin.describe_topics(by_name).items():
            if isinstance(live, Failure):
                outcomes[name] = _not_found(name, live)
                continue
            plan = plan_update(by_name[name].previous_config, by_name[name].declared, live)
            if plan.refusal is not None:
                outcomes[name] = Failure(FailureKind.REFUSED, plan.refusal)
            else:
                plans[name] = plan
        errors = self._send_updates(plans)
        waiting = {name: by_name[name] for name in plans if name not in errors}
        shown = self._look_until(
            waiting,
            lambda item, live: isinstance(live, LiveTopic) and is_applied(plans[item.declared.name], live),
        )
        if errors:
            shown |= self.admin.describe_topics(errors)
        for name, live in shown.items():
            outcomes[name] = _updated(by_name[name].declared, live, errors.get(name))
        return [outcomes[item.declared.name] for item in items]

    def _send_updates(self, plans: Mapping[str, TopicPlan]) -> dict[str, Failure]:
        """What the brokers refused. A missing answer is none: reading back tells what happened."""
        totals = {name: plan.partitions for name, plan in plans.items() if plan.partitions}
        configs = {name: plan.config for name, plan in plans.items() if plan.config}
        answers = [
            *(self.admin.create_partitions(totals).items() if totals else ()),
            *(self.admin.alter_configs(configs).items() if configs else ()),
        ]
        return {
            name: answer for name, answer in answers if answer is not None and answer.kind is not FailureKind.UNCERTAIN
        }

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
            outcomes[name] = None if _is_missing(live) else _still_there(name)
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
        for _ in self._attempts(pending):
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
        for _ in self._attempts(pending):
            for name, live in self.admin.describe_topics(pending).items():
                seen[name] = live
                if is_done(pending[name], live) or self._is_late(pending[name]):
                    del pending[name]
        seen.update((name, _cancelled(name)) for name in pending if name not in seen)
        return seen

    def _attempts(self, pending: Collection[str]) -> Iterator[None]:
        """One turn at once, then more with growing pauses while something is pending."""
        pause = _FIRST_PAUSE
        while pending:
            yield
            if pending and not self.pause(pause):
                return
            pause = min(pause * 1.5, _LONGEST_PAUSE)

    def _is_late(self, item: TopicCreation | TopicUpdate | TopicDeletion) -> bool:
        return self.clock() >= item.deadline


def _both(readers: Outcome[tuple[str, ...]], contents: Outcome[TopicContents]) -> Outcome[_Usage]:
    if isinstance(readers, Failure):
        return readers
    return contents if isinstance(contents, Failure) else (readers, contents)


def _is_there(live: Outcome[LiveTopic]) -> bool:
    return isinstance(live, LiveTopic)


def _is_missing(live: Outcome[LiveTopic]) -> bool:
    return isinstance(live, Failure) and live.kind is FailureKind.MISSING


def _equals_declaration(item: TopicCreation, live: Outcome[LiveTopic]) -> bool:
    return isinstance(live, LiveTopic) and not differences(item.declared, live)


def _still_there(name: str) -> Failure:
    return Failure(
        FailureKind.UNCERTAIN,
        f"topic '{name}' was to be deleted and can still be seen: run 'pulumi up' again.",
    )


def _adopted(declared: DeclaredTopic, live: Outcome[LiveTopic]) -> Outcome[Applied]:
    if isinstance(live, Failure):
        return live
    reason = why_not_adopt(declared, live)
    if reason is not None:
        return Failure(FailureKind.EXISTS, reason)
    return Applied(live, warnings=(*_unmanaged_warning(declared, live),))


def why_not_adopt(declared: DeclaredTopic, live: LiveTopic) -> str | None:
    lines = differences(declared, live)
    if not lines:
        return None
    name = declared.name
    return (
        f"topic '{name}' exists already and differs from the declaration ({'; '.join(lines)}). "
        f"Nothing was changed. Declare what is there, or take it over with 'pulumi import "
        f"kafka-topology:index:Topic {name} {name}' and apply the difference as an update."
    )


def _made(declared: DeclaredTopic, live: Outcome[LiveTopic]) -> Outcome[Applied]:
    """The broker made the topic, so it must end up in the state, whatever can be seen of it."""
    if isinstance(live, Failure):
        unseen = LiveTopic(declared.name, "", declared.partitions, declared.replication)
        return Applied(unseen, unfinished=(f"made, but not visible yet: {live.message}",))
    return Applied(live, unfinished=differences(declared, live))


def _updated(declared: DeclaredTopic, live: Outcome[LiveTopic], error: Failure | None) -> Outcome[Applied]:
    if isinstance(live, Failure):
        return error or live
    lines = differences(declared, live)
    return Applied(
        live,
        warnings=(*_unmanaged_warning(declared, live),),
        unfinished=(error.message, *lines) if error else lines,
    )


def _unmanaged_warning(declared: DeclaredTopic, live: LiveTopic) -> Iterator[str]:
    keys = unmanaged(declared, live)
    if keys:
        yield (f"topic '{declared.name}' has config that is not declared and is left alone: {', '.join(keys)}.")


def _not_found(name: str, failure: Failure) -> Failure:
    if failure.kind is not FailureKind.MISSING:
        return failure
    return Failure(
        FailureKind.MISSING,
        f"topic '{name}' is in the state and not on the cluster: run 'pulumi refresh', then 'pulumi up' makes it anew.",
    )


def _cancelled(name: str) -> Failure:
    return Failure(FailureKind.CANCELLED, f"topic '{name}': stopped before it was done.")
