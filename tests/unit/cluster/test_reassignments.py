"""Replicas that a reassignment still copies are neither replication nor missing."""

from __future__ import annotations

from kafka_topology.cluster.live.topics import LiveTopic, Placed
from kafka_topology.cluster.topics.reassignments import Reassignment, with_reassignments

TOPIC = LiveTopic("t", "id", 2, 3, placement=(Placed(1, (1, 2, 3), (1, 2)), Placed(2, (2, 1), (1, 2))), most_replicas=3)


def read(moving=None):
    return with_reassignments({"t": TOPIC}, lambda: {("t", 0): moving} if moving else {})["t"]


def moving(adding, removing):
    return Reassignment(frozenset({adding}), frozenset({removing}))


def test_a_replica_that_is_being_copied_is_not_out_of_sync():
    topic = read(moving(adding=3, removing=2))
    assert (topic.replication, topic.most_replicas, topic.is_moving) == (2, 2, True)
    assert topic.moves == {(2, 2)}
    assert topic.placement[0] == Placed(1, (1, 2), (1, 2))
    assert topic.placement[1] == TOPIC.placement[1]


def test_a_replica_that_was_copied_counts_where_it_is():
    """It is in sync, and the reassignment still removes another one."""
    topic = read(moving(adding=2, removing=1))
    assert topic.placement[0].replicas == (1, 2, 3)


def test_moves_have_the_numbers_of_replicas_now_and_afterwards():
    assert read(Reassignment(frozenset({3}))).moves == {(2, 3), (2, 2)}
    assert read(Reassignment(frozenset(), frozenset({2, 3}))).moves == {(3, 1), (2, 2)}


def test_a_replica_that_nobody_copies_is_out_of_sync():
    assert read().placement == TOPIC.placement
