"""Creates, updates, reads and deletes sets of consumer groups. Each item gets its own outcome, in order.

A change is a loop: read, plan what is missing, send that, and read again, until nothing is missing.
So the next read resolves a lost answer, and a change is done only when the cluster shows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kafka_topology.cluster.live.groups import NOT_THERE, Committed, LiveGroup, Partition
from kafka_topology.cluster.live.topics import ConfigChange
from kafka_topology.cluster.outcomes import Failure, FailureKind, Outcome

from ..converge import Applier, Missing, cancelled, once_read
from . import plan as plans
from .admin import GroupAdmin
from .plan import OffsetMove

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .inputs import DeclaredGroup


@dataclass(frozen=True, slots=True)
class GroupChange:
    """`is_new` allows committing the start; `reset` allows the declared reset."""

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
    """The missing part of one change, and what stopped the last attempt."""

    move: OffsetMove | None = None
    config: ConfigChange = field(default_factory=ConfigChange)
    waiting_for: tuple[str, ...] = ()
    refusal: str | None = None

    @property
    def is_done(self) -> bool:
        return self.move is None and not self.config and not self.waiting_for


@dataclass(frozen=True, slots=True)
class _Said:
    """The final refusals of the last step, and the commits to send again."""

    refused: tuple[Failure, ...] = ()
    failed: frozenset[Partition] = frozenset()


_NOTHING = _Said()


@dataclass(frozen=True, slots=True)
class GroupApplier(Applier[GroupAdmin]):
    def read(self, items: Sequence[DeclaredGroup]) -> list[Outcome[LiveGroup]]:
        groups = {item.name: item for item in items}
        found = self.each_answer(groups, lambda names: self.look({name: groups[name] for name in names}))
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

    def starts_of(self, live: LiveGroup) -> dict[Partition, int]:
        """The log starts of the partitions with offsets of the group, without those that cannot be read."""
        found = self.admin.offsets_at("earliest", frozenset(live.offsets))
        return {partition: start for partition, start in found.items() if isinstance(start, int)}

    def topics_of(self, name: str) -> Outcome[tuple[str, ...]]:
        """The topics on which a group has offsets, if nothing declares them."""
        everything = self.admin.all_partitions()
        if isinstance(everything, Failure):
            return everything
        committed = self.one_answer(lambda: self.admin.committed({name: everything})[name])
        return committed if isinstance(committed, Failure) else tuple(sorted({topic for topic, _ in committed}))

    def change(self, items: Sequence[GroupChange]) -> list[Outcome[AppliedGroup]]:
        outcomes = self.until_settled(
            {item.declared.name: item for item in items},
            lambda pending, _: self.look({name: item.declared for name, item in pending.items()}),
            once_read(_judge_change),
            self._send_changes,
            stopped=_stopped,
        )
        return [outcomes[item.declared.name] for item in items]

    def delete(self, items: Sequence[GroupDeletion]) -> list[Outcome[None]]:
        """Checks only what needs the cluster; the caller checks protection and ownership."""
        outcomes = self.until_settled(
            {item.declared.name: item for item in items},
            lambda pending, _: self.look({name: item.declared for name, item in pending.items()}),
            once_read(_judge_deletion),
            self._send_deletions,
            stopped=_stopped,
        )
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
        """The offsets of each position, without partitions that have no leader yet: the next round tries them again."""
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
        there = [name for name, live in going.items() if live.shape.state != NOT_THERE]
        configs = {name: ConfigChange(reset=frozenset(live.config)) for name, live in going.items() if live.config}
        answers: list[tuple[str, Outcome[None]]] = []
        answers += (self.admin.delete_groups(there) if there else {}).items()
        answers += (self.admin.alter_group_configs(configs) if configs else {}).items()
        ignored = {FailureKind.UNCERTAIN, FailureKind.MISSING}
        refused = {name: _Said((answer,)) for name, answer in answers if answer and answer.kind not in ignored}
        return dict.fromkeys(going, _NOTHING) | refused


def _judge_change(
    item: GroupChange, live: LiveGroup, said: _Said | None, late: bool
) -> Outcome[AppliedGroup] | Missing[_Step, AppliedGroup]:
    said = said or _NOTHING
    step = _step(item, live, said.failed)
    if step.refusal is not None:
        return Failure(FailureKind.REFUSED, step.refusal)
    if step.is_done:
        return AppliedGroup(live)
    if said.refused and item.is_new:
        # Creating is safe to repeat: our commits carry a mark, so the state need not keep anything.
        reasons = "; ".join(failure.message for failure in said.refused)
        return Failure(said.refused[0].kind, f"group '{item.declared.name}': {reasons}")
    if late or said.refused:
        return _ended(item.declared.name, live, step, tuple(failure.message for failure in said.refused))
    return Missing(step)


def _judge_deletion(
    item: GroupDeletion, live: LiveGroup, said: _Said | None, late: bool
) -> Outcome[None] | Missing[LiveGroup, None]:
    kept = {key for key in item.declared.config if key in live.config}
    reason = plans.why_not_delete(item.declared, live)
    if reason is not None:
        return Failure(FailureKind.REFUSED, reason)
    if live.shape.state == NOT_THERE and not kept:
        return None
    if said is not None and said.refused:
        return said.refused[0]
    if late:
        return _still_there(item.declared.name)
    return Missing(replace(live, config={key: live.config[key] for key in kept}))


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
    """Brokers before Kafka 4 have no config for groups, which matters only if some is declared."""
    unknown = isinstance(config, Failure) and config.kind is FailureKind.REJECTED and not group.config
    return {} if unknown else config


def _unread(count: Outcome[int]) -> Failure | None:
    return count if isinstance(count, Failure) and count.kind is not FailureKind.MISSING else None


def _stopped(name: str) -> Failure:
    return cancelled(f"group '{name}'")


def _still_there(name: str) -> Failure:
    return Failure(
        FailureKind.UNCERTAIN, f"group '{name}' was to be deleted and can still be seen: run 'pulumi up' again."
    )
