"""A broker dies in the midst of the work: the controller during an `up`, and the coordinator of a group."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from committed import committed
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from kafka import KafkaAdminClient
from kafka_tools import run
from pulumi_project import PulumiProject

from kafka_topology.local import LocalCluster

TOPICS = 40
RUNS = int(os.environ.get("KAFKA_TOPOLOGY_KILLS", "2"))
AUDITED = """\
version: 1
topics: {{{topic}: {{partitions: 1, replication: 3, config: {{min.insync.replicas: 2}}}}}}
consumerGroups: {{{topic}: {{topics: [{topic}], start: earliest}}}}
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with LocalCluster(tmp_path_factory.mktemp("loss") / "kafka", brokers=3, delete_on_exit=True) as cluster:
        yield cluster


@pytest.fixture
def project(cluster, tmp_path):
    return PulumiProject(tmp_path / "project", cluster.bootstrap_servers)


def controller(cluster):
    client = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)
    try:
        return client.describe_metadata_quorum()["topics"][0]["partitions"][0]["leader_id"]
    finally:
        client.close()


def coordinator(cluster, group):
    said = run(cluster, "kafka-consumer-groups", "--describe", "--state", "--group", group)
    return int(re.search(rf"{group}\s+\S+:\d+\s+\((\d+)\)", said)[1])


def all_visible(cluster, names):
    """Kafka's own tool, which may have to wait for the brokers that are left."""
    return set(names) <= set(run(cluster, "kafka-topics", "--list").split())


def up_without_controller(cluster, project, is_under_way):
    """An `up` whose active controller is killed as soon as the topics show that it has begun. It must succeed."""
    victim = controller(cluster)
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0})
    with project.start("up", "--yes", "--skip-preview") as up:
        while not is_under_way(admin.list_topics(timeout=20).topics):
            assert up.poll() is None, up.stdout.read()
        cluster.kill(victim)
        said, _ = up.communicate(timeout=300)
    assert up.returncode == 0, said


@pytest.mark.parametrize("number", range(RUNS))
def test_an_up_goes_on_when_the_active_controller_is_killed(cluster, project, number):
    cluster.start()
    names = [f"loss-{number}-{at}" for at in range(TOPICS)]
    project.topics = {name: {"partitions": 3, "replication": 2, "deletion": "allowed"} for name in names}
    up_without_controller(cluster, project, lambda live: len(live.keys() & set(names)) >= 3)
    assert all_visible(cluster, names)

    # With a broker still down: what is there is read, changed and read back.
    project.topics = {name: {**inputs, "config": {"retention.ms": "1000"}} for name, inputs in project.topics.items()}
    project.up()
    project.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")
    cluster.start()


def test_an_update_goes_on_when_the_active_controller_is_killed(cluster, project):
    cluster.start()
    names = [f"change-{at}" for at in range(TOPICS)]
    project.topics = {name: {"partitions": 1, "replication": 2} for name in names}
    project.up()
    project.topics = {name: {"partitions": 2, "replication": 2, "config": {"retention.ms": "1000"}} for name in names}
    up_without_controller(cluster, project, lambda live: any(len(live[name].partitions) > 1 for name in names))
    shown = run(cluster, "kafka-topics", "--describe")
    assert all(re.search(rf"Topic: {name}\s.*PartitionCount: 2\s.*retention.ms=1000", shown) for name in names)
    cluster.start()


def test_refresh_and_audit_survive_a_coordinator_that_moves(cluster, project, tmp_path):
    cluster.start()
    name = "moving"
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0})
    made = NewTopic(name, num_partitions=1, replication_factor=3, config={"min.insync.replicas": "2"})
    admin.create_topics([made])[name].result(20)
    offsets = [ConsumerGroupTopicPartitions(name, [TopicPartition(name, 0, 0)])]
    admin.alter_consumer_group_offsets(offsets)[name].result(20)
    project.topics = {name: {"partitions": 1, "replication": 3, "config": {"min.insync.replicas": "2"}}}
    project.groups = {name: {"topics": [name], "start": "earliest"}}
    project.up()
    (tmp_path / "topology.yaml").write_text(AUDITED.format(topic=name))
    cluster.kill(coordinator(cluster, name))
    deadline = time.monotonic() + 15
    turns = 0
    while time.monotonic() < deadline or turns < 2:
        turns += 1
        audit = subprocess.run(
            [str(Path(sys.executable).with_name("kafka-topology")), "audit", "topology.yaml", "--bootstrap",
             cluster.bootstrap_servers],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert audit.returncode in {0, 1}, audit.stdout + audit.stderr
        assert "could not check" not in audit.stdout + audit.stderr
        assert "KTA301" not in audit.stdout, audit.stdout  # and the group is there
        project.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")
    assert committed(cluster, name, name, 1) == [0]
    cluster.start()
