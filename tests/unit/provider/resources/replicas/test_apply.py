"""Moving replicas on a cluster that takes its time, refuses, and is found half-way by the next run."""

from __future__ import annotations

from dataclasses import dataclass, field

from kafka_topology.cluster.live.replicas import RATES, Throttles
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.resources.replicas.apply import Moved, ReplicaApplier, Replication
from kafka_topology.provider.resources.replicas.throttles import TOPIC_MARK, is_our_rate, marked


@dataclass
class ScriptedCluster:
    """A reassignment takes `turns` looks. Everything that is set or asked for is written down."""

    topics: dict[str, dict[int, tuple[int, ...]]]
    turns: int = 3
    refuse: bool = False
    goals: dict[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    topic_throttles: dict[str, dict[str, str]] = field(default_factory=dict)
    rates: dict[int, dict[str, str]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    reassigned: list[dict] = field(default_factory=list)
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
        self.reassigned.append(dict(self.rates))
        if self.refuse:
            return dict.fromkeys(replicas, Failure(FailureKind.REJECTED, "not now"))
        self.goals = dict(replicas)
        self.looks = 0
        return {}

    def fenced(self):
        return frozenset()

    def throttles(self, topics, brokers):
        return Throttles(
            {name: dict(self.topic_throttles.get(name, {})) for name in topics},
            {broker: dict(self.rates.get(broker, {})) for broker in brokers},
        )

    def set_throttles(self, changes):
        if any(change.set for change in changes.brokers.values()):
            self.calls.append("throttle")
        for where, wanted in ((self.topic_throttles, changes.topics), (self.rates, changes.brokers)):
            for key, change in wanted.items():
                kept = {k: v for k, v in where.get(key, {}).items() if k not in change.reset}
                where[key] = {**kept, **change.set}
        return ()

    @property
    def throttled_topics(self):
        return {name for name, keys in self.topic_throttles.items() if keys}

    @property
    def throttled_brokers(self):
        return {broker for broker, keys in self.rates.items() if keys}

    def elect_preferred(self, partitions):
        self.calls.append(f"elect {len(partitions)}")
        return ()


def applier(cluster, told=None, cancelled_after=10_000):
    now = [0]

    def pause(_seconds):
        now[0] += 1
        return now[0] < cancelled_after

    said = told if told is not None else []
    return ReplicaApplier(cluster, pause, clock=lambda: now[0], rate=1000, report=said.append)


def test_replicas_are_copied_throttled_and_led_by_the_preferred_leader_at_the_end():
    cluster, told = ScriptedCluster({"t": {0: (1,), 1: (2,)}}), []
    assert applier(cluster, told).move([Replication("t", 3, 50)]) == [Moved()]
    assert {len(replicas) for replicas in cluster.topics["t"].values()} == {3}
    assert cluster.calls == ["throttle", "reassign", "elect 2"]
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


OURS = {RATES[0]: str(marked(1000)), RATES[1]: str(marked(1000))}
THEIRS = {RATES[0]: "5000000", RATES[1]: "6000000"}
LEADERS = "leader.replication.throttled.replicas"


def test_our_rates_stay_while_another_run_of_ours_copies():
    cluster = ScriptedCluster({"t": {0: (1, 2)}, "other": {0: (1,)}}, turns=100)
    cluster.goals = {("other", 0): (1, 2)}
    cluster.rates = {1: dict(OURS), 2: dict(OURS)}
    cluster.topic_throttles = {"other": {LEADERS: f"{TOPIC_MARK},0:1"}}
    assert applier(cluster).move([Replication("t", 2, 50)]) == [Moved()]
    assert cluster.throttled_brokers == {1, 2}


def test_what_a_crashed_run_left_goes_while_somebody_else_copies():
    cluster = ScriptedCluster({"t": {0: (1, 2)}, "other": {0: (1,)}}, turns=100)
    cluster.goals = {("other", 0): (1, 2)}
    cluster.rates = {1: dict(OURS), 2: dict(THEIRS)}
    cluster.topic_throttles = {"t": {LEADERS: f"0:3,{TOPIC_MARK},0:1"}, "other": {LEADERS: "0:1"}}
    assert applier(cluster).move([Replication("t", 2, 50)]) == [Moved()]
    assert cluster.rates == {1: {}, 2: THEIRS}
    assert cluster.topic_throttles == {"t": {LEADERS: "0:3"}, "other": {LEADERS: "0:1"}}


def test_rates_and_throttled_replicas_of_others_are_used_and_kept():
    cluster = ScriptedCluster({"t": {0: (1,)}})
    cluster.rates = {1: dict(THEIRS), 3: {RATES[0]: "5000000"}}
    cluster.topic_throttles = {"t": {LEADERS: "*"}}
    assert applier(cluster).move([Replication("t", 2, 50)]) == [Moved()]
    (during,) = cluster.reassigned
    assert during[1] == THEIRS
    assert during[3][RATES[0]] == "5000000"
    assert is_our_rate(during[3][RATES[1]])
    assert cluster.rates == {1: THEIRS, 3: {RATES[0]: "5000000"}}
    assert cluster.topic_throttles == {"t": {LEADERS: "*"}}


def test_copying_waits_where_our_rate_would_slow_somebody_else_down():
    cluster, told = ScriptedCluster({"t": {0: (1,)}, "other": {0: (1,)}}, turns=4), []
    cluster.goals = {("other", 0): (1, 2)}
    cluster.topic_throttles = {"other": {LEADERS: "0:1"}}
    assert applier(cluster, told).move([Replication("t", 2, 50)]) == [Moved()]
    assert "waiting until topic 'other' is copied" in told[0]
    assert cluster.topics == {"t": {0: (1, 3)}, "other": {0: (1, 2)}}
    assert sum("waiting" in line for line in told) == 1
    assert cluster.topic_throttles["other"] == {LEADERS: "0:1"}


def test_a_rate_of_ours_is_never_above_what_was_asked_for_and_keeps_its_mark():
    for rate in (8_219, 300_000, 50_000_000):
        assert is_our_rate(str(marked(rate)))
        assert rate - 10_000 < marked(rate) <= rate
    assert marked(1) == 8_219
    assert not is_our_rate("50000000")


def test_brokers_that_are_down_are_named_instead_of_advice_to_lower_the_replication():
    cluster = ScriptedCluster({"t": {0: (1, 4)}})
    cluster.fenced = lambda: frozenset({5})
    (outcome,) = applier(cluster).move([Replication("t", 4, 50)])
    assert "only 3 of the cluster's 5 brokers are up: brokers 4, 5 are down. Start what is down" in outcome.message
    assert "Declare" not in outcome.message


def test_more_replicas_than_brokers_move_nothing():
    cluster = ScriptedCluster({"t": {0: (1,)}})
    (outcome,) = applier(cluster).move([Replication("t", 4, 50)])
    assert isinstance(outcome, Failure)
    assert outcome.kind is FailureKind.REFUSED
    assert cluster.calls == []


def test_the_preview_shows_the_bytes():
    preview = applier(ScriptedCluster({"t": {0: (1,), 1: (2,)}})).preview("t", 3)
    assert preview == (
        "topic 't': 4 replicas of 2 partitions are copied, 4.0 KiB in all, at most 8.0 KiB a second for each broker."
    )
    assert "none is copied" in applier(ScriptedCluster({"t": {0: (1, 2)}})).preview("t", 1)
