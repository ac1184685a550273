"""Replication changes on a real cluster, by reassignment."""

from __future__ import annotations

import re
import time
from uuid import uuid4

import grpc
import pytest
from confluent_kafka import TopicCollection
from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType
from delivering import SureProducer
from grpc_engine import detail, on_cluster
from kafka import KafkaAdminClient
from kafka import TopicPartition as Key
from kafka_tools import run

from kafka_topology.provider.plugin.property_codec import decode
from kafka_topology.provider.plugin.protocol import provider_pb2


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
    producer = SureProducer({"bootstrap.servers": kafka.bootstrap_servers, "linger.ms": 5})
    for number in range(count):
        producer.produce(name, b"x" * size, partition=number % 3)
    producer.flush(30)


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


RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
REPLICAS = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")


def configs_seen(kafka, kind, name):
    """What Kafka's own tool says of the throttles of a topic or a broker."""
    said = run(kafka, "kafka-configs", "--describe", "--entity-type", kind, "--entity-name", str(name))
    return dict(re.findall(r"^\s+(\S*replication\.throttled\.\w+)=(\S+) sensitive=", said, re.MULTILINE))


def configure(kafka, kind, name, *, add=None, delete=()):
    change = ("--add-config", ",".join(f"{key}={value}" for key, value in add.items())) if add else ()
    change = change or ("--delete-config", ",".join(delete))
    run(kafka, "kafka-configs", "--alter", "--entity-type", kind, "--entity-name", str(name), *change)


@pytest.fixture
def throttle_of_the_operator(kafka):
    """On broker 1 both rates, on broker 2 one of them."""
    configure(kafka, "brokers", 1, add=dict.fromkeys(RATES, "400000"))
    configure(kafka, "brokers", 2, add={RATES[0]: "400000"})
    yield
    configure(kafka, "brokers", 1, delete=RATES)
    configure(kafka, "brokers", 2, delete=RATES[:1])


@pytest.mark.parametrize("before", [{}, dict.fromkeys(REPLICAS, "*"), {REPLICAS[0]: "0:1,1:2"}])
def test_throttles_of_the_operator_stay_during_a_run_that_is_cut_short_and_after_the_next(
    kafka, admin, name, throttle_of_the_operator, before
):
    async def begin(client):
        _, state = await client.create(inputs(name, 1))
        fill(kafka, name)
        if before:
            quoted = {key: f"[{value}]" for key, value in before.items()}
            configure(kafka, "topics", name, add=quoted)
        with pytest.raises(grpc.RpcError) as error:
            await client.update(state, inputs(name, 3), timeout=2)
        return decode(detail(error, provider_pb2.ErrorResourceInitFailed).properties)

    async def go_on(client):
        await client.update(state, inputs(name, 3))

    state = on_cluster(kafka, begin, replicationThrottle=300_000)
    during = {broker: configs_seen(kafka, "brokers", broker) for broker in (1, 2, 3)}
    assert during[1] == dict.fromkeys(RATES, "400000")
    assert during[2] == {RATES[0]: "400000", RATES[1]: "298219"}
    assert during[3] == dict.fromkeys(RATES, "298219")
    of_topic = configs_seen(kafka, "topics", name)
    for key in REPLICAS:
        assert of_topic[key].startswith(before.get(key, "0:2147483647"))
        assert ("0:2147483647" in of_topic[key]) is (before.get(key) != "*")
    for broker in (2, 3):  # the rest need not be waited for
        configure(kafka, "brokers", broker, add={RATES[1]: "9998219"})
    configure(kafka, "brokers", 1, add=dict.fromkeys(RATES, "50000000"))
    configure(kafka, "brokers", 2, add={RATES[0]: "50000000"})
    configure(kafka, "brokers", 3, add={RATES[0]: "9998219"})

    on_cluster(kafka, go_on)
    assert {len(brokers) for brokers, _ in replicas(admin, name).values()} == {3}
    assert configs_seen(kafka, "brokers", 1) == dict.fromkeys(RATES, "50000000")
    assert configs_seen(kafka, "brokers", 2) == {RATES[0]: "50000000"}
    assert configs_seen(kafka, "brokers", 3) == {}
    assert configs_seen(kafka, "topics", name) == before


def reassign(kafka, name, layout):
    """Until it is over, for the controller and for a broker."""
    client = KafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers)
    seen = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    wanted = {Key(name, partition): list(brokers) for partition, brokers in layout.items()}
    assert not any(client.alter_partition_reassignments(wanted).values())
    while client.list_partition_reassignments({name: list(layout)}) or layout != {
        partition: tuple(brokers) for partition, (brokers, _) in replicas(seen, name).items()
    }:
        time.sleep(0.1)
    client.close()


def test_a_throttle_that_was_left_behind_hides_no_lost_replica(kafka, admin, name):
    async def steps(client):
        await client.create(inputs(name, 2))
        configure(kafka, "topics", name, add=dict.fromkeys(REPLICAS, "*"))
        reassign(kafka, name, dict.fromkeys(range(3), (1,)))
        found = await client.read(name, inputs(name, 2))
        assert decode(found.inputs)["replication"] == 1

    on_cluster(kafka, steps)
    configure(kafka, "topics", name, delete=REPLICAS)


@pytest.mark.parametrize("declared", [1, 2])
def test_partitions_that_differ_in_their_replicas_show_in_a_refresh_and_are_repaired(kafka, admin, name, declared):
    async def steps(client):
        _, state = await client.create(inputs(name, declared))
        reassign(kafka, name, {0: (1, 2), 1: (1,), 2: (2, 3)})
        found = await client.read(name, inputs(name, declared))
        assert decode(found.inputs)["replication"] == {1: 2, 2: 1}[declared]
        assert "its partitions have 1 to 2 replicas" in client.engine.said[-1][1]
        await client.update({**state, **decode(found.inputs)}, inputs(name, declared))

    on_cluster(kafka, steps)
    assert {len(brokers) for brokers, _ in replicas(admin, name).values()} == {declared}
