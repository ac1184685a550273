"""What the answer of the controllers says about the quorum."""

from __future__ import annotations

from types import SimpleNamespace

from kafka_topology.cluster.health.quorum import quorum_of, read_quorum
from kafka_topology.cluster.live.quorum import Follower
from kafka_topology.cluster.outcomes import Failure, FailureKind

NOW = 1_700_000_000_000


def node(number, fetched=None, caught_up=None, end=100):
    times = {"last_fetch_timestamp": fetched, "last_caught_up_timestamp": caught_up or fetched}
    return {"replica_id": number, "log_end_offset": end} | ({} if fetched is None else times)


def described(voters, observers=()):
    return quorum_of({"leader_id": 1, "current_voters": voters, "observers": observers})


def following(*voters):
    return {each: state.follows for each, state in described(voters).voters.items()}


def test_a_voter_that_stopped_fetching_does_not_follow():
    assert following(node(1, NOW), node(2, NOW - 400), node(3, NOW - 60_000)) == {1: True, 2: True, 3: False}
    assert following(node(1, NOW), node(2, -1)) == {1: True, 2: False}


def test_old_brokers_do_not_say_when_a_voter_fetched():
    assert following(node(1), node(2)) == {1: True, 2: True}


def test_how_far_nodes_are_behind_the_leader():
    quorum = described([node(1, NOW), node(2, NOW - 100, NOW - 45_000, end=60)], [node(7, NOW, NOW - 500, end=99)])
    assert quorum.voters == {1: Follower(), 2: Follower(follows=True, lag=40, behind=45_000)}
    assert quorum.observers == {7: Follower(follows=True, lag=1, behind=500)}
    assert described([node(1), node(2, end=60)]).voters[2] == Follower(follows=True, lag=40, behind=None)


def test_a_majority_is_more_than_half():
    assert [described([node(n) for n in range(size)]).majority for size in (1, 2, 3, 4, 5)] == [1, 2, 2, 3, 3]


def test_a_leader_that_was_just_elected_is_asked_again():
    """It knows its own time, and its voters have not fetched yet: that does not mean that they are down."""

    def answered(*fetched):
        voters = [{"replica_id": i, "last_fetch_timestamp": at} for i, at in enumerate(fetched, 1)]
        part = {"error": None, "leader_id": 1, "current_voters": voters}
        second = SimpleNamespace(call=lambda *_: {"topics": [{"partitions": [part]}]})
        return read_quorum(second)

    new = answered(90_000, -1, -1)
    assert isinstance(new, Failure)
    assert new.kind is FailureKind.UNCERTAIN
    assert {voter: each.follows for voter, each in answered(90_000, 89_900, -1).voters.items()} == {
        1: True,
        2: True,
        3: False,
    }
