"""The set-wise core for groups on a cluster that loses answers and is slow to know a topic."""

from __future__ import annotations

from dataclasses import dataclass

from scripted_groups import LOST, MISSING, ScriptedGroups, applier_of

from kafka_topology.cluster.live.groups import Committed, GroupShape
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.resources.any_group.apply import AppliedGroup, GroupChange, GroupDeletion
from kafka_topology.provider.resources.any_group.inputs import Reset
from kafka_topology.provider.resources.group import plan as plans
from kafka_topology.provider.resources.group.apply import GroupApplier
from kafka_topology.provider.resources.group.inputs import DeclaredGroup


@dataclass
class ScriptedCluster(ScriptedGroups):
    """A topic is known after `late` looks."""

    commits: int = 0

    def describe_groups(self, names):
        def shape(name):
            count = self.members.get(name, 0)
            return GroupShape("Stable", count) if count else GroupShape("Empty" if name in self.offsets else "Dead")

        return {name: shape(name) for name in names}

    def count_partitions(self, topics):
        self.late -= 1
        return super().count_partitions(topics) if self.late < 0 else dict.fromkeys(topics, MISSING)

    def committed(self, groups):
        return {g: {p: c for p, c in self.offsets.get(g, {}).items() if p in ps} for g, ps in groups.items()}

    def offsets_at(self, to, partitions):
        return dict.fromkeys(partitions, 0 if to == "earliest" else 10)

    def commit(self, offsets):
        self.commits += 1
        return self.move(offsets)


def applier(cluster):
    return applier_of(GroupApplier, cluster)


def declared(name="g", **others):
    return DeclaredGroup(name, {"a": None}, **{"start": "earliest", **others})


def creation(name="g", **others):
    return GroupChange(declared(name, **others), 20, is_new=True)


def test_a_set_of_groups_is_started_with_one_call():
    cluster = ScriptedCluster()
    outcomes = applier(cluster).change([creation(f"g{n}") for n in range(50)])
    assert all(isinstance(outcome, AppliedGroup) and not outcome.unfinished for outcome in outcomes)
    assert cluster.commits == 1
    assert cluster.offsets["g7"] == {("a", n): Committed(0, plans.START_MARK) for n in range(2)}


def test_a_lost_answer_is_resolved_by_looking():
    cluster = ScriptedCluster(lost=1)
    (outcome,) = applier(cluster).change([creation()])
    assert isinstance(outcome, AppliedGroup)
    assert cluster.commits == 1


def test_what_the_brokers_deny_to_a_new_group_ends_it_at_once():
    cluster = ScriptedCluster()
    cluster.commit = lambda offsets: dict.fromkeys(offsets, Failure(FailureKind.DENIED, "it needs Read"))
    (outcome,) = applier(cluster).change([creation()])
    assert outcome == Failure(FailureKind.DENIED, "group 'g': it needs Read")


def test_a_topic_that_is_not_known_yet_is_waited_for_and_one_that_never_comes_is_named():
    cluster = ScriptedCluster(late=4)
    (outcome,) = applier(cluster).change([creation()])
    assert isinstance(outcome, AppliedGroup)
    assert not outcome.unfinished
    assert len(cluster.offsets["g"]) == 2
    (outcome,) = applier(ScriptedCluster(topics={})).change([creation()])
    assert isinstance(outcome, AppliedGroup)
    assert outcome.unfinished == ("group 'g': its topics are not on the cluster: a",)


def test_an_existing_group_keeps_its_offsets_and_another_config_stops_the_adoption():
    cluster = ScriptedCluster(offsets={"g": {("a", 0): Committed(7)}}, configs={"h": {"x": "1"}})
    kept, stopped = applier(cluster).change([creation("g"), creation("h", config={"x": "2"})])
    assert isinstance(kept, AppliedGroup)
    assert cluster.offsets == {"g": {("a", 0): Committed(7)}}
    assert isinstance(stopped, Failure)
    assert "x: declared 2, live 1" in stopped.message


def test_a_reset_is_refused_under_members_and_done_once_without():
    reset = GroupChange(declared(reset=Reset("latest", "t")), 20, reset=True)
    cluster = ScriptedCluster(offsets={"g": {("a", 0): Committed(7)}}, members={"g": 1})
    (outcome,) = applier(cluster).change([reset])
    assert isinstance(outcome, Failure)
    assert outcome.kind is FailureKind.REFUSED
    cluster.members = {}
    applier(cluster).change([reset])
    applier(cluster).change([reset])
    assert cluster.commits == 1
    assert {committed.offset for committed in cluster.offsets["g"].values()} == {10}


def test_a_partition_whose_commit_failed_is_sent_again_after_a_look_without_an_answer():
    cluster = ScriptedCluster()
    commit, describe = cluster.commit, cluster.describe_groups
    sent = []

    def fails_once(offsets):
        sent.append({name: sorted(partitions) for name, partitions in offsets.items()})
        if len(sent) > 1:
            return commit(offsets)
        commit({"g": {("a", 0): offsets["g"]["a", 0]}})
        cluster.describe_groups = lost_once
        return {"g": {("a", 1): LOST}}

    def lost_once(names):
        cluster.describe_groups = describe
        return dict.fromkeys(names, LOST)

    cluster.commit = fails_once
    (outcome,) = applier(cluster).change([GroupChange(declared(reset=Reset("latest", "t")), 20, reset=True)])
    assert isinstance(outcome, AppliedGroup)
    assert sent == [{"g": [("a", 0), ("a", 1)]}, {"g": [("a", 1)]}]
    assert len(cluster.offsets["g"]) == 2


def test_a_deletion_takes_offsets_and_declared_config_and_stops_at_members():
    cluster = ScriptedCluster(
        offsets={"g": {("a", 0): Committed(7)}, "used": {}},
        configs={"g": {"x": "1", "foreign": "1"}},
        members={"used": 1},
    )
    items = [GroupDeletion(declared(name, config={"x": "1"}), 20) for name in ("g", "used", "gone")]
    done, refused, gone = applier(cluster).delete(items)
    assert done is None
    assert gone is None
    assert isinstance(refused, Failure)
    assert cluster.configs == {"g": {"foreign": "1"}}
    assert set(cluster.offsets) == {"used"}
