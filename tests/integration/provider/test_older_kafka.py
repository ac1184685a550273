"""Brokers without share groups, groups of the streams protocol and settings of groups: everything else works.

`make older` runs these with Kafka 3.9.
"""

from __future__ import annotations

import json
from contextlib import closing
from uuid import uuid4

import grpc
import pytest
import yaml
from click.testing import CliRunner
from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient, NewTopic
from grpc_engine import GROUP, SHARE_GROUP, TOPIC, on_cluster
from sharing import VERSION

from kafka_topology.cli.main import main
from kafka_topology.local import LocalCluster
from kafka_topology.provider.plugin.property_codec import decode

pytestmark = pytest.mark.skipif(VERSION >= (4, 0), reason="this Kafka has settings of groups: run `make older`")
NONE = "these brokers have no share groups: expected Kafka 4.1 or later"
NO_SETTINGS = "these brokers have no settings of groups: expected Kafka 4.0 or later"


@pytest.fixture(scope="module")
def kafka(tmp_path_factory):
    with LocalCluster(tmp_path_factory.mktemp("older") / "kafka", delete_on_exit=True) as cluster:
        yield cluster


@pytest.fixture
def name():
    return f"older{uuid4().hex[:8]}"


@pytest.fixture
def topic(kafka, name):
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    admin.create_topics([NewTopic(f"{name}.orders", 1, 1)])[f"{name}.orders"].result(30)
    return f"{name}.orders"


async def refusal(call):
    with pytest.raises(grpc.RpcError) as error:
        await call
    return error.value.details()


def test_a_share_group_is_refused_with_the_reason(kafka, name, topic):
    async def steps(engine):
        client = engine.of(SHARE_GROUP)
        declared = {"name": name, "topics": [topic], "deletion": "allowed"}
        for preview in (True, False):
            assert NONE in await refusal(client.create(declared, preview=preview))
        assert NONE in await refusal(client.read(name, declared))

    on_cluster(kafka, steps)


def test_settings_of_a_group_are_refused_with_the_reason(kafka, name, topic):
    async def steps(engine):
        client = engine.of(GROUP)
        declared = {"name": name, "topics": [topic], "config": {"consumer.session.timeout.ms": "50000"}}
        assert NO_SETTINGS in await refusal(client.create(declared))
        _, state = await client.create({"name": name, "topics": [topic], "start": "earliest"})
        assert state["offsets"]

    on_cluster(kafka, steps)


def test_a_topic_in_use_stays_and_an_unused_one_goes(kafka, name, topic):
    async def steps(engine):
        client = engine.of(TOPIC)
        state = {**decode((await client.read(topic)).properties), "deletion": "allowed"}
        with closing(Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": name})) as consumer:
            consumer.subscribe([topic])
            while not consumer.assignment():
                consumer.poll(0.2)
            assert f"is being read by group '{name}'" in await refusal(client.delete(state))
        await client.delete(state)

    on_cluster(kafka, steps)


def test_an_audit_could_not_check_share_groups(kafka, name, topic, tmp_path):
    file = tmp_path / "topology.yaml"
    topics = {topic: {"partitions": 1, "replication": 1}}
    declared = {"version": 1, "topics": topics, "shareGroups": {name: {"topics": [topic]}}}
    file.write_text(yaml.safe_dump(declared))
    arguments = ["audit", str(file), "--format", "json", "--bootstrap", kafka.bootstrap_servers]
    document = json.loads(CliRunner().invoke(main, arguments).stdout)
    assert [NONE in each for each in document["couldNotCheck"]] == [True]
    file.write_text(yaml.safe_dump({**declared, "shareGroups": {}, "ownership": {"groups": [name]}}))
    document = json.loads(CliRunner().invoke(main, arguments).stdout)
    assert document["couldNotCheck"] == []


def test_an_import_finds_no_share_groups(kafka, name, topic, tmp_path):
    arguments = ["import", "--bootstrap", kafka.bootstrap_servers, "--topics", name, "--output", str(tmp_path / "out")]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    written = "".join(file.read_text() for file in (tmp_path / "out").rglob("*.yaml"))
    assert topic in written
    assert "shareGroups" not in written
