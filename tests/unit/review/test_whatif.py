"""What is lost with a broker or a rack, by the declaration and by live placement."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafka_topology.review.live import Live, LiveGroup, LivePartition, LiveTopic
from kafka_topology.review.whatif import CannotTell, any_broker, lose_broker, lose_rack
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


def test_live_placement_counts_what_is_in_sync(topology):
    declared = topology(
        "cluster: {brokers: 3}\ntopics: {a: {partitions: 2, replication: 3, config: {min.insync.replicas: 2}}}"
    )
    parts = (LivePartition(1, (1, 2, 3), (1, 2, 3)), LivePartition(2, (1, 2, 3), (1, 2)))
    live = Live({1: "x", 2: "y", 3: "z"}, {"a": LiveTopic(parts)})
    found = lose_broker(declared, 2, live)
    assert found.source == "live placement"
    (loss,) = found.lose_writes
    assert (loss.partitions, loss.of, loss.copies_left) == (1, 2, 1)
    assert lose_broker(declared, 3, live).lose_writes == ()
    worst = any_broker(declared, live)
    assert worst is not None
    assert worst.loss.lost == (1,)


def test_kafkas_own_topics_count_too(topology):
    written = (
        "cluster: {brokers: 3, defaults: {offsets.topic.replication.factor: 1,"
        " transaction.state.log.replication.factor: 2, transaction.state.log.min.isr: 2}}\n"
        "topics: {a: {partitions: 6, replication: 3}}"
    )
    notes = " ".join(lose_broker(topology(written), 1).notes)
    assert "neither commit nor join" in notes
    assert "transactions whose coordinator" in notes


def test_undeclared_brokers_are_not_guessed(topology):
    declared = topology("topics: {a: {partitions: 6, replication: 3}}")
    with pytest.raises(CannotTell, match=r"add cluster\.brokers"):
        lose_broker(declared, 1)
    assert any_broker(declared) is None


def test_live_readers_are_those_with_members():
    live = Live(groups={"g": LiveGroup("stable", 1, {"a": 5}), "idle": LiveGroup("empty", 0, {"a": 5})})
    assert live.readers_of("a") == ("g",)
