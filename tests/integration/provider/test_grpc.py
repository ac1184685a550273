"""The provider as the engine sees it: through gRPC, on a real cluster."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import time
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import grpc
import pytest
from confluent_kafka import Consumer
from confluent_kafka.admin import ConfigResource, NewTopic, ResourceType
from delivering import SureProducer
from google.protobuf import empty_pb2
from grpc_engine import TOPIC, detail, on_cluster, provider

from kafka_topology.provider.plugin.properties import UNKNOWN, Secret
from kafka_topology.provider.plugin.property_codec import decode, encode
from kafka_topology.provider.plugin.protocol import provider_pb2
from kafka_topology.provider.plugin.server import connect


def inputs(name, **others):
    return {"name": name, "partitions": 3, "replication": 1, "deletion": "allowed", **others}


@pytest.fixture
def name():
    return f"grpc-{uuid4().hex[:8]}"


def partitions(admin, name):
    topics = admin.list_topics(timeout=10).topics
    return len(topics[name].partitions) if name in topics else None


def live(admin, name):
    """Partitions and configs, None for a topic that is not there."""
    count = partitions(admin, name)
    if count is None:
        return None
    (future,) = admin.describe_configs([ConfigResource(ResourceType.TOPIC, name)]).values()
    config = {entry.name: entry.value for entry in future.result(10).values() if entry.source == 1}
    return count, config


def assert_becomes(admin, name, expected):
    """The provider has seen it on one broker; another that we happen to ask may learn of it a moment later."""
    deadline = time.monotonic() + 30
    while (found := live(admin, name)) != expected and time.monotonic() < deadline:
        time.sleep(0.05)
    assert found == expected


def test_life_of_a_topic(kafka, admin, name):
    async def steps(client):
        first = inputs(name, config={"retention.ms": "60000", "cleanup.policy": "delete"})
        topic_id, state = await client.create(first)
        assert topic_id == name
        assert {k: state[k] for k in first} == first
        assert len(state["topicId"]) == 22
        assert_becomes(admin, name, (3, first["config"]))

        second = inputs(name, partitions=5, config={"retention.ms": "120000"})
        state = await client.update(state, second)
        assert_becomes(admin, name, (5, {"retention.ms": "120000"}))

        found = await client.read(name, second)
        assert decode(found.inputs) == second
        assert decode(found.properties) == state

        await client.delete(state)
        assert_becomes(admin, name, None)
        await client.delete(state)  # already gone is fine

        gone = await client.read(name, second)
        assert gone.id == ""
        assert not gone.HasField("properties")
        assert not gone.HasField("inputs")

    on_cluster(kafka, steps)


def test_an_import_takes_what_was_set_on_the_topic(kafka, admin, name):
    new = NewTopic(name, num_partitions=2, replication_factor=1, config={"retention.ms": "1000"})
    admin.create_topics([new])[name].result(10)

    async def steps(client):
        found = await client.read(name)
        assert decode(found.inputs) == {
            "name": name,
            "partitions": 2,
            "replication": 1,
            "deletion": "protected",
            "config": {"retention.ms": "1000"},
        }
        _, failures = await client.check(name, decode(found.inputs), decode(found.inputs))
        assert failures == {}

    on_cluster(kafka, steps)


def test_a_refresh_shows_drift_of_declared_configs_only(kafka, admin, name):
    async def steps(client):
        declared = inputs(name, config={"retention.ms": "60000", "segment.ms": "60000"})
        await client.create(declared)
        await client.update(declared, inputs(name, config={"retention.ms": "90000", "max.message.bytes": "2000"}))
        found = await client.read(name, declared)
        assert decode(found.inputs) == inputs(name, config={"retention.ms": "90000"})

    on_cluster(kafka, steps)


def test_an_equal_topic_is_adopted_and_a_different_one_left_alone(kafka, admin, name):
    admin.create_topics([NewTopic(name, num_partitions=3, replication_factor=1)])[name].result(10)

    async def steps(client):
        for preview in (True, False):
            _, state = await client.create(inputs(name), preview=preview)
            assert len(state["topicId"]) == 22
            with pytest.raises(grpc.RpcError) as error:
                await client.create(inputs(name, partitions=4), preview=preview)
            assert error.value.code() is grpc.StatusCode.ALREADY_EXISTS
            assert "partitions: declared 4, live 3" in error.value.details()
        assert "adopted" in client.engine.said[0][1]

    on_cluster(kafka, steps)
    assert partitions(admin, name) == 3


def test_a_preview_of_a_creation_makes_nothing(kafka, admin, name):
    async def steps(client):
        topic_id, state = await client.create(inputs(name), preview=True)
        assert topic_id == ""
        assert state["topicId"] is UNKNOWN
        _, state = await client.create(inputs(name, partitions=UNKNOWN), preview=True)
        assert state["partitions"] is UNKNOWN

    on_cluster(kafka, steps)
    assert partitions(admin, name) is None


def test_deletion_is_refused_while_protected_full_or_read(kafka, admin, name):
    async def refused(client, state, words):
        with pytest.raises(grpc.RpcError) as error:
            await client.delete(state)
        assert words in error.value.details()
        assert partitions(admin, name) == 3

    async def steps(client):
        _, state = await client.create(inputs(name))
        await refused(client, {**state, "deletion": "protected"}, "is protected")

        producer = SureProducer({"bootstrap.servers": kafka.bootstrap_servers})
        producer.produce(name, b"value")
        producer.flush(10)
        await refused(client, state, "is not empty: it holds up to 1 records, the last written at")

        consumer = Consumer(
            {
                "bootstrap.servers": kafka.bootstrap_servers,
                "group.id": f"{name}-readers",
                "auto.offset.reset": "earliest",
            }
        )
        consumer.subscribe([name])
        while not consumer.assignment():
            consumer.poll(0.1)
        await refused(client, state, f"being read by group '{name}-readers'")
        consumer.close()

        await client.delete({**state, "deletion": "force"})
        assert partitions(admin, name) is None

    on_cluster(kafka, steps)


def test_one_run_deletes_no_more_than_the_cap(kafka, admin, name):
    async def steps(client):
        names = [f"{name}-{n}" for n in range(3)]
        created = await asyncio.gather(*(client.create(inputs(n)) for n in names))
        ended = await asyncio.gather(*(client.delete(state) for _, state in created), return_exceptions=True)
        errors = [error for error in ended if error is not None]
        assert len(errors) == 1
        assert "maxDeletes is 2" in errors[0].details()
        assert sum(partitions(admin, n) is not None for n in names) == 1

    on_cluster(kafka, steps, maxDeletes=2)


def test_nothing_outside_the_ownership_and_no_internal_topic_is_changed(kafka, admin, name):
    async def steps(client):
        for outside in (name, "__consumer_offsets"):
            _, failures = await client.check(outside, inputs(outside))
            assert "name" in failures
            for call in (
                client.create(inputs(outside)),
                client.update(inputs(outside), inputs(outside)),
                client.delete(inputs(outside, deletion="force")),
            ):
                with pytest.raises(grpc.RpcError) as error:
                    await call
                assert error.value.code() is grpc.StatusCode.FAILED_PRECONDITION

    on_cluster(kafka, steps, ownership={"topics": ["shop."]})
    assert partitions(admin, name) is None


def test_a_topic_of_a_tool_is_managed_although_its_name_starts_with_underscores(kafka, admin, name):
    heartbeat = f"__debezium-heartbeat.{name}"

    async def steps(client):
        _, failures = await client.check(heartbeat, inputs(heartbeat))
        assert failures == {}
        _, state = await client.create(inputs(heartbeat, deletion="allowed"))
        assert partitions(admin, heartbeat) is not None
        await client.delete(state)

    on_cluster(kafka, steps)
    assert partitions(admin, heartbeat) is None


def test_a_broker_that_refuses_a_value_is_quoted(kafka, admin, name):
    async def steps(client):
        with pytest.raises(grpc.RpcError) as error:
            await client.create(inputs(name, config={"retention.ms": "soon"}))
        assert "retention.ms" in error.value.details()
        _, state = await client.create(inputs(name))
        with pytest.raises(grpc.RpcError) as error:
            await client.update(state, inputs(name, partitions=4, config={"retention.ms": "soon"}))
        # The partitions were added, so the state must know: the engine gets what there is now.
        left = detail(error, provider_pb2.ErrorResourceInitFailed)
        assert left.id == name
        assert decode(left.properties)["partitions"] == 4
        assert any("retention.ms" in reason for reason in left.reasons)

    on_cluster(kafka, steps)


def test_an_entry_stays_in_the_state_while_the_resource_that_declares_the_topic_now_has_failed(kafka, admin, name):
    """With `--continue-on-error` the engine deletes the old entry although the new one could not be made."""

    async def steps(client):
        _, state = await client.create(inputs(name))
        await client.runs.begin()
        differs = encode(inputs(name, partitions=1))
        with pytest.raises(grpc.RpcError, match="exists"):
            await client.stub.Create(
                provider_pb2.CreateRequest(urn=client.urn("renamed"), properties=differs, type=TOPIC)
            )
        with pytest.raises(grpc.RpcError) as error:
            await client.delete(state)
        assert "keeps its entry in the state: Topic 'renamed', which declares it now, failed" in error.value.details()

    on_cluster(kafka, steps)
    assert partitions(admin, name) == 3


def test_fifty_concurrent_creations_share_a_few_requests(kafka, admin, name):
    calls = []

    def counting(settings):
        cluster = connect(settings)
        create = cluster.create_topics

        def counted(topics):
            calls.append(len(topics))
            return create(topics)

        cluster.create_topics = counted
        return cluster

    async def run():
        config = {"bootstrapServers": kafka.bootstrap_servers}
        async with provider(config, counting) as client:
            names = [f"{name}-{n}" for n in range(50)]
            await asyncio.gather(*(client.create(inputs(n, partitions=1)) for n in names))
            return all(partitions(admin, n) == 1 for n in names)

    assert asyncio.run(run())
    assert sum(calls) == 50
    assert len(calls) <= 5


def test_an_unreachable_cluster_fails_at_once_and_previews_from_the_state(name, unused_port):
    secret = "hunter2"

    async def run():
        config = {
            "bootstrapServers": f"127.0.0.1:{unused_port}",
            "saslMechanism": "PLAIN",
            "saslUsername": "u",
            "saslPassword": Secret(secret),
            "offlinePreview": True,
        }
        async with provider(config) as client:
            _, state = await client.create(inputs(name), preview=True)
            assert state == inputs(name)
            state = await client.update(inputs(name), inputs(name, partitions=9), preview=True)
            assert state["partitions"] == 9
            assert len(client.engine.said) == 1
            severity, said = client.engine.said[0]
            assert severity == "WARNING"
            assert "made from the state alone" in said
            assert f"127.0.0.1:{unused_port}" in said
            for call in (client.create(inputs(name)), client.read(name)):
                with pytest.raises(grpc.RpcError) as error:
                    await call
                assert "cannot be reached" in error.value.details()
                assert secret not in error.value.details()

    started = asyncio.run(timed(run()))
    assert started < 5


def test_a_broker_that_never_answers_is_given_up_after_the_request_timeout(name):
    async def run(port):
        config = {"bootstrapServers": f"127.0.0.1:{port}", "requestTimeout": 1.5}
        async with provider(config) as client:
            with pytest.raises(grpc.RpcError) as error:
                await client.create(inputs(name))
            assert "no answer within 1.2 s" in error.value.details()  # the rest is for finding out why

    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert asyncio.run(timed(run(silent.getsockname()[1]))) < 4


async def timed(work):
    loop = asyncio.get_running_loop()
    start = loop.time()
    await work
    return loop.time() - start


@pytest.fixture
def unused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_missing_address_is_reported_as_a_missing_key():
    async def run():
        async with provider() as client:
            with pytest.raises(grpc.RpcError) as error:
                await client.stub.Configure(provider_pb2.ConfigureRequest())
            missing = detail(error, provider_pb2.ConfigureErrorMissingKeys)
            assert [key.name for key in missing.missingKeys] == ["bootstrapServers"]

    asyncio.run(run())


def test_what_is_not_offered_says_so():
    async def run():
        async with provider() as client:
            for call, request in (
                (client.stub.Invoke, provider_pb2.InvokeRequest(tok="a:b:c")),
                (client.stub.Call, provider_pb2.CallRequest(tok="a:b:c")),
                (client.stub.Construct, provider_pb2.ConstructRequest(type="a:b:c")),
                (client.stub.Parameterize, provider_pb2.ParameterizeRequest()),
            ):
                with pytest.raises(grpc.RpcError) as error:
                    await call(request)
                assert error.value.code() is grpc.StatusCode.UNIMPLEMENTED
                assert "does not offer" in error.value.details()
            with pytest.raises(grpc.RpcError) as error:
                await client.stub.Diff(provider_pb2.DiffRequest(type="kafka-topology:index:Queue"))
            assert f"It has: {TOPIC}" in error.value.details()

    asyncio.run(run())


def test_information_about_the_plugin():
    async def run():
        async with provider() as client:
            info = await client.stub.GetPluginInfo(empty_pb2.Empty())
            schema = await client.stub.GetSchema(provider_pb2.GetSchemaRequest())
            assert json.loads(schema.schema)["version"] == info.version
            await client.stub.Cancel(empty_pb2.Empty())

    asyncio.run(run())


def test_a_cancelled_run_starts_nothing_new(kafka, admin, name):
    async def steps(client):
        await client.stub.Cancel(empty_pb2.Empty())
        with pytest.raises(grpc.RpcError) as error:
            await client.create(inputs(name))
        assert error.value.code() is grpc.StatusCode.CANCELLED

    on_cluster(kafka, steps)
    assert partitions(admin, name) is None


def client_threads():
    """The ids of librdkafka's threads in this process."""
    threads = set()
    for file in Path("/proc/self/task").glob("*/comm"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread may end while the list is read
            if file.read_text().startswith("rdk"):
                threads.add(file.parent.name)
    return threads


def test_the_client_ends_with_the_provider_and_not_when_garbage_is_collected(kafka, name, unused_port):
    """The garbage collector runs in any thread, also in one of the client's own, which cannot end itself."""

    async def use(servers):
        config = {"bootstrapServers": servers, "requestTimeout": 2}
        async with provider(config) as client:
            with suppress(grpc.RpcError):
                await client.read(name)
            return client_threads()

    gc.collect()
    gc.disable()
    try:
        before = client_threads()
        assert asyncio.run(use(kafka.bootstrap_servers)) - before
        asyncio.run(use(f"127.0.0.1:{unused_port}"))
        # The kernel lists a thread for a moment after it was joined.
        deadline = time.monotonic() + 5
        while client_threads() - before and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not client_threads() - before
    finally:
        gc.enable()
