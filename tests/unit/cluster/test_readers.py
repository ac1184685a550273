"""Which groups read a topic: a group that cannot be described is never taken for one that does not read."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from confluent_kafka import ConsumerGroupState as State
from confluent_kafka.admin import AclOperation

from kafka_topology.cluster import readers
from kafka_topology.cluster.groups.listing import ListedGroup
from kafka_topology.cluster.live.share_groups import ShareShape
from kafka_topology.cluster.live.streams_groups import StreamsShape
from kafka_topology.cluster.outcomes import Failure, FailureKind


class Asking:
    """Answers for librdkafka: describes the consumer groups that it is given."""

    timeout = 1.0

    def __init__(self, groups):
        self.groups = groups
        self.admin = self

    def describe_cluster(self, **_):
        return SimpleNamespace(authorized_operations=[AclOperation.DESCRIBE])

    def describe_consumer_groups(self, names, **_):
        return {name: self.groups[name] for name in names}

    def value(self, what, future):  # noqa: ARG002
        return future


def described(state, *topics):
    assigned = SimpleNamespace(topic_partitions=[SimpleNamespace(topic=topic) for topic in topics])
    return SimpleNamespace(state=state, members=[SimpleNamespace(assignment=assigned)])


@pytest.fixture
def reading(monkeypatch):
    """Who reads `orders`, by what the cluster lists and answers."""

    def look(listed, *, groups=None, shared=None, streams=None, committed=None):
        monkeypatch.setattr(readers, "listed_groups", lambda _: listed)
        monkeypatch.setattr(readers, "share_shapes", lambda _, names: {name: shared[name] for name in names})
        monkeypatch.setattr(readers, "streams_shapes", lambda _, names: {name: streams[name] for name in names})
        offsets = committed or {}
        monkeypatch.setattr(readers, "committed_offsets", lambda _, names: {n: offsets.get(n, {}) for n in names})
        return readers.readers_of(Asking(groups or {}), None, ["orders"])["orders"]

    return look


def test_members_of_every_type_are_readers(reading):
    assert reading(
        {
            "a": ListedGroup("classic", "consumer", "Stable"),
            "b": ListedGroup("consumer", "consumer", "Reconciling"),
            "c": ListedGroup("share", "share", "Stable"),
            "d": ListedGroup("streams", "streams", "Stable"),
            "other": ListedGroup("classic", "consumer", "Stable"),
            "empty": ListedGroup("classic", "consumer", "Empty"),
            "workers": ListedGroup("classic", "connect", "Stable"),
        },
        groups={
            "a": described(State.STABLE, "orders"),
            "b": described(State.UNKNOWN, "orders"),
            "other": described(State.STABLE, "parcels"),
        },
        shared={"c": ShareShape("Stable", 1, ("orders",))},
        streams={"d": StreamsShape("Stable", 1, 0, ("orders",))},
    ) == ("group 'a'", "group 'b'", "share group 'c'", "streams group 'd'")


@pytest.mark.parametrize("state", [State.PREPARING_REBALANCING, State.COMPLETING_REBALANCING, State.DEAD])
def test_a_group_that_rebalances_is_asked_again(reading, state):
    listed = {"a": ListedGroup("classic", "consumer", "PreparingRebalance")}
    found = reading(listed, groups={"a": described(state)})
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.UNCERTAIN


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        (ListedGroup("classic", "acme", "Stable"), "group 'x': it has the protocol 'acme'"),
        (ListedGroup("queue", "queue", "Stable"), "group 'x': it has the type 'queue'"),
        (ListedGroup("queue", "queue", "NewState"), "group 'x': it has the type 'queue'"),
    ],
)
def test_a_group_that_is_new_to_us_may_read_anything(reading, listed, words):
    found = reading({"x": listed})
    assert isinstance(found, Failure)
    assert words in found.message
    assert reading({"x": listed}, committed={"x": {("orders", 0): None}}) == ("group 'x'",)


@pytest.mark.parametrize(
    "shape",
    [
        Failure(FailureKind.DENIED, "no"),
        StreamsShape("NotReady", 1, is_complete=False),
        StreamsShape("NotReady", 1, 0, ("parcels",), is_complete=False),
        StreamsShape(),
    ],
)
def test_an_application_that_cannot_be_described_may_read_anything(reading, shape):
    listed = {"x": ListedGroup("streams", "streams", "NotReady")}
    assert isinstance(reading(listed, streams={"x": shape}), Failure)


def test_a_known_reader_counts_more_than_a_failure(reading):
    listed = {"a": ListedGroup("classic", "consumer", "Stable"), "x": ListedGroup("queue", "queue", "Stable")}
    assert reading(listed, groups={"a": described(State.STABLE, "orders")}) == ("group 'a'",)
