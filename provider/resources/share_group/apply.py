"""Applies sets of share groups: sets their start offsets, and changes their settings.

Settings come first, start offsets second: a run that is interrupted in between leaves nothing that the next one
refuses. Kafka stores no note with a start offset, so the loop remembers which offsets it asked for, and is done when
the cluster shows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kafka_topology.cluster.live.groups import NOT_THERE, Partition
from kafka_topology.cluster.live.share_groups import LiveShareGroup
from kafka_topology.cluster.outcomes import Failure, FailureKind, Outcome

from ..any_group.apply import RETRIED, AnyGroupApplier, AnySaid, AnyStep, GroupChange, unread
from ..any_group.plan import plan_config
from . import plan as plans
from .admin import ShareGroupAdmin
from .inputs import DeclaredShareGroup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafka_topology.cluster.live.groups import Position
    from kafka_topology.cluster.live.share_groups import ShareOffset


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step(AnyStep):
    """`targets` are offsets to send; without them, those of `to` are looked up."""

    to: Position | None = None
    partitions: frozenset[Partition] = frozenset()
    targets: Mapping[Partition, int] | None = None

    @property
    def to_move(self) -> int | None:
        return len(self.partitions) or None


@dataclass(frozen=True, slots=True)
class _Said(AnySaid):
    """Also the offsets that the last step asked for."""

    targets: Mapping[Partition, int] | None = None
    is_accepted: bool = False


@dataclass(frozen=True, slots=True)
class ShareGroupApplier(AnyGroupApplier[ShareGroupAdmin, DeclaredShareGroup, LiveShareGroup, "_Step", "_Said"]):
    word: ClassVar[str] = "share group"
    not_moved: ClassVar[str] = "start offsets of {} partitions are not set yet"

    def look(self, groups: Mapping[str, DeclaredShareGroup]) -> dict[str, Outcome[LiveShareGroup]]:
        shapes = self.admin.describe_groups(groups)
        there = {name for name, shape in shapes.items() if not isinstance(shape, Failure) and shape.state != NOT_THERE}
        counts = self.admin.count_partitions({topic for group in groups.values() for topic in group.topics})
        known = {topic: count for topic, count in counts.items() if not isinstance(count, Failure)}
        reads = {name: plans.partitions_read(group, known) for name, group in groups.items()}
        offsets = self.admin.start_offsets({name: reads[name] for name in there})
        configs = self.admin.group_configs(groups)
        found: dict[str, Outcome[LiveShareGroup]] = {}
        for name, group in groups.items():
            shape, starts, config = shapes[name], offsets.get(name, _NO_OFFSETS), configs[name]
            broken = [unread(counts[topic]) for topic in group.topics]
            failure = next((each for each in (shape, starts, config, *broken) if isinstance(each, Failure)), None)
            if isinstance(shape, Failure) or isinstance(starts, Failure) or isinstance(config, Failure) or failure:
                found[name] = failure or Failure(FailureKind.UNCERTAIN, f"share group '{name}' could not be read")
                continue
            missing = tuple(topic for topic in group.topics if topic not in known)
            found[name] = LiveShareGroup(name, shape, reads[name], missing, starts, config)
        return found

    def topics_of(self, name: str) -> Outcome[tuple[str, ...]]:
        """The topics that a group reads or has start offsets on, if nothing declares them."""
        shape = self.one_answer(lambda: self.admin.describe_groups([name])[name])
        if isinstance(shape, Failure) or shape.state == NOT_THERE:
            return shape if isinstance(shape, Failure) else ()
        offsets = self.one_answer(lambda: self.admin.start_offsets({name: None})[name])
        if isinstance(offsets, Failure):
            return offsets
        return tuple(sorted({*shape.topics, *(topic for topic, _ in offsets)}))

    def why_not_delete(self, declared: DeclaredShareGroup, live: LiveShareGroup) -> str | None:
        return plans.why_not_delete(declared, live)

    def taken(self, item: GroupChange[DeclaredShareGroup], live: LiveShareGroup) -> Failure | None:
        reason = plans.why_not_adopt(item.declared, live) if item.is_new else None
        return Failure(FailureKind.EXISTS, reason) if reason is not None else None

    def step(self, item: GroupChange[DeclaredShareGroup], live: LiveShareGroup, said: _Said | None) -> _Step:
        return _step(item, live, said or _NOTHING)

    def is_accepted(self, step: _Step, said: _Said | None) -> bool:
        return said is not None and said.is_accepted and bool(step.partitions)

    def send_changes(self, steps: Mapping[str, _Step]) -> dict[str, _Said]:
        refusals = self.send_configs({name: step.config for name, step in steps.items()})
        said = {name: _Said((refusals[name],)) if name in refusals else _NOTHING for name in steps}
        targets = self._targets({name: step for name, step in steps.items() if step.partitions and not step.config})
        sent = {name: {p: targets[name][p] for p in steps[name].partitions} for name in targets}
        for name, answers in (self.admin.set_start_offsets(sent) if sent else {}).items():
            said[name] = _heard(targets[name], answers)
        return said

    def _targets(self, steps: Mapping[str, _Step]) -> dict[str, Mapping[Partition, int]]:
        """The offsets of each step. Without a leader for one of them, the next round tries again."""
        found: dict[str, Mapping[Partition, int]] = {}
        for name, step in steps.items():
            if step.targets is not None:
                found[name] = step.targets
            elif step.to is not None:
                offsets = self.admin.offsets_at(step.to, step.partitions)
                known = {p: offset for p, offset in offsets.items() if isinstance(offset, int)}
                if len(known) == len(step.partitions):
                    found[name] = known
        return found


_NOTHING = _Said()
_NO_OFFSETS: Mapping[Partition, ShareOffset] = {}


def _heard(targets: Mapping[Partition, int], answers: Outcome[Mapping[Partition, Failure]]) -> _Said:
    failures = (answers,) if isinstance(answers, Failure) else tuple(answers.values())
    final = {failure.message: failure for failure in failures if failure.kind not in RETRIED}
    return _Said(tuple(final[message] for message in sorted(final)), targets, is_accepted=not failures)


def _step(item: GroupChange[DeclaredShareGroup], live: LiveShareGroup, said: _Said) -> _Step:
    declared = item.declared
    if (other := plans.why_other_type(declared, live)) is not None:
        return _Step(refusal=other)
    config = plan_config(item.previous_config, declared, live)
    to = _moves_to(item)
    if config or to is None:
        # A reset that would be refused must not change settings first.
        in_use = plans.why_not_reset(declared, live) if item.reset and to is not None else None
        return _Step(config=config, refusal=in_use)
    if said.targets is not None:
        left = frozenset(p for p, at in said.targets.items() if p not in live.offsets or live.offsets[p].start != at)
        if not left or (said.is_accepted and live.shape.members):
            return _Step()
        return _Step(partitions=left, targets=said.targets, refusal=plans.why_not_reset(declared, live))
    if item.is_new and not plans.is_startable(live):
        return _Step()
    if live.missing_topics:
        return _Step(waiting_for=live.missing_topics)
    refusal = plans.why_not_reset(declared, live) if item.reset else None
    return _Step(to=to, partitions=live.partitions, refusal=refusal)


def _moves_to(item: GroupChange[DeclaredShareGroup]) -> Position | None:
    if item.is_new:
        return item.declared.start
    return item.declared.reset.to if item.reset and item.declared.reset is not None else None
