"""Replication changes on a real cluster, by reassignment."""

from __future__ import annotations

from uuid import uuid4

import grpc
import pytest
from confluent_kafka import Producer, TopicCollection
from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType
from grpc_engine import detail, on_cluster

from kafka_topology.provider.property_codec import decode
from kafka_topology.provider.protocol import provider_pb2


@pytest.fixture
def admin(kafka):
    return AdminClient({"bootstrap.servers": kafka.bootstrap_servers})


@pytest.fixture
def name():
    return f"replicas-{uuid4().hex[:8]}"


def inputs(name, replication, **others):
    return {"name": name, "partitions": 3, "replication": replication, "deletion": "force", **others}


def replicas(admin, name):
    description = admin.describe_topics(TopicCollection([name]))[name].result(20)
    return {p.id: ([node.id for node in p.replicas], p.leader.id) for p in description.partitions}


def throttles(admin, name):
    """Whatever slows copying down: on the topic and on the brokers."""
    asked = [ConfigResource(ResourceType.TOPIC, name)]
    found = {}
    for resource in (asked[0], *(ConfigResource(ResourceType.BROKER, str(broker)) for broker in (1, 2, 3))):
        (future,) = admin.describe_configs([resource]).values()
        for key, entry in future.result(20).items():
            if "replication.throttled" in key and not entry.is_default and entry.value:
                found[resource.name, key] = entry.value
    return found


def fill(kafka, name, size=100_000, count=60):
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "linger.ms": 5})
    for number in range(count):
        producer.produce(name, b"x" * size, partition=number % 3)
    assert producer.flush(30) == 0


def test_replicas_grow_over_all_racks_and_shrink_again(kafka, admin, name):
    async def steps(client):
        _, state = await client.create(inputs(name, 1))
        fill(kafka, name)
        before = replicas(admin, name)

        wanted = inputs(name, 3, config={"min.insync.replicas": "2"})
        _, failures = await client.check(name, wanted, inputs(name, 1))
        assert failures == {}
        await client.update(state, wanted, preview=True)
        severity, said = client.engine.said[-1]
        assert severity == "INFO"
        assert "6 replicas of 3 partitions are copied, 11.4 MiB in all" in said
        assert replicas(admin, name) == before

        state = await client.update(state, wanted)
        assert state["replication"] == 3
        for partition, (brokers, leader) in replicas(admin, name).items():
            assert sorted(brokers) == [1, 2, 3]
            assert brokers[0] == before[partition][0][0] == leader
        assert throttles(admin, name) == {}

        state = await client.update(state, inputs(name, 2))
        assert {len(brokers) for brokers, _ in replicas(admin, name).values()} == {2}
        found = await client.read(name, inputs(name, 2))
        assert decode(found.inputs) == inputs(name, 2)

        with pytest.raises(grpc.RpcError) as error:
            await client.update(state, inputs(name, 4), preview=True)
        assert "replication 4 and the cluster has 3 brokers" in error.value.details()

    on_cluster(kafka, steps)


def test_copying_is_throttled_and_the_next_run_goes_on(kafka, admin, name):
    async def begin(client):
        _, state = await client.create(inputs(name, 1))
        fill(kafka, name)
        with pytest.raises(grpc.RpcError) as error:
            await client.update(state, inputs(name, 2), timeout=2)
        left = detail(error, provider_pb2.ErrorResourceInitFailed)
        assert "still being copied" in left.reasons[0]
        assert decode(left.inputs) == inputs(name, 1)  # as it was, so that the next run sees the change
        set_now = throttles(admin, name)
        assert {"1", "2", "3"} & {resource for resource, _ in set_now}
        assert (name, "follower.replication.throttled.replicas") in set_now

        # A refresh in between takes nothing for done, and nothing of the throttle for config.
        found = await client.read(name, inputs(name, 1))
        assert decode(found.inputs) == inputs(name, 1)
        assert "config" not in decode((await client.read(name)).inputs)
        return decode(left.properties)

    async def go_on(client):
        await client.update(state, inputs(name, 2))
        assert "partitions are still being copied" in client.engine.said[0][1]

    state = on_cluster(kafka, begin, replicationThrottle=300_000)
    on_cluster(kafka, go_on)
    assert {len(brokers) for brokers, _ in replicas(admin, name).values()} == {2}
    assert throttles(admin, name) == {}
