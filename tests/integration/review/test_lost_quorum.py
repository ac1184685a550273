"""What-if on a cluster of its own, and then the loss that it was asked about."""

from __future__ import annotations

import json
import time
from contextlib import closing

import pytest
from auditing import audit, found, wait_until
from command import call
from confluent_kafka import KafkaError, Producer
from kafka import KafkaAdminClient, TopicPartition
from kafka_tools import run as kafka_run

from kafka_topology.cluster.cluster import Cluster
from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.outcomes import Failure
from kafka_topology.local import LocalCluster

TOPOLOGY = """\
version: 1
topics: {orders: {partitions: 6, replication: 3, config: {min.insync.replicas: 1}}}
producers: {shop: {topics: [orders]}}
consumerGroups: {billing: {topics: [orders]}}
"""


@pytest.fixture
def cluster(tmp_path):
    with LocalCluster(tmp_path / "kafka", brokers=3, delete_on_exit=True) as running:
        yield running


def what_if(cluster, folder, *lost):
    brokers = [argument for broker in lost for argument in ("--lose-broker", str(broker))]
    live = ["--live", "--bootstrap", cluster.bootstrap_servers]
    command = ["what-if", str(folder / "topology.yaml"), *brokers, *live]
    text, data = call(*command), call(*command, "--format", "json")
    assert (text.exit_code, data.exit_code) == (0, 0), text.output + data.output
    return text.stdout, json.loads(data.stdout)


def written(cluster, topic="orders", partitions=6):
    """The errors of writes with acks=all, one to each partition; None where it was acknowledged."""
    errors = {}
    settings = {"bootstrap.servers": cluster.bootstrap_servers, "acks": "all", "log_level": 0}
    producer = Producer({**settings, "message.timeout.ms": 10_000})
    for partition in range(partitions):
        producer.produce(
            topic, b"v", partition=partition, on_delivery=lambda error, of: errors.update({of.partition(): error})
        )
    assert producer.flush(30) == 0
    assert errors.keys() == {*range(partitions)}
    return [errors[partition] for partition in range(partitions)]


def test_a_cluster_without_a_majority_does_not_go_on(cluster, tmp_path):
    (tmp_path / "topology.yaml").write_text(TOPOLOGY)
    kafka_run(
        cluster, "kafka-topics", "--create", "--topic", "orders", "--partitions", "6", "--replication-factor", "3"
    )
    text, data = what_if(cluster, tmp_path, 2)
    assert data["quorum"]["majority"] == "kept"
    assert {topic["topic"]: topic["state"] for topic in data["topics"]} == {
        "orders": "fewer copies",
        "__consumer_offsets": "fewer copies",
    }
    assert "every topic can still be read and written" in text

    text, data = what_if(cluster, tmp_path, 2, 3)
    assert data["quorum"] | {"reason": ""} == {
        "majority": "lost",
        "controllers": 3,
        "left": 1,
        "needed": 2,
        "reason": "",
    }
    states = {topic["topic"]: topic["state"] for topic in data["topics"]}
    assert states == {"orders": "offline", "__consumer_offsets": "offline"}
    assert {topic["topic"]: topic["withoutWrites"] for topic in data["topics"]}["orders"] == 6
    assert "The controllers lose their majority" in text
    assert "continue with" not in text

    assert written(cluster) == [None] * 6
    living, _, dead = cluster.bootstrap_servers.split(",")
    with closing(Cluster(client_only({"bootstrap.servers": living}, 6))) as connected:
        connected.connect()
        cluster.kill(2)
        cluster.kill(3)
        refused = written(cluster)
        assert all(isinstance(error, KafkaError) for error in refused), refused

        # Without controllers it stays listed. librdkafka's default connects to it thousands of times a second.
        started, used = time.monotonic(), time.process_time()
        [answer] = connected.survey.broker_configs([3]).values()
        took, used = time.monotonic() - started, time.process_time() - used
    assert isinstance(answer, Failure)
    assert dead in answer.message
    assert took > 1
    assert used < took / 4, (used, took)


def test_partitions_with_an_uneven_number_of_replicas_are_judged_one_by_one(cluster, tmp_path):
    """Kafka asks for no more replicas in sync than a partition has: partition 0 has one, and partition 1 has two."""
    name = "uneven"
    (tmp_path / "topology.yaml").write_text(
        f"version: 1\ntopics: {{{name}: {{partitions: 2, replication: 2, config: {{min.insync.replicas: 2}}}}}}\n"
        f"producers: {{shop: {{topics: [{name}]}}}}\n"
    )
    made = ("--create", "--topic", name, "--replica-assignment", "3:1,1:3", "--config", "min.insync.replicas=2")
    kafka_run(cluster, "kafka-topics", *made)
    with closing(KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)) as client:
        client.alter_partition_reassignments({TopicPartition(name, 0): [3]})
        wait_until(lambda: not client.list_partition_reassignments())

    def states(broker):
        text, data = what_if(cluster, tmp_path, broker, broker)
        assert "brokers" not in text.splitlines()[0]
        [found] = [topic for topic in data["topics"] if topic["topic"] == name]
        return found["state"], found["partitions"], found["copiesLeft"], found["minInsyncReplicas"]

    assert states(1) == ("no writes", 1, 1, 2)
    cluster.kill(1)
    bootstrap = cluster.bootstrap_servers.split(",")[1]
    file = tmp_path / "topology.yaml"
    wait_until(lambda: ("KTA202", name) in found(audit(file, "--bootstrap", bootstrap)[1]))
    _, document = audit(file, "--bootstrap", bootstrap)
    [below] = [each for each in document["findings"] if each["rule"] == "KTA202" and each["resource"] == name]
    assert below["evidence"]["partitions"] == [1]
    first, second = written(cluster, name, 2)
    assert (first, isinstance(second, KafkaError)) == (None, True)
    assert states(1) == ("no writes", 1, 1, 2)  # it is down already


def test_the_load_of_each_broker_is_that_of_the_assignment(kafka, tmp_path):
    """All replicas of this topic are on two of three brokers."""
    name = "whatif.narrow"
    kafka_run(kafka, "kafka-topics", "--create", "--topic", name, "--replica-assignment", "1:2,1:2,2:1,1:2")
    (tmp_path / "topology.yaml").write_text(f"version: 1\ntopics: {{{name}: {{partitions: 4, replication: 2}}}}\n")
    _, data = what_if(kafka, tmp_path, 1)
    each = {one["broker"]: (one["before"]["replicas"], one["after"]["replicas"]) for one in data["remainingBrokers"]}
    assert each == {2: (4, 4), 3: (0, 4)}
