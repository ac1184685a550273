"""What is lost with a broker or a rack, by the declaration and by live placement."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafka_topology.report.review.load_words import loss_sentence, what_if_sentences
from kafka_topology.review.live import Live, LiveGroup, LivePartition, LiveTopic
from kafka_topology.review.what_if.question import (
    CannotTell,
    any_broker,
    lose_broker,
    lose_brokers,
    lose_rack,
    lose_racks,
)
from kafka_topology.topology import Topology, load

ROLES = """\
producers:
  w: {topics: [a]}
  fast: {topics: [a], delivery: at-most-once, config: {acks: 1}}
consumerGroups: {g: {topics: [a]}}
"""
SAFE = "topics: {a: {partitions: 6, replication: 3, config: {min.insync.replicas: 2}}}"


@pytest.fixture
def topology(tmp_path: Path):
    def make(text: str) -> Topology:
        file = tmp_path / "t.yaml"
        file.write_text(f"version: 1\n{text}")
        loaded = load(file)
        assert loaded.topology is not None, loaded.problems
        return loaded.topology

    return make


def test_two_of_three_replicas_are_enough(topology):
    found = lose_broker(topology(f"cluster: {{brokers: 3}}\n{SAFE}"), 2)
    assert [(loss.state, loss.partitions, loss.copies_left) for loss in found.topics] == [("fewer copies", 6, 2)]
    assert found.lose_writes == ()


def test_min_isr_equal_to_replication_stops_acks_all_writers_only(topology):
    topic = "a: {partitions: 8, replication: 2, config: {min.insync.replicas: 2}}"
    written = f"cluster: {{brokers: 4}}\ntopics: {{{topic}}}\n{ROLES}"
    found = lose_broker(topology(written), 1)
    (loss,) = found.lose_writes
    assert (loss.state, loss.partitions, loss.of, loss.writers, loss.readers) == ("no writes", 4, 8, ("w",), ("g",))


def test_a_single_replica_goes_offline_and_its_groups_stall(topology):
    found = lose_broker(
        topology(f"cluster: {{brokers: 3}}\ntopics: {{a: {{partitions: 6, replication: 1}}}}\n{ROLES}"), 1
    )
    (loss,) = found.lose_writes
    assert (loss.state, loss.partitions, loss.writers) == ("offline", 2, ("w", "fast"))
    assert found.stalled_groups == ("g",)


def test_a_rack_takes_its_share_of_replicas(topology):
    text = "topics: {a: {partitions: 6, replication: 3, config: {min.insync.replicas: 2}}}\n"
    spread = topology("cluster: {brokers: 6, racks: [x, y, z]}\n" + text)
    assert lose_rack(spread, "x").lose_writes == ()
    narrow = topology("cluster: {brokers: 6, racks: [x, y]}\n" + text)
    (loss,) = lose_rack(narrow, "x").lose_writes
    assert (loss.state, loss.copies_left) == ("no writes", 1)


def test_disk_and_partitions_of_each_broker_before_and_after(topology):
    written = (
        "cluster: {brokers: 3, disk: 1GiB, limits: {partitionsPerBroker: 6}}\n"
        "topics: {a: {partitions: 6, replication: 2, retention: 1d, throughput: {average: 10KB/s}}}"
    )
    found = lose_broker(topology(written), 1)
    assert (found.before.replicas, found.after.replicas) == (4, 6)
    assert (found.before.disk, found.after.disk) == (576_000_000, 864_000_000)


def test_nothing_is_said_to_be_replicated_where_no_broker_is_left_for_it(topology):
    written = "cluster: {brokers: 3, controllers: [7, 8, 9]}\ntopics: {a: {partitions: 6, replication: 3}}"
    told = " ".join(what_if_sentences(lose_broker(topology(written), 1)))
    assert "takes no lost replica: no broker is left for 6 lost replicas" in told
    assert "re-replication" not in told
    wide = topology(written.replace("brokers: 3", "brokers: 4"))
    assert "after re-replication" in " ".join(what_if_sentences(lose_broker(wide, 1)))


def test_several_racks_are_lost_at_the_same_time(topology):
    spread = topology("cluster: {brokers: 6, racks: [x, y, z]}\ntopics: {a: {partitions: 6, replication: 3}}")
    found = lose_racks(spread, ("x", "z"))
    assert (found.loss.title, len(found.loss.lost)) == ("racks x, z", 4)
    with pytest.raises(CannotTell, match="no rack w"):
        lose_racks(spread, ("x", "w"))


def test_live_placement_counts_what_is_in_sync(topology):
    declared = topology(
        "cluster: {brokers: 3}\ntopics: {a: {partitions: 2, replication: 3, config: {min.insync.replicas: 2}}}"
    )
    parts = (LivePartition(1, (1, 2, 3), (1, 2, 3)), LivePartition(2, (1, 2, 3), (1, 2)))
    live = Live({1: "x", 2: "y", 3: "z"}, {"a": LiveTopic(parts, 2)})
    found = lose_broker(declared, 2, live)
    assert found.source == "live placement"
    (loss,) = found.lose_writes
    assert (loss.partitions, loss.of, loss.copies_left) == (1, 2, 1)
    assert lose_broker(declared, 3, live).lose_writes == ()
    worst = any_broker(declared, live)
    assert worst is not None
    assert worst.loss.lost == (1,)


IN_SYNC = (LivePartition(1, (1, 2, 3), (1, 2, 3)),)
THREE = {1: None, 2: None, 3: None}
DECLARES_TWO = (
    "cluster: {brokers: 3, controllers: [7, 8, 9]}\n"
    "topics: {a: {partitions: 1, replication: 3, config: {min.insync.replicas: 2}}}"
)


@pytest.mark.parametrize(
    ("live", "lost", "state"),
    [(3, (1,), "no writes"), (2, (1,), "fewer copies"), (1, (1, 2), "fewer copies"), (2, (1, 2), "no writes")],
)
def test_the_live_min_isr_counts_and_a_difference_is_said(topology, live, lost, state):
    found = lose_brokers(topology(DECLARES_TWO), lost, Live(THREE, {"a": LiveTopic(IN_SYNC, live)}))
    assert [(loss.state, loss.min_isr) for loss in found.topics] == [(state, live)]
    said = f"by the min.insync.replicas of the cluster, not by the declared one: a ({live}; declared 2)"
    assert (said in found.notes) == (live != 2)


@pytest.mark.parametrize(
    "live",
    [Live(THREE, {"a": LiveTopic(IN_SYNC)}), Live(THREE, problems=("denied",), unread_topics=frozenset({"a"}))],
    ids=["described without it", "not described"],
)
def test_nothing_is_claimed_of_a_topic_whose_live_min_isr_is_not_known(topology, live):
    found = lose_broker(topology(DECLARES_TWO), 1, live)
    assert (found.topics, found.unchecked) == ((), ("a",))
    told = " ".join(what_if_sentences(found))
    assert "every topic except a can still be read and written" in told
    assert "Could not check, because the min.insync.replicas of the cluster could not be read: a." in told
    assert "not on the cluster" not in told


def test_a_review_counts_with_what_the_change_sets(topology):
    before, live = topology(DECLARES_TWO), Live(THREE, {"a": LiveTopic(IN_SYNC, 1)})
    after = topology(DECLARES_TWO.replace("min.insync.replicas: 2", "min.insync.replicas: 3"))
    changed, same = any_broker(after, live, before), any_broker(before, live, before)
    assert changed is not None
    assert same is not None
    assert [loss.min_isr for loss in (*changed.topics, *same.topics)] == [3, 1]


def test_kafkas_own_topics_count_too(topology):
    written = (
        "cluster: {brokers: 3, defaults: {offsets.topic.replication.factor: 1,"
        " transaction.state.log.replication.factor: 2, transaction.state.log.min.isr: 2}}\n"
        "topics: {a: {partitions: 6, replication: 3}}"
    )
    found = lose_broker(topology(written), 1)
    states = {loss.topic: loss.state for loss in found.topics}
    assert states == {"a": "fewer copies", "__consumer_offsets": "offline", "__transaction_state": "no writes"}
    told = " ".join(what_if_sentences(found))
    assert "neither commit nor join" in told
    assert "transactions whose state" in told


def test_the_loss_of_a_rack_stops_transactions_and_share_groups(topology):
    """Two replicas of each internal topic may be in the same rack, and two must be in sync."""
    written = (
        "cluster: {brokers: 6, racks: [x, y], controllers: [11, 12, 13]}\n"
        "topics: {a: {partitions: 6, replication: 4, config: {min.insync.replicas: 2}}}\n"
        "producers: {w: {topics: [a], delivery: exactly-once, transactionalId: w}}\n"
        "consumerGroups: {g: {topics: [a]}}\n"
        "shareGroups: {s: {topics: [a]}}\n"
    )
    found = lose_rack(topology(written), "x")
    stops = {loss.topic: (loss.copies_left, loss.min_isr) for loss in found.lose_writes}
    assert stops == {"__transaction_state": (1, 2), "__share_group_state": (1, 2)}
    assert found.stalled_groups == ()  # which of them is not known
    told = " ".join(what_if_sentences(found))
    assert "transactions whose state is in these partitions stop: any of w." in told
    assert "share groups whose state is in these partitions deliver nothing: any of s." in told


def test_nothing_goes_on_without_a_majority_of_controllers(topology):
    written = (
        "cluster: {brokers: 3, controllers: [1, 2, 3]}\n"
        "topics: {a: {partitions: 6, replication: 3, config: {min.insync.replicas: 1}}}\n" + ROLES
    )
    found = lose_brokers(topology(written), (2, 3))
    assert (found.quorum.verdict, found.quorum.left, found.quorum.needed) == ("lost", 1, 2)
    (loss,) = (loss for loss in found.topics if loss.topic == "a")
    assert (loss.state, loss.partitions, loss.copies_left) == ("offline", 4, 1)  # their leaders are lost
    assert loss.no_writes == 6
    assert loss_sentence(loss) == ("a: 4 of 6 partitions cannot be read or written, and 2 more take no acks=all writes")
    told = " ".join(what_if_sentences(found))
    assert "can still be read and written" not in told
    assert "lose their majority: 1 of 3 controllers is left, and 2 are needed" in told
    assert "after re-replication" not in told
    assert lose_broker(topology(written), 2).quorum.verdict == "kept"
    apart = topology(written.replace("[1, 2, 3]", "[11, 12, 13]"))
    assert lose_brokers(apart, (2, 3)).quorum.verdict == "kept"


def test_a_number_of_controllers_does_not_say_where_they_are(topology):
    text = "\ntopics: {a: {partitions: 6, replication: 3}}"
    one = topology("cluster: {brokers: 3, controllers: 1}" + text)
    assert lose_broker(one, 1).quorum.verdict == "unknown"
    told = " ".join(what_if_sentences(lose_broker(one, 1)))
    assert "can still be" not in told
    assert "Could not check whether the controllers keep their majority" in told
    assert lose_broker(topology("cluster: {brokers: 3, controllers: 3}" + text), 1).quorum.verdict == "kept"
    none = lose_broker(topology("cluster: {brokers: 3}" + text), 1)
    assert none.quorum.verdict == "unknown"


def test_a_live_voter_that_is_down_already_is_lost_too(topology):
    declared = topology("cluster: {brokers: 3, controllers: [1, 2, 3]}\ntopics: {a: {partitions: 1, replication: 3}}")
    live = Live({1: None, 2: None}, voters={1: True, 2: True, 3: False})
    assert lose_broker(declared, 1, live).quorum.verdict == "lost"
    assert lose_broker(declared, 1, Live({1: None}, voters={1: True, 8: True, 9: True})).quorum.verdict == "kept"


def test_a_broker_that_is_down_already_counts_as_lost(topology):
    """The answer is about the end: it is the same as for the loss of both when both run."""
    declared = topology(
        "cluster: {brokers: 3, controllers: [11, 12, 13]}\n"
        "topics: {a: {partitions: 3, replication: 1}, b: {partitions: 1, replication: 1}}"
    )
    single = LiveTopic((LivePartition(1, (1,), (1,)), LivePartition(2, (2,), (2,)), LivePartition(3, (3,), (3,))), 1)
    other = LiveTopic((LivePartition(None, (3,), (3,)),), 1)
    down = LiveTopic((*single.partitions[:2], LivePartition(None, (3,), (3,))), 1)
    both = lose_brokers(declared, (2, 3), Live({1: None, 2: None, 3: None}, {"a": single, "b": other}))
    one = lose_broker(declared, 2, Live({1: None, 2: None}, {"a": down, "b": other}))
    assert one.topics == both.topics
    assert [(loss.topic, loss.state, loss.partitions, loss.of) for loss in one.topics if loss.effect is None] == [
        ("a", "offline", 2, 3),
        ("b", "offline", 1, 1),
    ]
    assert "lost already, because no such broker runs: 3" in one.notes


def test_a_broker_that_is_down_already_can_be_asked_for(topology):
    text = "cluster: {brokers: 3}\ntopics: {a: {partitions: 2, replication: 2, config: {min.insync.replicas: 2}}}"
    parts = (LivePartition(1, (1, 3), (1,)), LivePartition(1, (1, 2), (1, 2)))
    live = Live({1: "x", 2: "y"}, {"a": LiveTopic(parts, 2)})
    found = lose_broker(topology(text), 3, live)
    assert (found.loss.title, found.notes[0]) == ("broker 3", "lost already, because no such broker runs: 3")
    assert [(loss.state, loss.partitions) for loss in found.topics] == [("no writes", 1)]
    assert found.unplaced == 0
    with pytest.raises(CannotTell, match="there is no broker 4; choose from 1, 2, 3"):
        lose_broker(topology(text), 4, live)


def test_load_is_the_average_of_running_brokers_whichever_is_asked_for(topology):
    text = "cluster: {brokers: 3, controllers: [7, 8, 9]}\ntopics: {a: {partitions: 6, replication: 3}}"
    parts = tuple(LivePartition(1, (1, 2, 3), (1, 2)) for _ in range(6))
    live = Live({1: None, 2: None}, {"a": LiveTopic(parts, 1)})
    for broker in (2, 3):
        found = lose_broker(topology(text), broker, live)
        assert (found.before.replicas, found.down) == (6, (3,))
        assert "Each running broker carries 6 partition replicas" in " ".join(what_if_sentences(found))
        assert found.unplaced == (12 if broker == 2 else 6)
    everyone = Live(THREE, {"a": LiveTopic(parts, 1)})
    assert "Each broker carries 6" in " ".join(what_if_sentences(lose_broker(topology(text), 2, everyone)))


def test_a_broker_that_is_named_twice_is_lost_once(topology):
    assert lose_brokers(topology(f"cluster: {{brokers: 3}}\n{SAFE}"), (1, 1)).loss.title == "broker 1"


def test_each_partition_needs_as_many_replicas_as_it_has_at_most(topology):
    """Kafka asks for the smaller of min.insync.replicas and the replicas of the partition, not of the topic."""
    text = "cluster: {brokers: 3}\ntopics: {a: {partitions: 2, replication: 2, config: {min.insync.replicas: 2}}}"
    parts = (LivePartition(3, (3,), (3,)), LivePartition(1, (1, 3), (1, 3)))
    live = Live({1: None, 2: None, 3: None}, {"a": LiveTopic(parts, 2)})
    (loss,) = lose_broker(topology(f"{text}\n{ROLES}"), 1, live).lose_writes
    assert (loss.state, loss.partitions, loss.copies_left, loss.min_isr) == ("no writes", 1, 1, 2)
    assert (loss.writers, "1 of 2 required replicas left" in loss_sentence(loss)) == (("w",), True)
    (loss,) = lose_broker(topology(text), 3, live).lose_writes
    assert (loss.state, loss.partitions, loss.no_writes) == ("offline", 1, 2)


def test_the_only_broker_of_a_rack_has_most_replicas(topology):
    listed = ", ".join(f"{{id: {at}, rack: {rack}}}" for at, rack in enumerate("xxxyyyz", 1))
    written = (
        f"cluster: {{brokers: [{listed}], controllers: [11, 12, 13]}}\n"
        "topics: {a: {partitions: 12, replication: 3, retention: 1d, throughput: {average: 12MB/s}}}"
    )
    found = lose_broker(topology(written), 7)
    assert [(loss.partitions, loss.copies_left) for loss in found.topics] == [(12, 2)]
    small = lose_broker(topology(written), 1)
    assert small.topics[0].partitions < 12
    loads = {each.broker: each.before.replicas for each in small.brokers}
    assert loads[7] == 12
    assert max(load for broker, load in loads.items() if broker != 7) <= 6
    assert "broker 7 will carry the most" in " ".join(what_if_sentences(small))
    worst = any_broker(topology(written))
    assert worst is not None
    assert worst.loss.lost == (7,)


def test_live_load_is_that_of_the_real_assignment(topology):
    declared = topology(
        "cluster: {disk: 250B, brokers: 4, controllers: [11]}\ntopics: {a: {partitions: 3, replication: 2}}"
    )
    parts = tuple(LivePartition(1, (1, 2), (1, 2), 1, 100) for _ in range(2))
    live = Live(dict.fromkeys((1, 2, 3, 4)), {"a": LiveTopic((*parts, LivePartition(3, (3, 2), (3, 2), 1, 10)), 1)})
    found = lose_broker(declared, 1, live)
    each = {change.broker: (change.before.disk, change.after.disk) for change in found.brokers}
    assert each == {2: (210, 210), 3: (10, 110), 4: (0, 100)}
    assert (found.before.disk, found.before.replicas) == (105, 1.5)
    assert "broker 2 will carry the most: 3 partition replicas and 210.0 B now" in " ".join(what_if_sentences(found))


def test_tiered_topics_use_disk_for_their_local_retention_only(topology):
    topic = "a: {partitions: 3, replication: 3, retention: 10d, throughput: {average: 1MB/s}, config: {%s}}"
    tiered = "remote.storage.enable: true, local.retention.ms: 1d"
    found = lose_broker(topology("cluster: {brokers: 3}\ntopics: {" + topic % tiered + "}"), 1)
    assert found.before.disk == 86_400_000_000


def test_undeclared_brokers_are_not_guessed(topology):
    declared = topology("topics: {a: {partitions: 6, replication: 3}}")
    with pytest.raises(CannotTell, match=r"add cluster\.brokers"):
        lose_broker(declared, 1)
    assert any_broker(declared) is None


def test_live_readers_are_those_with_members():
    live = Live(groups={"g": LiveGroup("stable", 1, {"a": 5}), "idle": LiveGroup("empty", 0, {"a": 5})})
    assert live.readers_of("a") == ("g",)
