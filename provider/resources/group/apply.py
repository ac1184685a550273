"""Creates, updates, reads and deletes sets of consumer groups. Each item gets its own outcome, in order.

A change is a loop: look, plan what is missing, send that, and look again, until nothing is missing.
So a lost answer is resolved by the next look, and what is done is what can be seen.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from . import group_plan as plans
from .attempts import attempts
from .group_plan import Committed, LiveGroup, OffsetMove, Partition
from .outcomes import Failure, FailureKind, Outcome
from .topic_plan import ConfigChange

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .group_admin import GroupAdmin
    from .groups import DeclaredGroup

Item = TypeVar("Item", "GroupChange", "GroupDeletion")
Step = TypeVar("Step")
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class GroupChange:
    """`is_new` lets the start be committed; `reset` lets the declared reset be done."""

    declared: DeclaredGroup
    deadline: float
    previous_config: frozenset[str] = frozenset()
    is_new: bool = False
    reset: bool = False


@dataclass(frozen=True, slots=True)
class GroupDeletion:
    declared: DeclaredGroup
    deadline: float


@dataclass(frozen=True, slots=True)
class AppliedGroup:
    live: LiveGroup
    unfinished: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """What is missing of one change, and what stopped the last attempt at it."""

    move: OffsetMove | None = None
    config: ConfigChange = field(default_factory=ConfigChange)
    waiting_for: tuple[str, ...] = ()
    refusal: str | None = None

    @property
    def is_done(self) -> bool:
        return self.move is None and not self.config and not self.waiting_for


@dataclass(frozen=True, slots=True)
class _Said:
    """What the brokers refused of the last step for good, and which commits are to be sent again."""

    refused: tuple[Failure, ...] = ()
    failed: frozenset[Partition] = frozenset()


@dataclass(frozen=True, slots=True)
class _Missing(Generic[Step]):
    """What a group needs before it can be judged again."""

    step: Step


@dataclass(frozen=True, slots=True)
class GroupApplier:
    """`pause` waits so many seconds and says whether to go on: False once the run is cancelled."""

    admin: GroupAdmin
    pause: Callable[[float], bool]
    clock: Callable[[], float] = field(default=time.monotonic)

    def read(self, items: Sequence[DeclaredGroup]) -> list[Outcome[LiveGroup]]:
        found = self.look({item.name: item for item in items})
        return [found[item.name] for item in items]

    def look(self, groups: Mapping[str, DeclaredGroup]) -> dict[str, Outcome[LiveGroup]]:
        shapes = self.admin.describe_groups(groups)
        topics = {topic for group in groups.values() for topic in group.reads}
        counts = self.admin.count_partitions(topics)
        known = {topic: count for topic, count in counts.items() if not isinstance(count, Failure)}
        reads = {name: plans.partitions_read(group, known) for name, group in groups.items()}
        offsets = self.admin.committed(reads)
        configs = self.admin.group_configs(groups)
        ends = self.admin.offsets_at("latest", frozenset().union(*reads.values()))
        found: dict[str, Outcome[LiveGroup]] = {}
        for name, group in groups.items():
            shape, committed, config = shapes[name], offsets[name], _known_config(group, configs[name])
            broken = [_unread(counts[topic]) for topic in group.reads]
            failure = next((f for f in (shape, committed, config, *broken) if isinstance(f, Failure)), None)
            if failure is not None or isinstance(shape, Failure) or isinstance(committed, Failure):
                found[name] = failure or Failure(FailureKind.UNCERTAIN, f"group '{name}' could not be read")
                continue
            found[name] = LiveGroup(
                name=name,
                shape=shape,
                partitions=reads[name],
                missing_topics=tuple(topic for topic in group.reads if topic not in known),
                offsets=committed,
                ends={p: end for p in reads[name] if isinstance(end := ends[p], int)},
                config=config if not isinstance(config, Failure) else {},
            )
        return found

    def topics_of(self, name: str) -> Outcome[tuple[str, ...]]:
        """The topics on which a group has offsets, when nothing declares them."""
        everything = self.admin.all_partitions()
        if isinstance(everything, Failure):
            return everything
        committed = self.admin.committed({name: everything})[name]
        return committed if isinstance(committed, Failure) else tuple(sorted({topic for topic, _ in committed}))

    def change(self, items: Sequence[GroupChange]) -> list[Outcome[AppliedGroup]]:
        return self._until_settled(items, _judge_change, self._send_changes)

    def delete(self, items: Sequence[GroupDeletion]) -> list[Outcome[None]]:
        """Protection and ownership were looked at before: this asks what only the cluster knows."""
        return self._until_settled(items, _judge_deletion, self._send_deletions)

    def _until_settled(
        self,
        items: Sequence[Item],
        judge: Callable[[Item, LiveGroup, _Said, bool], Outcome[Done] | _Missing[Step]],
        send: Callable[[Mapping[str, Step]], Mapping[str, _Said]],
    ) -> list[Outcome[Done]]:
        """Looks at each group and judges it, by what the brokers said to the last step and whether it is late now.

        What is missing is sent, until each group has an outcome.
        """
        pending = {item.declared.name: item for item in items}
        outcomes: dict[str, Outcome[Done]] = {}
        said: Mapping[str, _Said] = {}
        for _ in attempts(pending, self.pause):
            steps: dict[str, Step] = {}
            for name, live in self.look({n: item.declared for n, item in pending.items()}).items():
                item = pending[name]
                late = self.clock() >= item.deadline
                if isinstance(live, Failure):
                    if late or live.kind is not FailureKind.UNCERTAIN:
                        outcomes[name] = live
                    continue
                verdict = judge(item, live, said.get(name, _Said()), late)
                if isinstance(verdict, _Missing):
                    steps[name] = verdict.step
                else:
                    outcomes[name] = verdict
            for name in outcomes:
                pending.pop(name, None)
            said = send(steps)
        outcomes.update((name, _cancelled(name)) for name in pending)
        return [outcomes[item.declared.name] for item in items]

    def _send_changes(self, steps: Mapping[str, _Step]) -> dict[str, _Said]:
        said = dict.fromkeys(steps, _Said())
        configs = {name: step.config for name, step in steps.items() if step.config}
        for name, answer in (self.admin.alter_group_configs(configs) if configs else {}).items():
            if answer is not None and answer.kind is not FailureKind.UNCERTAIN:
                said[name] = _Said((answer,))
        moves = {name: step.move for name, step in steps.items() if step.move}
        commits = self._resolve(moves)
        for name, answers in (self.admin.commit(commits) if commits else {}).items():
            refused = said[name].refused
            if isinstance(answers, Failure):
                if answers.kind is not FailureKind.UNCERTAIN:
                    said[name] = _Said((*refused, answers))
            elif answers:
                retried = {FailureKind.UNCERTAIN, FailureKind.MISSING}
                final = {failure.message: failure for failure in answers.values() if failure.kind not in retried}
                said[name] = _Said((*refused, *(final[message] for message in sorted(final))), frozenset(answers))
        return said

    def _resolve(self, moves: Mapping[str, OffsetMove]) -> dict[str, dict[Partition, Committed]]:
        """The offsets of each position; a partition that has no leader yet is left for the next turn."""
        found: dict[tuple[object, Partition], Outcome[int]] = {}
        for to in {move.to for move in moves.values()}:
            asked = frozenset().union(*(move.partitions for move in moves.values() if move.to == to))
            found.update({(to, p): offset for p, offset in self.admin.offsets_at(to, asked).items()})
        commits: dict[str, dict[Partition, Committed]] = {}
        for name, move in moves.items():
            offsets = {p: found[move.to, p] for p in move.partitions}
            if all(isinstance(offset, int) for offset in offsets.values()):
                commits[name] = {p: Committed(o, move.note) for p, o in offsets.items() if isinstance(o, int)}
        return commits

    def _send_deletions(self, going: Mapping[str, LiveGroup]) -> dict[str, _Said]:
        there = [name for name, live in going.items() if live.shape.state != plans.NOT_THERE]
        configs = {name: ConfigChange(reset=frozenset(live.config)) for name, live in going.items() if live.config}
        answers: list[tuple[str, Outcome[None]]] = []
        answers += (self.admin.delete_groups(there) if there else {}).items()
        answers += (self.admin.alter_group_configs(configs) if configs else {}).items()
        ignored = {FailureKind.UNCERTAIN, FailureKind.MISSING}
        return {name: _Said((answer,)) for name, answer in answers if answer and answer.kind not in ignored}


def _judge_change(
    item: GroupChange, live: LiveGroup, said: _Said, late: bool
) -> Outcome[AppliedGroup] | _Missing[_Step]:
    step = _step(item, live, said.failed)
    if step.refusal is not None:
        return Failure(FailureKind.REFUSED, step.refusal)
    if step.is_done:
        return AppliedGroup(live)
    if said.refused and item.is_new:
        # Creating is safe to repeat: what was committed bears our mark, so nothing needs to be kept.
        told = "; ".join(failure.message for failure in said.refused)
        return Failure(said.refused[0].kind, f"group '{item.declared.name}': {told}")
    if late or said.refused:
        return _ended(item.declared.name, live, step, tuple(failure.message for failure in said.refused))
    return _Missing(step)


def _judge_deletion(
    item: GroupDeletion, live: LiveGroup, said: _Said, late: bool
) -> Outcome[None] | _Missing[LiveGroup]:
    kept = {key for key in item.declared.config if key in live.config}
    reason = plans.why_not_delete(item.declared, live)
    if reason is not None:
        return Failure(FailureKind.REFUSED, reason)
    if live.shape.state == plans.NOT_THERE and not kept:
        return None
    if said.refused:
        return said.refused[0]
    if late:
        return _still_there(item.declared.name)
    return _Missing(replace(live, config={key: live.config[key] for key in kept}))


def _step(item: GroupChange, live: LiveGroup, failed: frozenset[Partition]) -> _Step:
    declared = item.declared
    if item.is_new and (lines := plans.config_differences(declared, live)):
        return _Step(refusal=plans.why_not_adopt(declared, lines))
    move = None
    if item.is_new and not failed:
        move = plans.plan_start(declared, live)
    elif item.is_new and declared.start is not None:
        move = OffsetMove(declared.start, failed, plans.START_MARK)
    waiting = live.missing_topics if item.is_new and declared.start is not None and plans.is_new(live) else ()
    if item.reset and declared.reset is not None:
        move = plans.plan_reset(declared.reset, live, failed)
        waiting = live.missing_topics
        if move is not None and (reason := plans.why_not_reset(declared, live)) is not None:
            return _Step(refusal=reason)
    return _Step(move, plans.plan_config(item.previous_config, declared, live), waiting)


def _ended(name: str, live: LiveGroup, step: _Step, errors: tuple[str, ...]) -> Outcome[AppliedGroup]:
    left = list(errors)
    if step.waiting_for:
        left.append(f"its topics are not on the cluster: {', '.join(step.waiting_for)}")
    if step.move is not None and not errors:
        left.append(f"offsets of {len(step.move.partitions)} partitions are not committed yet")
    if step.config and not errors:
        left.append(f"config is not applied yet: {', '.join(sorted({*step.config.set, *step.config.reset}))}")
    return AppliedGroup(live, tuple(f"group '{name}': {line}" for line in left))


def _known_config(group: DeclaredGroup, config: Outcome[Mapping[str, str]]) -> Outcome[Mapping[str, str]]:
    """Brokers before Kafka 4 know no config of groups: that matters only where some is declared."""
    unknown = isinstance(config, Failure) and config.kind is FailureKind.REJECTED and not group.config
    return {} if unknown else config


def _unread(count: Outcome[int]) -> Failure | None:
    return count if isinstance(count, Failure) and count.kind is not FailureKind.MISSING else None


def _cancelled(name: str) -> Failure:
    return Failure(FailureKind.CANCELLED, f"group '{name}': stopped before it was done.")


def _still_there(name: str) -> Failure:
    return Failure(
        FailureKind.UNCERTAIN, f"group '{name}' was to be deleted and can still be seen: run 'pulumi up' again."
    )
