"""Creates, updates, reads and deletes sets of groups of one type. Each item gets its own outcome, in order.

A change is a loop: read, plan what is missing, send that, and read again, until nothing is missing.
So the next read resolves a lost answer, and a change is done only when the cluster shows it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from kafka_topology.cluster.live.topics import ConfigChange
from kafka_topology.cluster.outcomes import Failure, FailureKind, Outcome

from ..converge import Applier, Missing, cancelled, once_read
from .admin import AnyGroupAdmin
from .shape import AnyDeclared, AnyLive

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Admin = TypeVar("Admin", bound=AnyGroupAdmin)
Declared = TypeVar("Declared", bound=AnyDeclared)
Live = TypeVar("Live", bound=AnyLive)
Step = TypeVar("Step", bound="AnyStep")
Said = TypeVar("Said", bound="AnySaid")

# Kafka may still do what it has not answered, and a topic or group that is missing may only be new.
RETRIED = frozenset({FailureKind.UNCERTAIN, FailureKind.MISSING})


@dataclass(frozen=True, slots=True)
class GroupChange(Generic[Declared]):
    """`is_new` allows setting the start; `reset` allows the declared reset."""

    declared: Declared
    deadline: float
    previous_config: frozenset[str] = frozenset()
    is_new: bool = False
    reset: bool = False


@dataclass(frozen=True, slots=True)
class GroupDeletion(Generic[Declared]):
    declared: Declared
    deadline: float


@dataclass(frozen=True, slots=True)
class AppliedGroup(Generic[Live]):
    live: Live
    unfinished: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyStep:
    """The missing part of one change, and what stops it."""

    config: ConfigChange = field(default_factory=ConfigChange)
    waiting_for: tuple[str, ...] = ()
    refusal: str | None = None

    @property
    def to_move(self) -> int | None:
        """The number of partitions whose offsets are missing; None if no offset is to be moved."""
        return None

    @property
    def is_done(self) -> bool:
        return self.to_move is None and not self.config and not self.waiting_for and self.refusal is None


@dataclass(frozen=True, slots=True)
class AnySaid:
    """The final refusals of the last step."""

    refused: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class _Going:
    """A group to delete: whether the group itself is still there, and which of its settings are."""

    is_there: bool
    config: frozenset[str]


@dataclass(frozen=True, slots=True)
class AnyGroupApplier(Applier[Admin], ABC, Generic[Admin, Declared, Live, Step, Said]):
    word: ClassVar[str]  # the word before its name in messages
    not_moved: ClassVar[str]  # says of a number of partitions that their offsets are not there yet

    @abstractmethod
    def look(self, groups: Mapping[str, Declared]) -> Mapping[str, Outcome[Live]]: ...

    @abstractmethod
    def topics_of(self, name: str) -> Outcome[tuple[str, ...]]:
        """The topics that a group reads, if nothing declares them."""

    @abstractmethod
    def why_not_delete(self, declared: Declared, live: Live) -> str | None: ...

    @abstractmethod
    def step(self, item: GroupChange[Declared], live: Live, said: Said | None) -> Step:
        """What a change still needs. `said` is None before the first step."""

    @abstractmethod
    def send_changes(self, steps: Mapping[str, Step]) -> Mapping[str, Said]: ...

    def taken(self, item: GroupChange[Declared], live: Live) -> Failure | None:  # noqa: ARG002 - for subclasses
        """Why a new group may not take over what was there before the first step."""
        return None

    def is_accepted(self, step: Step, said: Said | None) -> bool:  # noqa: ARG002 - for subclasses
        """Whether the brokers took the step, and only have to show it."""
        return False

    def judge_change(
        self, item: GroupChange[Declared], live: Live, said: Said | None, late: bool
    ) -> Outcome[AppliedGroup[Live]] | Missing[Step, AppliedGroup[Live]]:
        if said is None and (taken := self.taken(item, live)) is not None:
            return taken
        step = self.step(item, live, said)
        if step.refusal is not None:
            return Failure(FailureKind.REFUSED, step.refusal)
        if step.is_done:
            return AppliedGroup(live)
        refused = said.refused if said is not None else ()
        if refused and item.is_new:
            # Creating is safe to repeat: the state need not keep anything.
            reasons = "; ".join(failure.message for failure in refused)
            return Failure(refused[0].kind, f"{self.named(item.declared.name)}: {reasons}")
        if late or refused:
            return self._ended(item.declared.name, live, step, refused)
        return Missing() if self.is_accepted(step, said) else Missing(step)

    def read(self, items: Sequence[Declared]) -> list[Outcome[Live]]:
        groups = {item.name: item for item in items}
        found = self.each_answer(groups, lambda names: self.look({name: groups[name] for name in names}))
        return [found[item.name] for item in items]

    def change(self, items: Sequence[GroupChange[Declared]]) -> list[Outcome[AppliedGroup[Live]]]:
        outcomes = self.until_settled(
            {item.declared.name: item for item in items},
            lambda pending, _: self.look({name: item.declared for name, item in pending.items()}),
            once_read(self.judge_change),
            self.send_changes,
            stopped=self._stopped,
        )
        return [outcomes[item.declared.name] for item in items]

    def delete(self, items: Sequence[GroupDeletion[Declared]]) -> list[Outcome[None]]:
        """Checks only what needs the cluster; the caller checks protection and ownership."""
        outcomes = self.until_settled(
            {item.declared.name: item for item in items},
            lambda pending, _: self.look({name: item.declared for name, item in pending.items()}),
            once_read(self._judge_deletion),
            self._send_deletions,
            stopped=self._stopped,
        )
        return [outcomes[item.declared.name] for item in items]

    def send_configs(self, changes: Mapping[str, ConfigChange]) -> dict[str, Failure]:
        """The refusals. What was not answered, the next read shows."""
        wanted = {name: change for name, change in changes.items() if change}
        answers = self.admin.alter_group_configs(wanted) if wanted else {}
        return {
            name: answer
            for name, answer in answers.items()
            if answer is not None and answer.kind is not FailureKind.UNCERTAIN
        }

    def _ended(self, name: str, live: Live, step: Step, refused: Sequence[Failure]) -> AppliedGroup[Live]:
        """What is there at the end of the time, and what is not."""
        left = [failure.message for failure in refused]
        if step.waiting_for:
            left.append(f"its topics are not on the cluster: {', '.join(step.waiting_for)}")
        if step.to_move is not None and not refused:
            left.append(self.not_moved.format(step.to_move))
        if step.config and not refused:
            left.append(f"config is not applied yet: {', '.join(sorted({*step.config.set, *step.config.reset}))}")
        return AppliedGroup(live, tuple(f"{self.named(name)}: {line}" for line in left))

    def named(self, name: str) -> str:
        return f"{self.word} '{name}'"

    def _judge_deletion(
        self, item: GroupDeletion[Declared], live: Live, said: Failure | None, late: bool
    ) -> Outcome[None] | Missing[_Going, None]:
        kept = frozenset(key for key in item.declared.config if key in live.config)
        reason = self.why_not_delete(item.declared, live)
        if reason is not None:
            return Failure(FailureKind.REFUSED, reason)
        if not live.is_there and not kept:
            return None
        if said is not None:
            return said
        if late:
            again = "was to be deleted and can still be seen: run 'pulumi up' again."
            return Failure(FailureKind.UNCERTAIN, f"{self.named(item.declared.name)} {again}")
        return Missing(_Going(live.is_there, kept))

    def _send_deletions(self, going: Mapping[str, _Going]) -> dict[str, Failure]:
        there = [name for name, group in going.items() if group.is_there]
        configs = {name: ConfigChange(reset=group.config) for name, group in going.items() if group.config}
        answers: list[tuple[str, Outcome[None]]] = []
        answers += (self.admin.delete_groups(there) if there else {}).items()
        answers += (self.admin.alter_group_configs(configs) if configs else {}).items()
        return {name: answer for name, answer in answers if answer is not None and answer.kind not in RETRIED}

    def _stopped(self, name: str) -> Failure:
        return cancelled(self.named(name))


def unread(count: Outcome[int]) -> Failure | None:
    """A topic that is missing is no failure: it may come."""
    return count if isinstance(count, Failure) and count.kind is not FailureKind.MISSING else None
