"""From the resolved model to the resources that are registered."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from kafka_topology.provider.config.ownership import owned_by, wrong_ownership
from kafka_topology.provider.config.settings import Owned
from kafka_topology.provider.desired.resources import Desired, desired_ownership, desired_resources
from kafka_topology.provider.resources.group import inputs as groups
from kafka_topology.provider.resources.topic.inputs import INPUTS
from kafka_topology.topology.model.declared import (
    Acl,
    Cluster,
    ConsumerGroup,
    Key,
    OffsetReset,
    Ownership,
    Producer,
    Quota,
    Topic,
    Topology,
    User,
)
from kafka_topology.topology.model.grants import Grants
from kafka_topology.topology.model.places import Layer, Location, Place


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


def test_the_provider_reads_the_grants_that_a_topology_writes():
    grants = Grants(("bank.",), ("audit.",), ("ledger-",), ("User:audit-",), ("*",), ("Describe",))
    written = desired_ownership(topology(topics=("shop.",), grants=grants).ownership)
    assert not list(wrong_ownership(written))
    assert owned_by(written) == Owned(topics=("shop.",), grants=grants)


def test_access_users_and_quotas_belong_to_the_team_whose_clients_use_the_principal():
    declared = replace(
        topology(),
        producers={
            "checkout": Producer(
                place=place, name="checkout", topics=("orders",), principals=("User:shop",), owner="checkout"
            )
        },
        acls=(Acl(place=place, principal="User:audit", resource="topic", name="o", operations=("Read",)),),
        users={"shop": User(place=place, name="shop", mechanism="SCRAM-SHA-512", password_secret="shopPassword")},
        quotas=(Quota(place=place, user="shop", producer_byte_rate=5), Quota(place=place, client_id="web")),
    )
    user, audit, shop, quota, other = desired_resources(declared)
    assert user == Desired(
        "User",
        "shop",
        {"name": "shop", "mechanism": "SCRAM-SHA-512"},
        "checkout",
        secrets={"password": "shopPassword"},
    )
    assert (audit.kind, audit.name, audit.owner) == ("Access", "User:audit", None)
    assert (shop.name, shop.owner) == ("User:shop", "checkout")
    assert shop.inputs == {
        "principal": "User:shop",
        "rules": [
            {
                "resource": "topic",
                "name": "orders",
                "pattern": "literal",
                "operations": ["Describe", "Write"],
                "host": "*",
                "permission": "allow",
            }
        ],
    }
    assert quota == Desired("Quota", "user=shop", {"user": "shop", "producerByteRate": 5}, "checkout")
    assert (other.name, other.owner) == ("client-id=web", None)


def test_a_principal_of_two_teams_belongs_to_none():
    both = {
        owner: Producer(place=place, name=owner, topics=("t",), principals=("User:shared",), owner=owner)
        for owner in ("a", "b")
    }
    (access,) = desired_resources(replace(topology(), producers=both))
    assert access.owner is None


def test_a_group_comes_after_its_topics_and_is_protected_unless_it_says_otherwise():
    billing = ConsumerGroup(
        place=place,
        name="shop.billing",
        topics=("shop.orders",),
        assign={"shop.audit": (0, 1)},
        owner="billing",
        start=datetime(2026, 5, 1, tzinfo=UTC),
        reset=OffsetReset("latest", "INC-17"),
        max_lag=100,
        group_config={"consumer.session.timeout.ms": "50000"},
        config={"enable.auto.commit": "false"},
    )
    (resource,) = desired_resources(replace(topology(), consumer_groups={"shop.billing": billing}))
    assert resource == Desired(
        kind="ConsumerGroup",
        name="shop.billing",
        owner="billing",
        protected=True,
        after=("shop.orders", "shop.audit"),
        inputs={
            "name": "shop.billing",
            "deletion": "protected",
            "topics": ["shop.orders"],
            "assign": {"shop.audit": [0, 1]},
            "start": "2026-05-01T00:00:00+00:00",
            "reset": {"to": "latest", "token": "INC-17"},
            "config": {"consumer.session.timeout.ms": "50000"},
            "maxLag": 100,
        },
    )
    assert set(resource.inputs) <= set(groups.INPUTS)
