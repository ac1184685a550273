"""A preview fails where the run would fail, and never passes without having looked."""

from __future__ import annotations

import asyncio
import json
from uuid import uuid4

import grpc
import pytest
from changing_stacks import YamlStack, use
from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType
from grpc_engine import on_cluster, provider
from kafka_tools import everything_seen
from pulumi_project import PulumiProject, free_port

from kafka_topology.provider.plugin.property_codec import decode, encode
from kafka_topology.provider.plugin.protocol import provider_pb2


@pytest.fixture
def name():
    return f"preview-{uuid4().hex[:8]}"


def topic(name, **others):
    return {"name": name, "partitions": 3, "replication": 1, "deletion": "allowed", **others}


def words(shown):
    return " ".join(shown.split())


async def refused(call, *expected):
    with pytest.raises(grpc.RpcError) as error:
        await call
    for word in expected:
        assert word in error.value.details()


def test_the_brokers_judge_new_topics_partitions_and_settings_in_the_preview(kafka, name):
    async def steps(client):
        await refused(client.create(topic(name, replication=9), preview=True), "INVALID_REPLICATION_FACTOR")
        bad = topic(name, config={"retention.ms": "soon"})
        await refused(client.create(bad, preview=True), "retention.ms", "INVALID_CONFIG")
        await refused(client.create(topic(name, config={"retention.mss": "1"}), preview=True), "retention.mss")
        await client.create(topic(name), preview=True)
        _, made = await client.create(topic(name))
        await refused(client.update(made, topic(name, config={"segment.bytes": "1"}), preview=True), "segment.bytes")
        await client.update(made, topic(name, partitions=5, config={"segment.bytes": "1048576"}), preview=True)
        assert (await client.update(made, topic(name)))["partitions"] == 3
        await client.delete(made)

    on_cluster(kafka, steps)
    assert name not in everything_seen(kafka).topics


def config_failures(config, old=None, environment=None):
    async def run():
        async with provider(environment=environment) as client:
            request = provider_pb2.CheckRequest(olds=encode(old or {}), news=encode(config))
            response = await client.stub.CheckConfig(request)
            return decode(response.inputs), {f.property: f.reason for f in response.failures}

    return asyncio.run(run())


def test_an_unreachable_cluster_fails_the_preview_unless_it_may_be_offline(kafka, tmp_path, name):
    project = PulumiProject(tmp_path / "project", f"127.0.0.1:{free_port()}")
    project.topics = {name: {"partitions": 1, "replication": 1}}
    assert "cannot be reached" in words(project.preview(fails=True))
    project.environment["KAFKA_TOPOLOGY_OFFLINE_PREVIEW"] = "true"
    assert "made from the state alone" in words(project.preview())
    assert "cannot be reached" in words(project.up(fails=True))
    project.configure("bootstrapServers", kafka.bootstrap_servers)
    project.up()
    # Without a change too: it is not said that all is well where nobody looked.
    del project.environment["KAFKA_TOPOLOGY_OFFLINE_PREVIEW"]
    project.configure("bootstrapServers", f"127.0.0.1:{free_port()}")
    assert "cannot be reached" in words(project.preview(fails=True))


def test_wrong_logins_and_certificates_fail_the_check_of_the_config(secure_kafka):
    settings = secure_kafka.client_settings()
    right = {
        "bootstrapServers": settings["bootstrap.servers"],
        "saslMechanism": settings["sasl.mechanism"],
        "saslUsername": settings["sasl.username"],
        "saslPassword": settings["sasl.password"],
        "securityProtocol": settings["security.protocol"],
        "librdkafka": json.dumps({k: v for k, v in settings.items() if k.startswith("ssl.")}),
        "requestTimeout": 5,
    }
    inputs, failures = config_failures(right)
    assert not failures
    assert inputs["connectedCluster"]
    address = {"bootstrapServers": "nowhere.invalid:9092"}
    for wrong in ({"saslPassword": "wrong-password"}, {"librdkafka": "{}"}, address):
        _, failures = config_failures(right | wrong)
        assert "cannot be reached" in failures["bootstrapServers"]
        assert "wrong-password" not in str(failures)
    _, failures = config_failures(right, old={"connectedCluster": "another"})
    assert "this stack was applied to cluster 'another'" in failures["bootstrapServers"]
    inputs, failures = config_failures(
        right | address,
        old={"connectedCluster": "one"},
        environment={"KAFKA_TOPOLOGY_OFFLINE_PREVIEW": "true"},
    )
    assert (inputs["connectedCluster"], failures) == ("one", {})


def test_deletions_that_the_run_would_refuse_are_refused_in_the_preview(kafka, tmp_path, name):
    stack = YamlStack(tmp_path / "project", kafka, name, deletion="allowed")
    stack.up()
    use(kafka, name)
    # It commits nothing when it leaves: what is compared below is what the previews changed.
    reader = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": name, "enable.auto.commit": False})
    reader.subscribe([name])
    while not reader.assignment():
        reader.poll(0.1)
    (stack.root / "topology.yaml").write_text("version: 1\n")
    before = everything_seen(kafka).about(name)
    shown = words(stack.preview(fails=True))
    assert f"topic '{name}' is being read by group '{name}'" in shown
    assert f"group '{name}' has 1 members" in shown
    reader.close()
    assert f"topic '{name}' is not empty" in words(stack.preview(fails=True))
    stack.configure("maxDeletes", "2")
    assert "maxDeletes is 2" in words(stack.preview(fails=True))
    assert everything_seen(kafka).about(name) == before


def test_drift_is_corrected_in_one_command_and_a_run_says_that_it_did_not_look(kafka, tmp_path, name):
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers)
    project.topics = {name: {"partitions": 1, "replication": 1, "config": {"retention.ms": "70000"}}}
    project.up()
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    by_hand = ConfigEntry("retention.ms", "1000", incremental_operation=AlterConfigOpType.SET)
    changed = ConfigResource(ResourceType.TOPIC, name, incremental_configs=[by_hand])
    admin.incremental_alter_configs([changed])[changed].result(20)

    def retention():
        return everything_seen(kafka).topics[name][2]["retention.ms"]

    assert "was not compared with the state" in words(project.up())
    assert retention() == "1000"
    assert "was not compared" not in words(project.up("--refresh"))
    assert retention() == "70000"
    admin.incremental_alter_configs([changed])[changed].result(20)
    settings = project.root / "Pulumi.yaml"
    settings.write_text(settings.read_text() + "options: {refresh: always}\n")
    project.up()
    assert retention() == "70000"
