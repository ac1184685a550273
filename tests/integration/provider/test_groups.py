"""Consumer groups as the engine sees them: through gRPC, on a real cluster."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import uuid4

import grpc
import pytest
from committed import committed
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import ConfigResource, NewPartitions, NewTopic, ResourceType
from delivering import SureProducer
from grpc_engine import GROUP, on_cluster
from kafka_tools import run

from kafka_topology.provider.plugin.property_codec import decode


@pytest.fixture
def name():
    return f"groups-{uuid4().hex[:8]}"


@pytest.fixture
def topic(kafka, admin, name):
    """Two partitions with three records each."""
    admin.create_topics([NewTopic(name, num_partitions=2, replication_factor=1)])[name].result(20)
    produce(kafka, name, 3)
    return name


def produce(kafka, topic, count):
    producer = SureProducer({"bootstrap.servers": kafka.bootstrap_servers})
    for number in range(count):
        for partition in range(2):
            producer.produce(topic, f"{number}", partition=partition)
    producer.flush(20)


def group(name, topic, **others):
    return {"name": name, "topics": [topic], "deletion": "allowed", **others}


def offsets(kafka, name, topic, partitions=2):
    return committed(kafka, name, topic, partitions)


def commit(admin, name, topic, *numbers):
    wanted = [TopicPartition(topic, at, number) for at, number in enumerate(numbers)]
    admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(name, wanted)])[name].result(20)


@contextmanager
def running_consumer(kafka, name, topic):
    settings = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": name, "enable.auto.commit": False}
    consumer = Consumer(settings)
    consumer.subscribe([topic])
    while not consumer.assignment():
        consumer.poll(0.1)
    yield consumer
    consumer.close()


def live_config(admin, name):
    (future,) = admin.describe_configs([ConfigResource(ResourceType.GROUP, name)]).values()
    return {entry.name: entry.value for entry in future.result(20).values() if entry.source == 8}


async def refused(call, words):
    with pytest.raises(grpc.RpcError) as error:
        await call
    assert words in error.value.details()


def test_life_of_a_group(kafka, admin, name, topic):
    async def steps(engine):
        client = engine.of(GROUP)
        first = group(name, topic, start="earliest", maxLag=5, config={"consumer.session.timeout.ms": "50000"})
        preview_id, _ = await client.create(first, preview=True)
        assert preview_id == ""
        assert offsets(kafka, name, topic) == [None, None]

        group_id, state = await client.create(first)
        assert group_id == name
        assert {k: state[k] for k in ("state", "members", "lag")} == {"state": "Empty", "members": 0, "lag": 6}
        assert offsets(kafka, name, topic) == [0, 0]
        assert live_config(admin, name) == {"consumer.session.timeout.ms": "50000"}
        assert "6 records behind, more than its maxLag of 5" in engine.engine.said[-1][1]

        found = await client.read(name, first)
        assert decode(found.inputs) == first
        assert decode(found.properties) == state

        second = group(name, topic, start="earliest", config={"consumer.heartbeat.interval.ms": "6000"})
        assert await client.diff(first, second) == {
            'config["consumer.session.timeout.ms"]',
            'config["consumer.heartbeat.interval.ms"]',
            "maxLag",
        }
        state = await client.update(state, second)
        assert live_config(admin, name) == {"consumer.heartbeat.interval.ms": "6000"}
        assert offsets(kafka, name, topic) == [0, 0]

        await client.delete(state)
        assert offsets(kafka, name, topic) == [None, None]
        assert live_config(admin, name) == {}
        await client.delete(state)  # already gone is fine
        gone = await client.read(name, second)
        assert gone.id == ""

    on_cluster(kafka, steps)


def test_kafkas_own_tool_sees_the_start_of_each_kind(kafka, admin, name):
    kept = NewTopic(name, num_partitions=2, replication_factor=1, config={"retention.ms": "-1"})
    admin.create_topics([kept])[name].result(20)
    producer = SureProducer({"bootstrap.servers": kafka.bootstrap_servers})
    for year in (2001, 2017):
        moment = datetime(year, 1, 1, tzinfo=UTC)
        producer.produce(name, str(year), partition=0, timestamp=int(moment.timestamp() * 1000))
    producer.flush(20)

    async def steps(engine):
        client = engine.of(GROUP)
        for start in ("earliest", "latest", "2010-01-01T00:00:00Z"):
            await client.create(group(f"{name}-{start[:4]}", name, start=start))

    on_cluster(kafka, steps)
    described = run(kafka, "kafka-consumer-groups", "--describe", "--all-groups", "--offsets")
    rows = [line.split()[:4] for line in described.splitlines() if line.startswith(name)]
    assert sorted(rows) == [
        [f"{name}-2010", name, "0", "1"],
        [f"{name}-2010", name, "1", "0"],
        [f"{name}-earl", name, "0", "0"],
        [f"{name}-earl", name, "1", "0"],
        [f"{name}-late", name, "0", "2"],
        [f"{name}-late", name, "1", "0"],
    ]


def test_no_offset_of_an_existing_group_is_ever_moved(kafka, admin, name, topic):
    commit(admin, name, topic, 2)  # nothing for the second partition

    async def steps(engine):
        client = engine.of(GROUP)
        declared = group(name, topic, start="latest")
        _, state = await client.create(declared)
        assert offsets(kafka, name, topic) == [2, None]
        assert "is adopted: none of its offsets is moved" in engine.engine.said[-1][1]

        admin.create_partitions([NewPartitions(topic, 3)])[topic].result(20)
        state = await client.update(state, {**declared, "start": "earliest"})
        assert offsets(kafka, name, topic, 3) == [2, None, None]

    on_cluster(kafka, steps)


def test_new_partitions_and_topics_of_a_managed_group_get_no_offset(kafka, admin, name, topic):
    other = f"{name}.other"
    admin.create_topics([NewTopic(other, num_partitions=1, replication_factor=1)])[other].result(20)

    async def steps(engine):
        client = engine.of(GROUP)
        declared = group(name, topic, start="earliest")
        _, state = await client.create(declared)
        admin.create_partitions([NewPartitions(topic, 3)])[topic].result(20)
        await client.update(state, {**declared, "topics": [topic, other]})

    on_cluster(kafka, steps)
    assert offsets(kafka, name, topic, 3) == [0, 0, None]
    assert offsets(kafka, name, other, 1) == [None]


def test_offsets_move_once_for_each_new_token_and_never_under_a_consumer(kafka, admin, name, topic):
    def reset(token, to="earliest"):
        return group(name, topic, start="latest", reset={"to": to, "token": token})

    async def steps(engine):
        client = engine.of(GROUP)
        _, state = await client.create(reset("first"))
        assert offsets(kafka, name, topic) == [3, 3]  # new to the stack: noted, not done
        assert "its reset is noted and not done" in engine.engine.said[-1][1]

        _, failures = await client.check(name, reset("first", "latest"), reset("first"))
        assert "Change the token too" in failures["reset.token"]

        with running_consumer(kafka, name, topic):
            for preview in (True, False):
                await refused(client.update(state, reset("second"), preview=preview), "not moved while consumers run")
            assert offsets(kafka, name, topic) == [3, 3]

        await client.update(state, reset("second"), preview=True)
        assert "offsets of 2 partitions, now with a lag of 0, are moved to earliest" in engine.engine.said[-1][1]
        assert offsets(kafka, name, topic) == [3, 3]
        after = await client.update(state, reset("second"))
        assert offsets(kafka, name, topic) == [0, 0]
        assert after["lag"] == 6

        # The same change once more, as after a crash before the state was saved: it was done already.
        commit(admin, name, topic, 1)
        await client.update(state, reset("second"))
        assert offsets(kafka, name, topic) == [1, 0]

    on_cluster(kafka, steps)


def test_a_group_is_not_deleted_while_protected_in_use_or_outside(kafka, admin, name, topic):
    async def steps(engine):
        client = engine.of(GROUP)
        _, state = await client.create(group(name, topic, start="earliest"))
        await refused(client.delete({**state, "deletion": "protected"}), "is protected")
        with running_consumer(kafka, name, topic):
            for deletion in ("allowed", "force"):
                await refused(client.delete({**state, "deletion": deletion}), "has 1 members")
        assert offsets(kafka, name, topic) == [0, 0]

    async def outside(engine):
        client = engine.of(GROUP)
        _, failures = await client.check(name, group(name, topic))
        assert "outside the ownership (shop.)" in failures["name"]
        await refused(client.delete(group(name, topic)), "outside the ownership")

    on_cluster(kafka, steps)
    on_cluster(kafka, outside, ownership={"groups": ["shop."]})
    assert offsets(kafka, name, topic) == [0, 0]


def test_an_import_finds_the_topics_of_a_group_and_a_missing_group_is_missing(kafka, admin, name, topic):
    commit(admin, name, topic, 1, 2)

    async def steps(engine):
        client = engine.of(GROUP)
        found = await client.read(name)
        assert decode(found.inputs) == {"name": name, "deletion": "protected", "topics": [topic]}
        assert decode(found.properties)["lag"] == 3
        declared = {**decode(found.inputs), "start": "earliest", "maxLag": 9}
        assert await client.diff(decode(found.inputs), declared) == set()
        missing = await client.read(f"{name}-missing")
        assert missing.id == ""

    on_cluster(kafka, steps)


def test_a_topic_that_is_not_there_fails_the_creation_at_its_deadline(kafka, admin, name):
    async def steps(engine):
        client = engine.of(GROUP)
        await client.create(group(name, f"{name}.missing", start="earliest"), preview=True)
        call = client.create(group(name, f"{name}.missing", start="earliest"), timeout=1)
        await refused(call, f"its topics are not on the cluster: {name}.missing")

    on_cluster(kafka, steps)
