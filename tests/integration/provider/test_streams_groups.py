"""Groups of the streams protocol on a real cluster: what they read stays, and an audit sees them."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager

import grpc
import pytest
from click.testing import CliRunner
from grpc_engine import TOPIC, on_cluster
from kafka import KafkaAdminClient
from kafka.protocol.consumer import JoinGroupRequest, LeaveGroupRequest
from sharing import created, groups_of
from streaming import HAS_STREAMS, PATIENCE, streams_application, streams_cluster

from kafka_topology.cli.main import main
from kafka_topology.provider.plugin.property_codec import decode

pytestmark = pytest.mark.skipif(not HAS_STREAMS, reason="Kafka 4.1 and later have groups of the streams protocol")
MEMBER_ID_REQUIRED = 79


@pytest.fixture(scope="module")
def kafka(tmp_path_factory):
    with streams_cluster(tmp_path_factory.mktemp("streaming") / "kafka") as cluster:
        yield cluster


@pytest.fixture
def topic(admin, name):
    return created(admin, f"{name}.orders")


def wait_for(kafka, name, state):
    deadline = time.monotonic() + PATIENCE
    while groups_of(kafka).get(name) != ("streams", state):
        assert time.monotonic() < deadline, groups_of(kafka)
        time.sleep(0.2)


async def state_of(client, topic):
    found = await client.read(topic)
    return {**decode(found.properties), "deletion": "allowed"}


async def refusal(client, state):
    with pytest.raises(grpc.RpcError) as error:
        await client.delete(state)
    return error.value.details()


def test_a_topic_that_only_a_streams_group_uses_is_not_deleted(kafka, admin, name, topic):
    changelog = f"{name}-store-changelog"
    free = created(admin, f"{name}.free")

    async def steps(engine):
        client = engine.of(TOPIC)
        with streams_application(kafka, name, [topic], [changelog]):
            wait_for(kafka, name, "Stable")
            state = await state_of(client, topic)
            for used in (state, await state_of(client, changelog)):
                assert f"is being read by streams group '{name}'" in await refusal(client, used)
            await client.delete(await state_of(client, free))
        wait_for(kafka, name, "Empty")
        await client.delete(state)

    on_cluster(kafka, steps)
    left = admin.list_topics(timeout=20).topics
    assert changelog in left
    assert not {topic, free} & left.keys()


def test_an_application_whose_topics_nobody_knows_may_read_any(kafka, admin, name, topic):
    async def steps(engine):
        client = engine.of(TOPIC)
        with streams_application(kafka, name, [f"{name}.missing"]):
            wait_for(kafka, name, "NotReady")
            said = await refusal(client, await state_of(client, topic))
        assert "could not be checked whether it is in use" in said
        assert f"streams group '{name}': a topic that it reads is missing" in said

    on_cluster(kafka, steps)
    assert topic in admin.list_topics(timeout=20).topics


@contextmanager
def member(kafka, group, protocol):
    """A member of a classic group with its own protocol."""
    client = KafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers)
    manager = client._manager
    one = JoinGroupRequest.JoinGroupRequestProtocol(name="own", metadata=b"")

    def join(member_id):
        request = JoinGroupRequest(
            group_id=group,
            session_timeout_ms=60_000,
            rebalance_timeout_ms=60_000,
            member_id=member_id,
            protocol_type=protocol,
            protocols=[one],
            max_version=5,
        )
        return manager.run(manager.send, request, None)

    try:
        deadline = time.monotonic() + PATIENCE
        answer = join("")
        while answer.error_code:
            assert time.monotonic() < deadline, answer
            answer = join(answer.member_id if answer.error_code == MEMBER_ID_REQUIRED else "")
        yield
        request = LeaveGroupRequest(group_id=group, member_id=answer.member_id, max_version=2)
        assert manager.run(manager.send, request, None).error_code == 0
    finally:
        client.close()


def test_a_group_with_an_unknown_protocol_may_read_any_topic(kafka, admin, name, topic):
    async def steps(engine):
        client = engine.of(TOPIC)
        state = await state_of(client, topic)
        with member(kafka, name, "acme"):
            said = await refusal(client, state)
        assert f"group '{name}': it has the protocol 'acme'" in said

    on_cluster(kafka, steps)
    assert topic in admin.list_topics(timeout=20).topics


def test_workers_of_connect_read_nothing_by_their_group(kafka, admin, name, topic):
    async def steps(engine):
        client = engine.of(TOPIC)
        state = await state_of(client, topic)
        with member(kafka, f"{name}-workers", "connect"):
            await client.delete(state)

    on_cluster(kafka, steps)
    assert topic not in admin.list_topics(timeout=20).topics


@pytest.fixture
def audited(kafka, tmp_path):
    """The findings by rule, with their messages."""

    def look(text):
        file = tmp_path / "topology.yaml"
        file.write_text(f"version: 1\n{text}")
        result = CliRunner().invoke(
            main, ["audit", str(file), "--format", "json", "--bootstrap", kafka.bootstrap_servers]
        )
        document = json.loads(result.stdout)
        assert document["couldNotCheck"] == []
        return {finding["rule"]: finding["message"] for finding in document["findings"]}

    return look


def test_an_audit_of_an_application_and_its_internal_topics(kafka, admin, name, topic, audited):
    created(admin, f"{name}-old-repartition")
    created(admin, f"{name}.stray-changelog")  # not the prefix of the application
    declared = f"""
ownership: {{topics: [{name}], groups: [{name}]}}
topics: {{{topic}: {{partitions: 2, replication: 1}}}}
streams:
  {name}:
    reads: [{topic}]
    instances: 1
    threads: THREADS
    internalTopics: {{replication: REPLICATION, topics: [INTERNAL]}}
"""

    def look(threads, replication, *internal):
        text = declared.replace("THREADS", str(threads)).replace("REPLICATION", str(replication))
        found = audited(text.replace("INTERNAL", ", ".join(internal)))
        return {rule: said for rule, said in found.items() if rule.startswith(("KTA3", "KTA6"))}

    changelog, repartition = f"{name}-store-changelog", f"{name}-old-repartition"
    with streams_application(kafka, name, [topic], [changelog]):
        wait_for(kafka, name, "Stable")
        assert look(1, 1, changelog, repartition) == {}
        found = look(2, 3, changelog, f"{name}-joined-changelog")
    assert sorted(found) == ["KTA305", "KTA601", "KTA602", "KTA603"]
    assert f"{name} has 1 thread in its group; expected 2" in found["KTA305"]
    assert f"{name}-joined-changelog is not on the cluster" in found["KTA601"]
    assert f"{changelog} has 1 replicas; expected 3" in found["KTA602"]
    assert repartition in found["KTA603"]
    assert "stray" not in found["KTA603"]
    wait_for(kafka, name, "Empty")
    assert "is empty: it has no members" in look(1, 1, changelog, repartition)["KTA302"]


def test_an_undeclared_application_is_reported(kafka, admin, name, topic, audited):
    with streams_application(kafka, name, [topic]):
        found = audited(f"ownership: {{groups: [{name}]}}\ntopics: {{}}\n")
    assert f"{name} is on the cluster and inside the ownership" in found["KTA308"]
