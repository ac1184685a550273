"""A scripted cluster for groups of any type, and a clock that moves with each pause."""

from __future__ import annotations

from dataclasses import dataclass, field

from kafka_topology.cluster.outcomes import Failure, FailureKind

LOST = Failure(FailureKind.UNCERTAIN, "no answer")
MISSING = Failure(FailureKind.MISSING, "no such topic")


@dataclass
class ScriptedGroups:
    """`lost` is how many changes of offsets are done and not answered. `late` is for the cluster of a type."""

    topics: dict[str, int] = field(default_factory=lambda: {"a": 2})
    members: dict[str, int] = field(default_factory=dict)
    offsets: dict[str, dict] = field(default_factory=dict)
    configs: dict[str, dict] = field(default_factory=dict)
    lost: int = 0
    late: int = 0

    def count_partitions(self, topics):
        return {topic: self.topics.get(topic, MISSING) for topic in topics}

    def move(self, offsets):
        for name, partitions in offsets.items():
            self.offsets.setdefault(name, {}).update(partitions)
        if self.lost:
            self.lost -= 1
            return dict.fromkeys(offsets, LOST)
        return {name: {} for name in offsets}

    def group_configs(self, names):
        return {name: dict(self.configs.get(name, {})) for name in names}

    def alter_group_configs(self, changes):
        for name, change in changes.items():
            kept = {k: v for k, v in self.configs.get(name, {}).items() if k not in change.reset}
            self.configs[name] = {**kept, **change.set}
        return dict.fromkeys(changes)

    def delete_groups(self, names):
        for name in names:
            self.offsets.pop(name)
        return dict.fromkeys(names)


def applier_of(make, cluster):
    now = [0]

    def pause(_seconds):
        now[0] += 1
        return True

    return make(cluster, pause, clock=lambda: now[0])
