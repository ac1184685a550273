"""The examples load, are formatted, say what they promise, and show any mistake where it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kafka_topology.topology import Topology, load
from kafka_topology.topology.kafka.access import derived_acls
from kafka_topology.topology.kafka.clients.settings import client_settings
from kafka_topology.topology.writing.formatting import format_text
from kafka_topology.topology.writing.written import parse
from kafka_topology.validators import validate

ROOT = Path(__file__).parents[2]
CASES = [
    ("examples/minimal", None),
    ("examples/exactly-once", None),
    ("examples/simple-consistency", None),
    ("examples/share-groups", None),
    ("topology", None),
    ("topology", "dev"),
    ("topology", "staging"),
    ("topology", "prod"),
]
FILES = sorted(file for name, _ in CASES for file in {*(ROOT / name).glob("*.yaml")})


def topology(name: str, environment: str | None = None) -> Topology:
    loaded = load(ROOT / name, environment)
    assert loaded.topology is not None, loaded.problems
    return loaded.topology


@pytest.mark.parametrize(("name", "environment"), CASES)
def test_every_example_loads_in_every_environment(name, environment):
    found = topology(name, environment)
    assert found.topics
    assert found.producers
    assert found.consumer_groups or found.share_groups


@pytest.mark.parametrize(("name", "environment"), CASES)
def test_no_rule_finds_fault_with_an_example(name, environment):
    assert validate(topology(name, environment)) == ()


@pytest.mark.parametrize("file", sorted(set(FILES)), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_every_example_is_formatted(file):
    assert format_text(file.read_text()) == file.read_text()


@pytest.mark.parametrize(("name", "environment"), CASES)
def test_no_example_declares_a_setting_that_breaks_its_promise(name, environment):
    clients = list(client_settings(topology(name, environment)))
    assert clients
    for client in clients:
        assert [item for item in client.properties if item.replaced is not None] == []


def test_the_small_example_is_one_topic_with_its_writer_and_its_reader():
    found = topology("examples/minimal")
    (orders,) = found.topics.values()
    assert (orders.name, orders.partitions, orders.replication) == ("shop.orders", 6, 3)
    assert orders.config["min.insync.replicas"] == "2"
    assert orders.key is not None
    assert (orders.key.type, orders.key.field, orders.key.partitioner.name) == ("uuid", "order_id", "murmur2")


def test_the_shop_has_three_teams_and_differs_by_environment():
    prod, dev = topology("topology", "prod"), topology("topology", "dev")
    assert {topic.owner for topic in prod.topics.values()} == {"checkout", "payments", "logistics"}
    assert {topic.replication for topic in prod.topics.values()} == {3}
    assert {topic.replication for topic in dev.topics.values()} == {1}
    assert topology("topology", "staging").topics["shop.orders"].config["retention.ms"] == str(4 * 86_400_000)
    assert prod.cluster.name == "shop-prod"
    assert {grant.principal.removeprefix("User:") for grant in derived_acls(prod)} == set(prod.users)


def test_the_shop_needs_no_password_where_the_stack_is_no_environment_of_it():
    """So that `pulumi up` in a new clone needs nothing but the address of a cluster."""
    assert not topology("topology").users
    assert not topology("topology", "dev").users


def test_the_exactly_once_example_is_so_from_end_to_end():
    found = topology("examples/exactly-once")
    assert {producer.delivery for producer in found.producers.values()} == {"exactly-once"}
    assert all(producer.transactional_id for producer in found.producers.values())
    assert {group.config["isolation.level"] for group in found.consumer_groups.values()} == {"read_committed"}
    assert {group.config["enable.auto.commit"] for group in found.consumer_groups.values()} == {"false"}
    needed = {(g.principal, g.resource, g.name, g.operation) for g in derived_acls(found)}
    assert ("User:bank-ledger", "group", "bank.ledger", "Read") in needed


def test_the_simple_example_has_the_values_it_is_known_for():
    found = topology("examples/simple-consistency")
    (topic,) = found.topics.values()
    (producer,) = found.producers.values()
    (group,) = found.consumer_groups.values()
    assert (topic.partitions, topic.replication, topic.config["min.insync.replicas"]) == (1, 3, "2")
    for name, value in {
        "enable.idempotence": "true",
        "acks": "all",
        "max.in.flight.requests.per.connection": "5",
        "request.timeout.ms": "30000",
        "delivery.timeout.ms": "120000",
        "linger.ms": "0",
    }.items():
        assert producer.config[name] == value
    for name, value in {
        "enable.auto.commit": "false",
        "auto.offset.reset": "latest",
        "session.timeout.ms": "10000",
        "heartbeat.interval.ms": "3000",
        "max.poll.interval.ms": "300000",
        "max.poll.records": "10",
        "max.partition.fetch.bytes": "1000000",
    }.items():
        assert group.config[name] == value


@pytest.mark.parametrize("file", sorted(set(FILES)), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_any_mistake_in_an_example_is_shown_where_it_is(file, tmp_path):
    """Every name and every value in turn becomes something that the language does not know."""
    folder = tmp_path / "example"
    shutil.copytree(file.parent, folder)
    text = file.read_text()
    root = parse(text)
    assert root is not None
    broken = folder / file.name
    for node in root.walk():
        if node.kind != "scalar":
            continue
        broken.write_text(text[: node.start.index] + "!wrong x" + text[node.end.index :])
        loaded = load(folder)
        assert loaded.topology is None, node
        places = {(p.location.file, p.location.line, p.location.column) for p in loaded.problems}
        assert (str(broken), node.start.line + 1, node.start.column + 1) in places, (node, loaded.problems)
