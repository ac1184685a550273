"""From the resolved model to the resources that are registered."""

from __future__ import annotations

from pathlib import Path

from kafka_topology.provider.desired import Desired, desired_ownership, desired_resources
from kafka_topology.provider.topics import INPUTS
from kafka_topology.topology.model import Cluster, Key, Ownership, Topic, Topology
from kafka_topology.topology.places import Layer, Location, Place


def place(*_path):
    return Place(Layer.RESOURCE, Location("topology.yaml", 1, 1, 1, 2))


def topology(*topics, **ownership):
    return Topology(
        place=place,
        root=Path(),
        cluster=Cluster(place=place),
        ownership=Ownership(place=place, **ownership),
        topics={topic.name: topic for topic in topics},
    )


def test_a_topic_becomes_a_resource_of_its_owner():
    orders = Topic(
        place=place,
        name="shop.orders",
        partitions=6,
        replication=3,
        owner="checkout",
        key=Key("uuid"),
        config={"retention.ms": "60000"},
    )
    (resource,) = desired_resources(topology(orders))
    assert resource == Desired(
        kind="Topic",
        name="shop.orders",
        owner="checkout",
        protected=True,
        inputs={
            "name": "shop.orders",
            "partitions": 6,
            "replication": 3,
            "deletion": "protected",
            "keyType": "uuid",
            "config": {"retention.ms": "60000"},
        },
    )
    assert set(resource.inputs) <= set(INPUTS)


def test_only_a_protected_topic_is_protected_in_the_engine_too():
    topics = [
        Topic(place=place, name=deletion, partitions=1, replication=1, deletion=deletion)
        for deletion in ("protected", "allowed", "force")
    ]
    desired = desired_resources(topology(*topics))
    assert [resource.protected for resource in desired] == [True, False, False]


def test_an_ownership_that_is_not_declared_sets_no_limit_and_an_empty_one_allows_nothing():
    owned = topology(topics=("shop.",), groups=()).ownership
    assert desired_ownership(owned) == {"topics": ["shop."], "groups": []}
