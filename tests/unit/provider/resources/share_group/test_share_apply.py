"""Share groups on a scripted cluster: answers that are lost, brokers that do nothing, consumers that join meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from scripted_groups import ScriptedGroups, applier_of

from kafka_topology.cluster.live.share_groups import LiveShareGroup, ShareOffset, ShareShape
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.resources.any_group.apply import AppliedGroup, GroupChange, GroupDeletion
from kafka_topology.provider.resources.any_group.inputs import Reset
from kafka_topology.provider.resources.any_group.plan import lag_warnings
from kafka_topology.provider.resources.share_group.apply import ShareGroupApplier
from kafka_topology.provider.resources.share_group.inputs import SHARE_GROUP_INPUTS, DeclaredShareGroup

IGNORED = Failure(FailureKind.REJECTED, "accepted and did nothing")
LOCK = {"share.record.lock.duration.ms": "20000"}


@dataclass
class ScriptedCluster(ScriptedGroups):
    """Offsets show after `late` more looks."""

    others: dict[str, str] = field(default_factory=dict)
    end: int = 10
    sets: list = field(default_factory=list)
    asked: list = field(default_factory=list)

    def describe_groups(self, names):
        def shape(name):
            if name in self.others:
                return ShareShape(other_type=self.others[name])
            count = self.members.get(name, 0)
            if count:
                return ShareShape("Stable", count, ("a",))
            return ShareShape("Empty") if name in self.offsets else ShareShape()

        return {name: shape(name) for name in names}

    def start_offsets(self, groups):
        self.asked += groups
        self.late -= 1
        shown = {} if self.late >= 0 else self.offsets
        return {name: {p: ShareOffset(at) for p, at in shown.get(name, {}).items()} for name in groups}

    def offsets_at(self, to, partitions):
        self.end += 1  # producers go on
        return dict.fromkeys(partitions, 0 if to == "earliest" else self.end)

    def set_start_offsets(self, offsets):
        self.sets.append(offsets)
        return self.move(offsets)


def applier(cluster):
    return applier_of(ShareGroupApplier, cluster)


def declared(**others):
    return DeclaredShareGroup("g", ("a",), **others)


def changed(cluster, *, is_new=False, reset=False, previous=(), **others):
    item = GroupChange(declared(**others), 20, frozenset(previous), is_new=is_new, reset=reset)
    (outcome,) = applier(cluster).change([item])
    return outcome


def created(cluster, **others):
    return changed(cluster, is_new=True, **others)


def refused(outcome, words):
    assert isinstance(outcome, Failure), outcome
    assert words in outcome.message


def test_settings_come_before_the_start():
    cluster = ScriptedCluster()
    outcome = created(cluster, start="latest", config=LOCK)
    assert isinstance(outcome, AppliedGroup)
    assert not outcome.unfinished
    assert cluster.configs == {"g": LOCK}
    assert cluster.offsets == {"g": {("a", 0): 11, ("a", 1): 11}}


def test_a_lost_answer_is_resolved_by_looking_and_latest_is_not_chased():
    cluster = ScriptedCluster(lost=1, late=2)
    assert isinstance(created(cluster, start="latest"), AppliedGroup)
    assert cluster.end == 11  # looked up once: the offsets that were asked for first stay the target
    assert {offset for sent in cluster.sets for offset in sent["g"].values()} == {11}


def test_brokers_that_accept_and_do_nothing_end_a_creation():
    cluster = ScriptedCluster()
    cluster.set_start_offsets = lambda offsets: {name: dict.fromkeys(ps, IGNORED) for name, ps in offsets.items()}
    assert created(cluster, start="earliest") == Failure(FailureKind.REJECTED, f"share group 'g': {IGNORED.message}")


@pytest.mark.parametrize("offsets", [{("a", 0): 5}, {("a", 0): 5, ("a", 1): 6}])
def test_the_start_never_moves_what_is_there(offsets):
    cluster = ScriptedCluster(offsets={"g": dict(offsets)})
    assert isinstance(created(cluster, start="latest"), AppliedGroup)
    assert cluster.offsets == {"g": offsets}
    assert not cluster.sets


def test_the_start_is_not_set_under_consumers():
    cluster = ScriptedCluster(members={"g": 3})
    assert isinstance(created(cluster, start="latest"), AppliedGroup)
    assert not cluster.sets


def test_an_existing_group_is_adopted_only_with_its_settings():
    refused(created(ScriptedCluster(offsets={"g": {}}), config=LOCK), "declared 20000, live not set")
    other = {"share.record.lock.duration.ms": "30000"}
    refused(created(ScriptedCluster(configs={"g": other}), config=LOCK), "declared 20000, live 30000")
    same = ScriptedCluster(offsets={"g": {}}, configs={"g": LOCK})
    assert isinstance(created(same, config=LOCK), AppliedGroup)


def test_a_group_of_another_type_is_never_touched():
    for call in (created, changed):
        cluster = ScriptedCluster(others={"g": "consumer"})
        refused(call(cluster, config=LOCK, start="earliest"), "is a consumer group on the cluster")
        assert (cluster.configs, cluster.offsets) == ({}, {})
    (outcome,) = applier(cluster).delete([GroupDeletion(declared(config=LOCK), 20)])
    refused(outcome, "is a consumer group on the cluster")


def test_a_reset_moves_all_partitions_and_is_refused_under_consumers_before_any_setting_changes():
    reset = Reset("earliest", "INC-7")
    cluster = ScriptedCluster(offsets={"g": {("a", 0): 5}})
    assert isinstance(_reset(cluster, reset), AppliedGroup)
    assert cluster.offsets == {"g": {("a", 0): 0, ("a", 1): 0}}

    in_use = ScriptedCluster(members={"g": 1}, offsets={"g": {("a", 0): 5}})
    refused(_reset(in_use, reset, config=LOCK), "not moved while consumers run")
    assert (in_use.configs, in_use.sets) == ({}, [])


def _reset(cluster, reset, config=None):
    item = GroupChange(DeclaredShareGroup("g", ("a",), reset=reset, config=config or {}), 20, reset=True)
    (outcome,) = applier(cluster).change([item])
    return outcome


def test_a_consumer_that_joins_after_the_brokers_accepted_a_reset_does_not_fail_it():
    cluster = ScriptedCluster(offsets={"g": {("a", 0): 5, ("a", 1): 5}})
    set_offsets = cluster.set_start_offsets

    def then_read(offsets):
        answer = set_offsets(offsets)
        cluster.members["g"] = 1
        cluster.offsets["g"][("a", 0)] = 3
        return answer

    cluster.set_start_offsets = then_read
    assert isinstance(_reset(cluster, Reset("earliest", "INC-7")), AppliedGroup)
    assert len(cluster.sets) == 1


def test_a_topic_that_never_comes_is_named():
    outcome = created(ScriptedCluster(topics={}), start="earliest")
    assert isinstance(outcome, AppliedGroup)
    assert outcome.unfinished == ("share group 'g': its topics are not on the cluster: a",)


def test_removed_settings_return_to_their_default_and_others_stay():
    cluster = ScriptedCluster(configs={"g": {**LOCK, "share.session.timeout.ms": "50000", "share.x": "1"}})
    assert isinstance(changed(cluster, config=LOCK, previous=("share.session.timeout.ms",)), AppliedGroup)
    assert cluster.configs == {"g": {**LOCK, "share.x": "1"}}


def test_offsets_are_only_read_of_groups_that_exist():
    cluster = ScriptedCluster()
    assert isinstance(created(cluster, config=LOCK), AppliedGroup)
    assert cluster.asked == []


def test_a_deletion_removes_the_group_and_its_declared_settings_but_not_in_use():
    cluster = ScriptedCluster(offsets={"g": {}}, configs={"g": {**LOCK, "share.x": "1"}})
    assert applier(cluster).delete([GroupDeletion(declared(config=LOCK), 20)]) == [None]
    assert (cluster.offsets, cluster.configs) == ({}, {"g": {"share.x": "1"}})
    in_use = ScriptedCluster(offsets={"g": {}}, members={"g": 2})
    (outcome,) = applier(in_use).delete([GroupDeletion(declared(deletion="force"), 20)])
    refused(outcome, "has 2 members and is Stable: a group in use is not deleted")


def test_inputs_are_checked_before_anything_is_applied():
    given = {
        "topics": "a",
        "start": "soon",
        "config": {"consumer.session.timeout.ms": 5},
        "deletion": "maybe",
        "lag": 1,
    }
    checked = SHARE_GROUP_INPUTS.check("g", {}, given, ("shop.",))
    found = {failure.property for failure in checked.failures}
    assert found == {"topics", "start", 'config["consumer.session.timeout.ms"]', "deletion", "lag", "name"}
    renamed = SHARE_GROUP_INPUTS.check("g", {"name": "f"}, {"name": "g"}, None)
    assert "share group 'f' cannot be renamed to 'g'" in renamed.failures[0].reason


def test_a_declared_start_of_an_imported_group_is_no_change():
    old = {"name": "g", "topics": ["a", "b"], "deletion": "protected"}
    assert SHARE_GROUP_INPUTS.diff(old, {**old, "topics": ["b", "a"], "start": "earliest"}) == ()


def test_a_share_group_that_is_further_behind_than_declared_is_named():
    group = declared(max_lag=5)
    seen = {("a", number): ShareOffset(3, lag) for number, lag in enumerate((4, 3))}
    (warning,) = lag_warnings("share group 'g'", group, LiveShareGroup("g", offsets=seen))
    assert "share group 'g' is 7 records behind, more than its maxLag of 5" in warning
    # Brokers before Kafka 4.2 do not count it.
    assert lag_warnings("share group 'g'", group, LiveShareGroup("g", offsets={("a", 0): ShareOffset(3)})) == ()
    assert SHARE_GROUP_INPUTS.check("g", {}, {"maxLag": -1}, None).failures[0].property == "maxLag"
