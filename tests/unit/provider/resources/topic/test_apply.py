"""The set-wise core on a cluster that loses answers, lags behind and refuses single items."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from kafka_topology.cluster.live.topics import LiveTopic, TopicContents, Writer
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.resources.topic.apply import TopicApplier, TopicCreation, TopicDeletion, TopicUpdate
from kafka_topology.provider.resources.topic.inputs import DeclaredTopic
from kafka_topology.provider.resources.topic.outcomes import Applied

LOST = Failure(FailureKind.UNCERTAIN, "no answer")
MISSING = Failure(FailureKind.MISSING, "no such topic")


@dataclass
class ScriptedCluster:
    """Does what it is asked. `lost` are names whose next write is done but not answered; `lag` is
    how many looks it takes until a write can be seen; `refused` are names whose writes fail."""

    topics: dict[str, LiveTopic] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    lag: int = 0
    readers: dict[str, tuple[str, ...] | Failure] = field(default_factory=dict)
    contents: dict[str, TopicContents] = field(default_factory=dict)
    writers: dict[str, tuple[Writer, ...] | Failure | None] = field(default_factory=dict)
    growing: set[str] = field(default_factory=set)
    calls: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self):
        self.visible = dict(self.topics)
        self.looks = 0

    def describe_topics(self, names):
        self.calls.append(("describe", len(names)))
        self.looks += 1
        if self.looks > self.lag:
            self.visible = dict(self.topics)
        return {name: self.visible.get(name, MISSING) for name in names}

    def _write(self, what, names, act):
        self.calls.append((what, len(names)))
        self.looks = 0
        outcomes = {}
        for name in names:
            if name in self.refused:
                outcomes[name] = Failure(FailureKind.REJECTED, "policy violation")
                continue
            outcomes[name] = act(name)
            if name in self.lost:
                self.lost.discard(name)
                outcomes[name] = LOST
        return outcomes

    def create_topics(self, topics):
        by_name = {topic.name: topic for topic in topics}

        def act(name):
            if name in self.topics:
                return Failure(FailureKind.EXISTS, "exists")
            t = by_name[name]
            self.topics[name] = LiveTopic(name, f"id-{name}", t.partitions, t.replication, dict(t.config))
            return None

        return self._write("create", by_name, act)

    def create_partitions(self, totals):
        def act(name):
            t = self.topics[name]
            self.topics[name] = LiveTopic(name, t.topic_id, totals[name], t.replication, t.config)

        return self._write("partitions", totals, act)

    def alter_configs(self, changes):
        def act(name):
            t, change = self.topics[name], changes[name]
            kept = {k: v for k, v in t.config.items() if k not in change.reset}
            config = {**kept, **change.set}
            self.topics[name] = LiveTopic(name, t.topic_id, t.partitions, t.replication, config)

        return self._write("alter", changes, act)

    def delete_topics(self, names):
        return self._write("delete", list(names), lambda name: None if self.topics.pop(name, None) else MISSING)

    def readers_of(self, names):
        return {name: self.readers.get(name, ()) for name in names}

    def contents_of(self, topics):
        for name in self.growing:
            before = self.contents.get(name, TopicContents(0))
            self.contents[name] = TopicContents(0, written=before.written + 1)
        return {name: self.contents.get(name, TopicContents(0)) for name in topics}

    def writers_of(self, topics):
        return {name: self.writers.get(name, ()) for name in topics}


def applier(cluster):
    """Time passes only by pausing: each pause is one tick."""
    ticks = iter(range(10_000))
    now = [0]

    def pause(_seconds):
        now[0] = next(ticks) + 1
        return True

    return TopicApplier(cluster, pause, clock=lambda: now[0])


def declared(name, partitions=3, config=None, deletion="allowed"):
    return DeclaredTopic(name, partitions, 1, config or {}, deletion)


def creation(name, **inputs):
    return TopicCreation(declared(name, **inputs), deadline=20)


def update(name, previous=(), **inputs):
    return TopicUpdate(declared(name, **inputs), frozenset(previous), deadline=20)


def deletion(name, topic_id=None, **inputs):
    return TopicDeletion(declared(name, **inputs), topic_id, deadline=20)


def test_a_set_is_created_with_one_request_and_an_outcome_for_each():
    cluster = ScriptedCluster(refused={"b"})
    a, b, c = applier(cluster).create([creation("a"), creation("b"), creation("c")])
    assert isinstance(a, Applied)
    assert isinstance(c, Applied)
    assert b == Failure(FailureKind.REJECTED, "policy violation")
    assert cluster.calls == [("create", 3), ("describe", 2)]


def test_creation_waits_until_the_topic_can_be_seen():
    cluster = ScriptedCluster(lag=5)
    (outcome,) = applier(cluster).create([creation("a")])
    assert isinstance(outcome, Applied)
    assert outcome.live.topic_id == "id-a"
    assert outcome.unfinished == ()


def test_a_topic_that_never_becomes_visible_is_made_and_unfinished():
    (outcome,) = applier(ScriptedCluster(lag=1000)).create([creation("a")])
    assert isinstance(outcome, Applied)
    assert "not visible yet" in outcome.unfinished[0]


def test_a_lost_answer_to_a_creation_is_resolved_by_looking():
    cluster = ScriptedCluster(lost={"a"})
    (outcome,) = applier(cluster).create([creation("a", config={"retention.ms": "1"})])
    assert isinstance(outcome, Applied)
    assert list(cluster.topics) == ["a"]


def test_an_equal_topic_is_adopted_and_its_other_configs_are_named():
    live = LiveTopic("a", "id", 3, 1, {"retention.ms": "1", "segment.bytes": "2"})
    cluster = ScriptedCluster({"a": live})
    (outcome,) = applier(cluster).create([creation("a", config={"retention.ms": "1"})])
    assert isinstance(outcome, Applied)
    assert outcome.live is live
    assert "segment.bytes" in outcome.warnings[0]


def test_a_different_topic_is_not_touched_and_the_difference_is_shown():
    live = LiveTopic("a", "id", 5, 1, {"retention.ms": "2"})
    cluster = ScriptedCluster({"a": live})
    (outcome,) = applier(cluster).create([creation("a", config={"retention.ms": "1"})])
    assert isinstance(outcome, Failure)
    assert "partitions: declared 3, live 5; retention.ms: declared 1, live 2" in outcome.message
    assert "pulumi import" in outcome.message
    assert cluster.topics == {"a": live}


def test_an_update_sends_one_request_per_kind_and_reads_the_result_back():
    topics = {n: LiveTopic(n, n, 3, 1, {"old": "1", "foreign": "1"}) for n in "abc"}
    cluster = ScriptedCluster(topics, lag=3)
    items = [update(n, previous={"old"}, partitions=5, config={"new": "2"}) for n in "abc"]
    outcomes = applier(cluster).update(items)
    assert all(isinstance(o, Applied) and not o.unfinished for o in outcomes)
    assert [call for call in cluster.calls if call[0] != "describe"] == [
        ("partitions", 3),
        ("alter", 3),
    ]
    assert cluster.topics["a"] == LiveTopic("a", "a", 5, 1, {"foreign": "1", "new": "2"})


def test_an_update_that_is_refused_half_way_names_what_is_left():
    cluster = ScriptedCluster({"a": LiveTopic("a", "id", 3, 1)})
    cluster.alter_configs = lambda changes: dict.fromkeys(changes, Failure(FailureKind.REJECTED, "bad value"))
    (outcome,) = applier(cluster).update([update("a", partitions=5, config={"x": "y"})])
    assert isinstance(outcome, Applied)
    assert outcome.live.partitions == 5
    assert outcome.unfinished == ("bad value", "x: declared y, live not set")


def test_an_update_of_a_topic_that_is_gone_is_an_error_not_a_creation():
    cluster = ScriptedCluster()
    (outcome,) = applier(cluster).update([update("a")])
    assert isinstance(outcome, Failure)
    assert "pulumi refresh" in outcome.message
    assert cluster.topics == {}


def test_deletion_is_confirmed_by_looking_and_lost_answers_too():
    cluster = ScriptedCluster({"a": LiveTopic("a", "id", 1, 1), "b": LiveTopic("b", "id", 1, 1)}, lost={"b"}, lag=3)
    assert applier(cluster).delete([deletion("a"), deletion("b"), deletion("gone")]) == [None] * 3
    assert cluster.topics == {}


def test_what_is_in_use_is_not_deleted_and_the_rest_is():
    topics = {n: LiveTopic(n, "id", 1, 1) for n in ("read", "full", "idle", "forced", "unsure")}
    cluster = ScriptedCluster(
        topics,
        readers={"read": ("group 'g'",), "forced": ("group 'g'",), "unsure": LOST},
        contents={"full": TopicContents(1)},
    )
    names = list(topics)
    outcomes = dict(
        zip(
            names,
            applier(cluster).delete([deletion(n, deletion="force" if n == "forced" else "allowed") for n in names]),
            strict=True,
        )
    )
    assert set(cluster.topics) == {"read", "full", "unsure"}
    assert outcomes["idle"] is None
    assert outcomes["forced"] is None
    assert "group 'g'" in outcomes["read"].message
    assert "not empty" in outcomes["full"].message
    assert "could not be checked" in outcomes["unsure"].message


def test_a_topic_with_active_producers_is_not_deleted_and_unknown_producers_are_reported():
    topics = {n: LiveTopic(n, "id", 1, 1) for n in ("growing", "written", "denied", "old")}
    wrote = Writer(0, 7, datetime.now(UTC))
    writers = {"written": (wrote,), "denied": Failure(FailureKind.DENIED, "needs Read"), "old": None}
    cluster = ScriptedCluster(topics, writers=writers, growing={"growing"})
    told = []
    outcomes = replace(applier(cluster), report=told.append).delete([deletion(name) for name in topics])
    assert set(cluster.topics) == {"growing", "written", "denied"}
    assert "1 records came while" in outcomes[0].message
    assert "producer 7" in outcomes[1].message
    assert "could not be checked whether it is in use: needs Read" in outcomes[2].message
    assert outcomes[3] is None
    assert "topic 'old' is empty and is deleted, but its brokers are too old" in told[0]


def test_a_cancelled_run_stops_waiting():
    cluster = ScriptedCluster(lag=1000)
    stopped = TopicApplier(cluster, pause=lambda _: False, clock=lambda: 0)
    (outcome,) = stopped.create([creation("a")])
    assert isinstance(outcome, Applied)
    assert outcome.unfinished


class DeadController(ScriptedCluster):
    """Every kind of call is not answered, and not done either, so many times."""

    def __init__(self, topics, silent):
        super().__init__(topics)
        self.silent = dict.fromkeys(("describe", "partitions", "alter", "delete"), silent)

    def _is_silent(self, what):
        self.silent[what] -= 1
        return self.silent[what] >= 0

    def describe_topics(self, names):
        return dict.fromkeys(names, LOST) if self._is_silent("describe") else super().describe_topics(names)

    def _write(self, what, names, act):
        return dict.fromkeys(names, LOST) if self._is_silent(what) else super()._write(what, names, act)


def test_updates_and_deletions_that_never_arrived_are_sent_again():
    cluster = DeadController({"a": LiveTopic("a", "id", 3, 1), "b": LiveTopic("b", "id", 1, 1)}, silent=2)
    (outcome,) = applier(cluster).update([update("a", partitions=5, config={"new": "2"})])
    assert isinstance(outcome, Applied)
    assert not outcome.unfinished
    assert cluster.topics["a"] == LiveTopic("a", "id", 5, 1, {"new": "2"})
    assert applier(cluster).delete([deletion("b")]) == [None]
    assert "b" not in cluster.topics


def test_partitions_that_were_added_without_an_answer_are_no_error_when_they_are_refused_afterwards():
    cluster = ScriptedCluster({"a": LiveTopic("a", "id", 3, 1)}, lost={"a"}, lag=3)
    add = cluster.create_partitions

    def once(totals):
        if cluster.topics["a"].partitions == 5:
            return {"a": Failure(FailureKind.REJECTED, "topic already has 5 partitions")}
        return add(totals)

    cluster.create_partitions = once
    (outcome,) = applier(cluster).update([update("a", partitions=5)])
    assert isinstance(outcome, Applied)
    assert (outcome.live.partitions, outcome.unfinished) == (5, ())
