"""What the descriptions and the listing of groups say about one group, without a broker."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest
from confluent_kafka import ConsumerGroupState, TopicPartition

from kafka_topology.cluster.groups import groups
from kafka_topology.cluster.groups.listing import ListedGroup
from kafka_topology.cluster.live.groups import GroupShape


def described(state, *assigned, assignor="range"):
    members = [SimpleNamespace(assignment=SimpleNamespace(topic_partitions=each)) for each in assigned]
    answer = SimpleNamespace(state=state, members=members, is_simple_consumer_group=False, partition_assignor=assignor)
    return groups._shape(SimpleNamespace(value=lambda _, future: future), "billing", answer)


@pytest.mark.parametrize(
    ("state", "idle", "topics"),
    [(ConsumerGroupState.STABLE, 1, frozenset({"orders"})), (ConsumerGroupState.PREPARING_REBALANCING, 0, None)],
)
def test_what_members_have_counts_once_the_group_has_settled(state, idle, topics):
    shape = described(state, [TopicPartition("orders", 0), TopicPartition("orders", 1)], [])
    assert (shape.members, shape.idle, shape.topics, shape.assignor) == (2, idle, topics, "range")


def test_a_share_group_is_no_group_that_consumers_can_join(monkeypatch):
    listed = {"packing": ListedGroup("share", "share", "Stable"), "billing": ListedGroup("consumer", "consumer")}
    monkeypatch.setattr(groups, "listed_groups", lambda _: listed)
    monkeypatch.setattr(groups.GroupCluster, "has_none", lambda _: False)
    monkeypatch.setattr(groups.GroupCluster, "coordinated", lambda _, names: dict.fromkeys(names, GroupShape()))
    second = SimpleNamespace(can_log_in=True, patient=lambda: SimpleNamespace(one=lambda ask: ask()))
    cluster = groups.GroupCluster(None, lambda: second, threading.Event())
    found = cluster.describe_groups(["packing", "billing", "new"])
    assert {name: shape.other_type for name, shape in found.items()} == {
        "packing": "share",
        "billing": None,
        "new": None,
    }
