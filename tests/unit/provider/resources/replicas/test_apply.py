"""Moving replicas on a cluster that takes its time, refuses, and is found half-way by the next run."""

from __future__ import annotations

from dataclasses import dataclass, field

from kafka_topology.provider.outcomes import Failure, FailureKind
from kafka_topology.provider.replica_apply import Moved, ReplicaApplier, Replication


@dataclass
class ScriptedCluster:
    """A reassignment takes `turns` looks. Everything that is set or asked for is written down."""

    topics: dict[str, dict[int, tuple[int, ...]]]
    turns: int = 3
    refuse: bool = False
    goals: dict[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    throttled_topics: set[str] = field(default_factory=set)
    throttled_brokers: set[int] = field(default_factory=set)
    calls: list[str] = field(default_factory=list)
    looks: int = 0

    def brokers(self):
        return {1: "a", 2: "b", 3: "c"}

    def layouts(self, topics):
        missing = Failure(FailureKind.MISSING, "no such topic")
        return {name: dict(self.topics[name]) if name in self.topics else missing for name in topics}

    def moving(self):
        self.looks += 1
        if self.goals and self.looks > self.turns:
            for (topic, partition), replicas in self.goals.items():
                self.topics[topic][partition] = replicas
            self.goals = {}
        return frozenset(self.goals)

    def sizes(self, topics):
        return {(name, partition): 1024 for name, partitions in topics.items() for partition in partitions}

    def reassign(self, replicas):
        self.calls.append("reassign")
        assert self.throttled_topics or not any(len(r) > 1 for r in replicas.values())
        if self.refuse:
            return dict.fromkeys(replicas, Failure(FailureKind.REJECTED, "not now"))
        self.goals = dict(replicas)
        self.looks = 0
        return {}

    def throttle(self, topics, brokers, rate):
        self.calls.append(f"throttle {rate}")
        self.throttled_topics |= set(topics)
        self.throttled_brokers |= set(brokers)
        return ()

    def unthrottle(self, topics, brokers):
        self.throttled_topics -= set(topics)
        self.throttled_brokers -= set(brokers)
        return ()

    def elect_preferred(self, partitions):
        self.calls.append(f"elect {len(partitions)}")
        return ()


def applier(cluster, told=None, cancelled_after=10_000):
    now = [0]

    def pause(_seconds):
        now[0] += 1
        return now[0] < cancelled_after

    said = told if told is not None else []
    return ReplicaApplier(cluster, pause, 1000, said.append, clock=lambda: now[0])


def test_replicas_are_copied_throttled_and_led_by_the_preferred_leader_at_the_end():
    cluster, told = ScriptedCluster({"t": {0: (1,), 1: (2,)}}), []
    assert applier(cluster, told).move([Replication("t", 3, 50)]) == [Moved()]
    assert {len(replicas) for replicas in cluster.topics["t"].values()} == {3}
    assert cluster.calls == ["throttle 1000", "reassign", "elect 2"]
    assert not cluster.throttled_topics | cluster.throttled_brokers
    assert told == ["topic 't': 2 of 2 partitions are still being copied."]


def test_the_next_run_finds_what_a_killed_one_started_and_cleans_up():
    cluster = ScriptedCluster({"t": {0: (1,)}}, turns=5)
    (stopped,) = applier(cluster, cancelled_after=2).move([Replication("t", 2, 50)])
    assert "still being copied" in stopped.unfinished[0]
    assert cluster.throttled_topics == {"t"}
    cluster.calls.clear()
    assert applier(cluster).move([Replication("t", 2, 50)]) == [Moved()]
    assert cluster.calls == ["elect 1"]  # nothing was started again
    assert not cluster.throttled_topics | cluster.throttled_brokers


def test_a_deadline_leaves_the_copying_and_its_throttles_and_says_so():
    cluster = ScriptedCluster({"t": {0: (1,)}}, turns=100)
    (late,) = applier(cluster).move([Replication("t", 2, 3)])
    assert "customTimeouts" in late.unfinished[0]
    assert cluster.throttled_topics == {"t"}


def test_a_refusal_leaves_no_throttle():
    cluster = ScriptedCluster({"t": {0: (1,)}}, refuse=True)
    assert applier(cluster).move([Replication("t", 2, 50)]) == [Failure(FailureKind.REJECTED, "not now")]
    assert not cluster.throttled_topics | cluster.throttled_brokers


def test_the_throttle_of_brokers_stays_while_something_else_moves():
    cluster = ScriptedCluster({"t": {0: (1, 2)}, "other": {0: (1,)}}, turns=100, throttled_brokers={1, 2})
    cluster.goals = {("other", 0): (1, 2)}
    assert applier(cluster).move([Replication("t", 2, 50)]) == [Moved()]
    assert cluster.throttled_brokers == {1, 2}


def test_more_replicas_than_brokers_move_nothing():
    cluster = ScriptedCluster({"t": {0: (1,)}})
    (outcome,) = applier(cluster).move([Replication("t", 4, 50)])
    assert isinstance(outcome, Failure)
    assert outcome.kind is FailureKind.REFUSED
    assert cluster.calls == []


def test_the_preview_tells_the_bytes():
    preview = applier(ScriptedCluster({"t": {0: (1,), 1: (2,)}})).preview("t", 3)
    assert preview == (
        "topic 't': 4 replicas of 2 partitions are copied, 4.0 KiB in all, at most 1000 bytes a second for each broker."
    )
    assert "none is copied" in applier(ScriptedCluster({"t": {0: (1, 2)}})).preview("t", 1)
