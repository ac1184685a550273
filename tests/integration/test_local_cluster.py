"""`kafka-topology local` with real brokers."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from acls import all_on, allowed
from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient, NewTopic
from delivering import SureProducer

from kafka_topology.local import LocalCluster, LocalClusterError, SettingsError, kafka_tool
from kafka_topology.local import cluster as cluster_module
from kafka_topology.local import settings as settings_module
from kafka_topology.local.processes.alive import start_mark

if TYPE_CHECKING:
    from pathlib import Path


def cli(*arguments: object) -> list[str]:
    code = "from kafka_topology.cli.main import main; main()"
    return [sys.executable, "-c", code, "local", *map(str, arguments)]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(cli(*arguments), capture_output=True, text=True, timeout=120, check=False)


def admin(cluster: LocalCluster) -> AdminClient:
    """Keep it in a variable: a client that goes takes its unanswered futures with it, for ever."""
    return AdminClient({"bootstrap.servers": cluster.bootstrap_servers})


def create(cluster: LocalCluster, topic: str, partitions: int, replication: int) -> None:
    client = admin(cluster)
    new = NewTopic(topic, num_partitions=partitions, replication_factor=replication)
    client.create_topics([new])[topic].result(timeout=30)


def topics(cluster: LocalCluster) -> set[str]:
    return set(admin(cluster).list_topics(timeout=10).topics)


def pids(cluster: LocalCluster) -> list[int]:
    return [broker.pid for broker in cluster.status().brokers if broker.pid]


def processes_of(folder: Path) -> list[int]:
    """Every process whose command line names the folder."""
    listed = subprocess.run(["ps", "-ewwo", "pid=,args="], capture_output=True, text=True, check=True)
    lines = [line.split(None, 1) for line in listed.stdout.splitlines()]
    return [int(pid) for pid, command in lines if str(folder) in command and "java" in command]


def test_three_brokers_in_three_racks(kafka):
    status = kafka.status()
    assert status.state == "running"
    assert [(broker.id, broker.rack) for broker in status.brokers] == [(1, "a"), (2, "b"), (3, "c")]
    client = admin(kafka)
    nodes = client.describe_cluster().result(timeout=30).nodes
    assert sorted((node.id, node.rack) for node in nodes) == [(1, "a"), (2, "b"), (3, "c")]


def test_two_brokers_have_one_voter_and_the_other_one_may_be_lost(tmp_path):
    with LocalCluster(tmp_path / "two", brokers=2, delete_on_exit=True) as cluster:
        described = kafka_tool(
            "kafka-metadata-quorum", "--bootstrap-server", cluster.bootstrap_servers, "describe", "--status"
        ).stdout
        assert 'CurrentVoters:          [{"id": 1' in described, described
        assert described.count('"id"') == 2  # the voter, and the other broker as an observer
        cluster.kill(2)
        new = ("--create", "--topic", "after.the.loss", "--replica-assignment", "1")
        made = kafka_tool("kafka-topics", *new, bootstrap=cluster.bootstrap_servers)  # needs the quorum
        assert made.returncode == 0, made.stdout + made.stderr


def test_a_cluster_like_new_has_no_topics_and_the_defaults_of_kafka(tmp_path):
    done = run("start", "--like-new", "--brokers", 3, "--data", tmp_path / "new")
    cluster = LocalCluster(tmp_path / "new", delete_on_exit=True)
    try:
        assert done.returncode == 0, done.stdout + done.stderr
        assert topics(cluster) == set()
        describe = ["--describe", "--entity-type", "brokers", "--entity-name", "1", "--all"]
        described = kafka_tool("kafka-configs", *describe, bootstrap=cluster.bootstrap_servers).stdout
        for default in (
            "offsets.topic.num.partitions=50",
            "offsets.topic.replication.factor=3",
            "transaction.state.log.min.isr=2",
            "auto.create.topics.enable=true",
            "authorizer.class.name= ",
        ):
            assert f"  {default}" in described, default
        assert run("start", "--like-new", "--data", tmp_path / "new").returncode == 0
    finally:
        cluster.stop(delete=True)


def test_records_go_in_and_come_out(kafka):
    create(kafka, "local.records", 3, 3)
    producer = SureProducer({"bootstrap.servers": kafka.bootstrap_servers, "acks": "all"})
    for number in range(10):
        producer.produce("local.records", key=str(number), value=b"v")
    producer.flush(10)
    consumer = Consumer(
        {
            "bootstrap.servers": kafka.bootstrap_servers,
            "group.id": "local.readers",
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe(["local.records"])
    records = consumer.consume(10, timeout=15)
    consumer.close()
    assert sorted(record.key() for record in records) == [b"%d" % number for number in range(10)]


def test_access_rules_can_be_made_and_read(kafka):
    client = admin(kafka)
    rule = allowed("User:reader", "Read", "topic", "local.secret")
    client.create_acls([rule])[rule].result()
    wanted = all_on("topic", "local.secret")
    deadline = time.monotonic() + 10
    while client.describe_acls(wanted).result() != [rule] and time.monotonic() < deadline:
        time.sleep(0.05)
    assert client.describe_acls(wanted).result() == [rule]


def test_internal_topics_are_replicated_three_times(kafka):
    offsets = admin(kafka).list_topics("__consumer_offsets", timeout=10).topics["__consumer_offsets"]
    assert {len(partition.replicas) for partition in offsets.partitions.values()} == {3}


def test_topics_are_not_made_by_asking_for_them(kafka):
    admin(kafka).list_topics("local.never-created", timeout=10)
    assert "local.never-created" not in topics(kafka)


def test_starting_again_changes_nothing(kafka):
    before = pids(kafka)
    assert LocalCluster(kafka.data).start().state == "running"
    assert LocalCluster(kafka.data, brokers=3).start().state == "running"
    assert pids(kafka) == before
    with pytest.raises(SettingsError, match="has 3 brokers"):
        LocalCluster(kafka.data, brokers=1).start()


def test_status_as_json(kafka):
    result = run("status", "--data", kafka.data, "--format", "json")
    assert result.returncode == 0
    status = json.loads(result.stdout)
    assert status["bootstrapServers"] == kafka.bootstrap_servers
    assert status["kafka"] == "4.1.0"
    assert [set(broker) for broker in status["brokers"]] == [{"id", "state", "pid", "port", "rack", "log"}] * 3


def test_kafkas_own_tools(kafka):
    create(kafka, "local.tools", 2, 1)
    described = kafka_tool("kafka-topics", "--describe", "--topic", "local.tools", bootstrap=kafka.bootstrap_servers)
    assert described.returncode == 0
    assert "PartitionCount: 2" in described.stdout
    listed = run("tool", "--data", kafka.data, "topics", "--list")
    assert listed.returncode == 0
    assert "local.tools" in listed.stdout.split()


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        (("kafka-features", "describe"), "metadata.version"),
        (("kafka-metadata-quorum", "describe", "--status"), "LeaderId"),
        (("kafka-transactions", "list"), "TransactionalId"),
        (("kafka-cluster", "cluster-id"), "Cluster ID"),
        (("kafka-share-groups", "--list"), ""),
        (("kafka-streams-groups", "--list"), ""),
    ],
)
def test_tools_with_and_without_subcommands_find_the_cluster(kafka, tool, said):
    done = run("tool", "--data", kafka.data, *tool)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


def test_one_broker_from_its_first_start_to_its_deletion(tmp_path):
    data = tmp_path / "one"
    cluster = LocalCluster(data)
    try:
        at_once = [
            subprocess.Popen(cli("start", "--data", data, "--format", "json"), stdout=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        first, second = (json.loads(process.communicate(timeout=120)[0]) for process in at_once)
        assert [process.returncode for process in at_once] == [0, 0]
        assert first["brokers"] == second["brokers"]  # one cluster, which outlives its starters
        assert pids(cluster) == [first["brokers"][0]["pid"]] == processes_of(data)

        create(cluster, "kept", 1, 1)
        assert run("stop", "--data", data).returncode == 0
        assert cluster.status().state == "stopped"
        assert processes_of(data) == []

        again = cluster.start()
        assert again.bootstrap_servers == first["bootstrapServers"]
        assert again.cluster_id == first["clusterId"]
        assert "kept" in topics(cluster)
    finally:
        result = run("stop", "--data", data, "--delete")
    assert result.returncode == 0
    assert processes_of(data) == []
    assert not data.exists()


def test_a_broker_that_was_killed_is_seen_and_comes_back(tmp_path):
    with LocalCluster(tmp_path / "three", brokers=3, delete_on_exit=True) as cluster:
        create(cluster, "kept", 3, 3)
        before = {broker.id: broker.pid for broker in cluster.status().brokers}
        os.kill(before[2] or 0, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while start_mark(before[2] or 0) and time.monotonic() < deadline:
            time.sleep(0.02)
        status = cluster.status()
        assert status.state == "degraded"
        assert [broker.state for broker in status.brokers] == ["running", "dead", "running"]
        assert run("status", "--data", cluster.data).returncode == 3

        assert cluster.start().state == "running"
        after = {broker.id: broker.pid for broker in cluster.status().brokers}
        assert (after[1], after[3]) == (before[1], before[3])
        assert after[2] != before[2]
        assert "kept" in topics(cluster)
    assert processes_of(cluster.data) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_start_leaves_nothing_running(tmp_path, number):
    data = tmp_path / "cut"
    process = subprocess.Popen(cli("start", "--data", data), stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (data / "node-1" / "broker.log").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.splitlines()[-1] == "interrupted"
    assert processes_of(data) == []
    assert LocalCluster(data).status().state == "stopped"


def test_a_broker_that_ends_is_reported_at_once_with_its_log(tmp_path):
    data = tmp_path / "broken"
    with LocalCluster(data) as cluster:
        pass
    meta = data / "node-1" / "storage" / "meta.properties"
    meta.write_text(meta.read_text().replace("node.id=1", "node.id=7"))
    began = time.monotonic()
    with pytest.raises(LocalClusterError, match="Broker 1 ended while it was starting") as caught:
        cluster.start()
    assert "Stored node id 7" in caught.value.message
    assert "broker.log" in caught.value.fix
    assert time.monotonic() - began < 30
    assert cluster.status().state == "stopped"


def test_a_chosen_port_in_use_is_refused(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("start", "--data", tmp_path / "data", "--port", port)
    assert result.returncode == 3
    assert f"Port {port} of broker 1 is in use" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_port_that_another_process_took_meanwhile_is_replaced(tmp_path, monkeypatch):
    real = settings_module.free_ports
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        offered = [[taken.getsockname()[1]]]
        monkeypatch.setattr(
            settings_module,
            "free_ports",
            lambda count, avoid=(): offered.pop() if offered else real(count, avoid),
        )
        monkeypatch.setattr(cluster_module, "is_free", lambda _: True)
        with LocalCluster(tmp_path / "data", delete_on_exit=True) as cluster:
            assert cluster.status().state == "running"
            assert str(taken.getsockname()[1]) not in cluster.bootstrap_servers
