"""Share groups as the engine sees them: through gRPC, on a real cluster, with real share consumers.

`make newer` runs these with a newer Kafka.
"""

from __future__ import annotations

import grpc
import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType
from grpc_engine import GROUP, SHARE_GROUP, TOPIC, detail, on_cluster
from sharing import (
    CAN_SET_OFFSETS,
    VERSION,
    config_seen,
    created,
    groups_of,
    produce,
    share_consumer,
    sharing_cluster,
    start_offsets_seen,
    wait_until_empty,
)

from kafka_topology.local import LocalCluster
from kafka_topology.provider.plugin.property_codec import decode
from kafka_topology.provider.plugin.protocol import provider_pb2

sets_offsets = pytest.mark.skipif(not CAN_SET_OFFSETS, reason="Kafka 4.1 does not set start offsets")


@pytest.fixture(scope="module")
def kafka(tmp_path_factory):
    with sharing_cluster(tmp_path_factory.mktemp("sharing") / "kafka") as cluster:
        yield cluster


@pytest.fixture
def topic(kafka, admin, name):
    """Two partitions with three records each."""
    created(admin, name)
    produce(kafka, name, 3)
    return name


def group(name, topic, **others):
    return {"name": name, "topics": [topic], "deletion": "allowed", **others}


def set_config(admin, name, key, value):
    entry = ConfigEntry(key, value, incremental_operation=AlterConfigOpType.SET)
    (done,) = admin.incremental_alter_configs(
        [ConfigResource(ResourceType.GROUP, name, incremental_configs=[entry])]
    ).values()
    done.result(20)


async def refused(call, *words):
    with pytest.raises(grpc.RpcError) as error:
        await call
    for each in words:
        assert each in error.value.details()


def test_life_of_a_share_group(kafka, admin, name, topic):
    async def steps(engine):
        client = engine.of(SHARE_GROUP)
        first = group(name, topic, config={"share.auto.offset.reset": "earliest", "share.session.timeout.ms": "50000"})
        await client.create(first, preview=True)
        assert config_seen(admin, name) == {}

        group_id, state = await client.create(first)
        assert group_id == name
        assert {k: state[k] for k in ("state", "members", "offsets")} == {"state": "Dead", "members": 0, "offsets": {}}
        assert config_seen(admin, name) == first["config"]

        found = await client.read(name, first)
        assert decode(found.inputs) == first

        second = group(
            name, topic, config={"share.auto.offset.reset": "earliest", "share.isolation.level": "read_committed"}
        )
        assert await client.diff(first, second) == {
            'config["share.session.timeout.ms"]',
            'config["share.isolation.level"]',
        }
        state = await client.update(state, second)
        assert config_seen(admin, name) == second["config"]

        set_config(admin, name, "share.isolation.level", "read_uncommitted")
        set_config(admin, name, "share.heartbeat.interval.ms", "6000")
        inputs, _, warnings = await client.refresh(state)
        assert inputs["config"] == {**second["config"], "share.isolation.level": "read_uncommitted"}
        assert "not declared and are left alone: share.heartbeat.interval.ms=6000" in warnings[0]
        state = await client.update({**state, **inputs}, second)
        assert config_seen(admin, name) == {**second["config"], "share.heartbeat.interval.ms": "6000"}

        with share_consumer(kafka, name, topic) as consumer:
            assert len(consumer.received(6)) == 6
            _, seen, _ = await client.refresh(state)
            assert (seen["state"], seen["members"]) == ("Stable", 1)
        wait_until_empty(kafka, name)

        await client.delete(state)
        assert name not in groups_of(kafka)
        assert config_seen(admin, name) == {"share.heartbeat.interval.ms": "6000"}
        await client.delete(state)  # already gone is fine

    on_cluster(kafka, steps)


@sets_offsets
def test_a_new_group_starts_where_it_is_declared(kafka, admin, name, topic):
    async def steps(engine):
        client = engine.of(SHARE_GROUP)
        for start in ("earliest", "latest", "2010-01-01T00:00:00Z"):
            await client.create(group(f"{name}-{start[:4]}", topic, start=start))
        assert start_offsets_seen(kafka, f"{name}-earl") == {0: 0, 1: 0}
        assert start_offsets_seen(kafka, f"{name}-late") == {0: 3, 1: 3}
        assert start_offsets_seen(kafka, f"{name}-2010") == {0: 0, 1: 0}
        produce(kafka, topic, 1, first=3)
        with share_consumer(kafka, f"{name}-late", topic) as consumer:
            assert consumer.received(2) == ["0-3", "1-3"]

    on_cluster(kafka, steps)


@pytest.mark.skipif(CAN_SET_OFFSETS, reason="Kafka 4.1 only")
def test_brokers_that_accept_a_start_and_do_nothing_are_found_out(kafka, admin, name, topic):
    async def steps(engine):
        client = engine.of(SHARE_GROUP)
        call = client.create(group(name, topic, start="earliest"))
        await refused(call, "accepted the request and did nothing, as Kafka 4.1 does", "share.auto.offset.reset")
        _, state = await client.create(group(name, topic))
        moving = group(name, topic, reset={"to": "earliest", "token": "INC-7"})
        with pytest.raises(grpc.RpcError) as error:
            await client.update(state, moving)
        [reason] = detail(error, provider_pb2.ErrorResourceInitFailed).reasons
        assert "accepted the request and did nothing" in reason

    on_cluster(kafka, steps)


@sets_offsets
def test_start_offsets_move_once_for_each_token_and_never_under_a_consumer(kafka, admin, name, topic):
    def reset(token, to="earliest"):
        return group(name, topic, start="latest", reset={"to": to, "token": token})

    async def steps(engine):
        client = engine.of(SHARE_GROUP)
        _, state = await client.create(reset("first"))
        assert start_offsets_seen(kafka, name) == {0: 3, 1: 3}  # new to the stack: noted, not done
        assert "its reset is noted and not done" in engine.engine.said[-1][1]
        _, failures = await client.check(name, reset("first", "latest"), reset("first"))
        assert "Change the token too" in failures["reset.token"]

        with share_consumer(kafka, name, topic):
            for preview in (True, False):
                await refused(client.update(state, reset("second"), preview=preview), "not moved while consumers run")
        wait_until_empty(kafka, name)
        assert start_offsets_seen(kafka, name) == {0: 3, 1: 3}

        await client.update(state, reset("second"), preview=True)
        assert "start offsets of 2 partitions are moved to earliest" in engine.engine.said[-1][1]
        assert start_offsets_seen(kafka, name) == {0: 3, 1: 3}
        state = await client.update(state, reset("second"))
        assert start_offsets_seen(kafka, name) == {0: 0, 1: 0}
        assert state["lag"] == 6

        _, _, warnings = await client.refresh({**state, "offsets": {f"{topic}-0": 3}})
        assert f"start offsets went back since the last look ({topic}-0 from 3 to 0)" in warnings[0]

    on_cluster(kafka, steps)


@sets_offsets
def test_no_start_offset_of_an_existing_group_is_moved(kafka, admin, name, topic):
    async def steps(engine):
        client = engine.of(SHARE_GROUP)
        await client.create(group(name, topic, start="latest"))
        _, state = await client.create(group(name, topic, start="earliest"))
        assert "is adopted: none of its start offsets is moved" in engine.engine.said[-1][1]
        await client.update(state, group(name, topic, start="2010-01-01T00:00:00Z"))
        assert start_offsets_seen(kafka, name) == {0: 3, 1: 3}

    on_cluster(kafka, steps)


def test_a_group_with_other_settings_is_not_adopted(kafka, admin, name, topic):
    async def steps(engine):
        client = engine.of(SHARE_GROUP)
        with share_consumer(kafka, name, topic):
            wanted = group(name, topic, config={"share.session.timeout.ms": "50000"})
            for preview in (True, False):
                call = client.create(wanted, preview=preview)
                await refused(call, "share.session.timeout.ms: declared 50000, live not set", "Nothing was changed")
            assert config_seen(admin, name) == {}
            await client.create(group(name, topic))
            assert "exists (Stable, 1 members) and is adopted" in engine.engine.said[-1][1]

            found = await client.read(name)
            assert decode(found.inputs) == {"name": name, "deletion": "protected", "topics": [topic]}
        missing = await client.read(f"{name}-missing")
        assert missing.id == ""

    on_cluster(kafka, steps)


def test_a_group_of_another_type_is_left_alone(kafka, admin, name, topic):
    offsets = [ConsumerGroupTopicPartitions(name, [TopicPartition(topic, 0, 1)])]
    admin.alter_consumer_group_offsets(offsets)[name].result(20)

    async def steps(engine):
        client = engine.of(SHARE_GROUP)
        declared = group(name, topic, config={"share.session.timeout.ms": "50000"})
        for preview in (True, False):
            await refused(client.create(declared, preview=preview), "is a classic group on the cluster")
        await refused(client.delete(declared), "is a classic group on the cluster")
        await refused(client.read(name, declared), "is a classic group on the cluster")

    on_cluster(kafka, steps)
    assert groups_of(kafka)[name][0] == "classic"
    assert config_seen(admin, name) == {}


def test_a_share_group_is_not_deleted_while_protected_in_use_or_outside(kafka, admin, name, topic):
    async def steps(engine):
        client = engine.of(SHARE_GROUP)
        with share_consumer(kafka, name, topic):
            _, state = await client.create(group(name, topic))
            await refused(client.delete({**state, "deletion": "protected"}), "is protected")
            for deletion in ("allowed", "force"):
                await refused(client.delete({**state, "deletion": deletion}), "has 1 members")
        assert name in groups_of(kafka)

    async def outside(engine):
        client = engine.of(SHARE_GROUP)
        _, failures = await client.check(name, group(name, topic))
        assert "outside the ownership (shop.)" in failures["name"]
        await refused(client.delete(group(name, topic)), "outside the ownership")

    on_cluster(kafka, steps)
    on_cluster(kafka, outside, ownership={"groups": ["shop."]})
    assert name in groups_of(kafka)


def test_a_topic_that_a_share_group_reads_is_not_deleted(kafka, admin, name, topic):
    async def steps(engine):
        client = engine.of(TOPIC)
        found = await client.read(topic)
        state = {**decode(found.properties), "deletion": "allowed"}
        with share_consumer(kafka, name, topic):
            await refused(client.delete(state), f"is being read by share group '{name}'")
        assert topic in admin.list_topics(timeout=20).topics

    on_cluster(kafka, steps)


def test_one_group_id_is_one_resource(kafka, admin, name, topic):
    async def steps(engine):
        shared = engine.of(SHARE_GROUP)
        await shared.check(name, group(name, topic))
        _, failures = await engine.of(GROUP).check(name, group(name, topic))
        assert "declared" in failures["name"]

    on_cluster(kafka, steps)


def test_settings_of_other_groups_and_unknown_ones_are_refused(kafka, admin, name, topic):
    async def steps(engine):
        client = engine.of(SHARE_GROUP)
        _, failures = await client.check(name, group(name, topic, config={"consumer.session.timeout.ms": "50000"}))
        assert "share groups do not use" in failures['config["consumer.session.timeout.ms"]']
        await refused(
            client.create(group(name, topic, config={"share.session.timeout.ms": "10000"})), "must be greater"
        )
        await refused(client.create(group(name, topic, config={"share.unheard.of": "1"})), "Unknown group config name")

    on_cluster(kafka, steps)
    assert config_seen(admin, name) == {}


@pytest.mark.skipif(VERSION >= (4, 2), reason="share groups are on by default")
def test_a_cluster_without_the_feature_says_so(tmp_path, name):
    async def steps(engine):
        client = engine.of(SHARE_GROUP)
        declared = group(name, "orders", config={"share.session.timeout.ms": "50000"})
        for preview in (True, False):
            await refused(client.create(declared, preview=preview), "share groups are off", "share.version=1")

    with LocalCluster(tmp_path / "kafka", delete_on_exit=True) as cluster:
        on_cluster(cluster, steps)
        assert config_seen(AdminClient({"bootstrap.servers": cluster.bootstrap_servers}), name) == {}
