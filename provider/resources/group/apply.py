"""Applies sets of consumer groups: commits their starts and resets, and changes their settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kafka_topology.cluster.live.groups import Committed, LiveGroup, Partition
from kafka_topology.cluster.outcomes import Failure, FailureKind, Outcome
from kafka_topology.topology.kafka.application_topics import of_streams

from ..any_group.apply import RETRIED, AnyGroupApplier, AnySaid, AnyStep, GroupChange, unread
from ..any_group.plan import plan_config
from . import plan as plans
from .admin import GroupAdmin
from .inputs import DeclaredGroup
from .plan import OffsetMove

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step(AnyStep):
    move: OffsetMove | None = None

    @property
    def to_move(self) -> int | None:
        return None if self.move is None else len(self.move.partitions)


@dataclass(frozen=True, slots=True)
class _Said(AnySaid):
    """Also the commits to send again."""

    failed: frozenset[Partition] = frozenset()


_NOTHING = _Said()


@dataclass(frozen=True, slots=True)
class GroupApplier(AnyGroupApplier[GroupAdmin, DeclaredGroup, LiveGroup, "_Step", "_Said"]):
    word: ClassVar[str] = "group"
    not_moved: ClassVar[str] = "offsets of {} partitions are not committed yet"

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
            broken = [unread(counts[topic]) for topic in group.reads]
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
        """The topics on which a group has offsets, if nothing declares them.

        Without those that the group keeps for itself as a Streams application: an import leaves them out, too.
        """
        everything = self.admin.all_partitions()
        if isinstance(everything, Failure):
            return everything
        committed = self.one_answer(lambda: self.admin.committed({name: everything})[name])
        if isinstance(committed, Failure):
            return committed
        topics = {topic for topic, _ in committed}
        return tuple(sorted(topics - of_streams(topics, {name}).keys()))

    def why_not_delete(self, declared: DeclaredGroup, live: LiveGroup) -> str | None:
        return plans.why_not_delete(declared, live)

    def step(self, item: GroupChange[DeclaredGroup], live: LiveGroup, said: _Said | None) -> _Step:
        return _step(item, live, (said or _NOTHING).failed)

    def send_changes(self, steps: Mapping[str, _Step]) -> dict[str, _Said]:
        refusals = self.send_configs({name: step.config for name, step in steps.items()})
        said = {name: _Said((refusals[name],)) if name in refusals else _NOTHING for name in steps}
        moves = {name: step.move for name, step in steps.items() if step.move}
        commits = self._resolve(moves)
        for name, answers in (self.admin.commit(commits) if commits else {}).items():
            refused = said[name].refused
            if isinstance(answers, Failure):
                if answers.kind is not FailureKind.UNCERTAIN:
                    said[name] = _Said((*refused, answers))
            elif answers:
                final = {failure.message: failure for failure in answers.values() if failure.kind not in RETRIED}
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


def _step(item: GroupChange[DeclaredGroup], live: LiveGroup, failed: frozenset[Partition]) -> _Step:
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
    return _Step(move=move, config=plan_config(item.previous_config, declared, live), waiting_for=waiting)


def _known_config(group: DeclaredGroup, config: Outcome[Mapping[str, str]]) -> Outcome[Mapping[str, str]]:
    """Brokers before Kafka 4 have no config for groups, which matters only if some is declared."""
    unknown = isinstance(config, Failure) and config.kind is FailureKind.REJECTED and not group.config
    return {} if unknown else config
