"""A cluster without `__consumer_offsets`, and coordinators that move: no command dies, and nothing is made up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from kafka_tools import run as kafka_run
from new_cluster import unused_cluster
from pulumi_project import PulumiProject

from kafka_topology.cluster.connecting.second_client import SecondClient
from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.groups.committed import committed_offsets
from kafka_topology.cluster.groups.committed_by_consumer import by_consumers
from kafka_topology.cluster.live.groups import Committed

TOPOLOGY = """\
version: 1
cluster: {brokers: 1}
topics: {orders: {partitions: 2, replication: 1}}
consumerGroups: {billing: {topics: [orders], start: earliest}, reports: {topics: [orders]}}
"""


@pytest.fixture
def unused(tmp_path):
    with unused_cluster(tmp_path / "kafka") as cluster:
        yield cluster


def run(*arguments, cwd):
    """The installed command, as a user starts it."""
    command = [str(Path(sys.executable).with_name("kafka-topology")), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


def git(folder, *arguments):
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def make_topic(cluster):
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0})
    admin.create_topics([NewTopic("orders", num_partitions=2, replication_factor=1)])["orders"].result(20)
    assert not has_offsets_topic(cluster)


def has_offsets_topic(cluster):
    """Brokers make it when they are asked for a group's coordinator. A look must not."""
    return "__consumer_offsets" in kafka_run(cluster, "kafka-topics", "--list")


def test_an_audit_says_that_the_groups_are_not_there_yet(unused, tmp_path):
    make_topic(unused)
    (tmp_path / "topology.yaml").write_text(TOPOLOGY)
    done = run("audit", "topology.yaml", "--bootstrap", unused.bootstrap_servers, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "KTA301" in done.stdout
    assert "could not check" not in done.stdout + done.stderr
    assert not has_offsets_topic(unused)


def test_an_import_takes_over_the_topics(unused, tmp_path):
    make_topic(unused)
    done = run("import", "--bootstrap", unused.bootstrap_servers, "--output", "taken", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not has_offsets_topic(unused)
    assert "orders" in "".join(file.read_text() for file in (tmp_path / "taken").glob("*.yaml"))


def test_a_live_review_has_no_groups(unused, tmp_path):
    make_topic(unused)
    (tmp_path / "topology.yaml").write_text(TOPOLOGY)
    git(tmp_path, "init", "-b", "main")
    git(tmp_path, "add", "topology.yaml")
    git(tmp_path, "commit", "-m", "first")
    live = ("--live", "--bootstrap", unused.bootstrap_servers)
    done = run("review", "topology.yaml", "--base", "main", *live, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr  # what the base has does not fail
    assert "could not check" not in done.stdout + done.stderr
    assert not has_offsets_topic(unused)


def test_a_group_is_made_and_refreshed_by_the_plugin(unused, tmp_path):
    project = PulumiProject(tmp_path / "project", unused.bootstrap_servers)
    project.topics = {"orders": {"partitions": 2, "replication": 1}}
    project.groups = {"billing": {"topics": ["orders"], "start": "earliest"}}
    project.preview()
    assert not has_offsets_topic(unused)
    project.up()
    project.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")


def test_committed_offsets_with_their_notes_are_the_same_by_both_clients(unused):
    settings = client_only({"bootstrap.servers": unused.bootstrap_servers}, 20)
    second = SecondClient(settings)
    wanted = {"billing": [("orders", 0), ("orders", 1), ("gone", 0)], "nobody": [("orders", 0)], "empty": []}
    assert committed_offsets(second, wanted) == {"billing": {}, "nobody": {}, "empty": {}}
    make_topic_with_offsets(unused)
    expected = {"billing": {("orders", 1): Committed(3, "a note")}, "nobody": {}, "empty": {}}
    assert committed_offsets(second, wanted) == expected
    assert committed_offsets(second, {"billing": None}) == {"billing": expected["billing"]}
    asked = {"billing": [("orders", 0), ("orders", 1)]}
    assert by_consumers(settings, asked, unused.bootstrap_servers, second.silence) == {"billing": expected["billing"]}
    second.close()


def make_topic_with_offsets(cluster):
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0})
    admin.create_topics([NewTopic("orders", num_partitions=2, replication_factor=1)])["orders"].result(20)
    offsets = [ConsumerGroupTopicPartitions("billing", [TopicPartition("orders", 1, 3, "a note")])]
    admin.alter_consumer_group_offsets(offsets)["billing"].result(20)
