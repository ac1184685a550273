"""The health of real clusters: a new one is fine, and each planted trouble is found. The tests share one cluster."""

from __future__ import annotations

import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from kafka_tools import run
from troubles import (
    break_folder,
    cluster_with_two_disks,
    configure,
    hang_transaction,
    reassign,
    repair_folder,
    second_folder,
)

from kafka_topology.cli.main import main

TOPOLOGY = """\
version: 1
cluster: {brokers: 3, controllers: 3}
topics:
  orders: {partitions: 1, replication: 2}
  payments: {partitions: 1, replication: 3}
"""
ONE_BROKER = "version: 1\ncluster: {brokers: 1, controllers: 1}\n"
VERIFIED = "transaction.partition.verification.enable"
ELR = "eligible.leader.replicas.version"
# Replicas that are out of sync, which these tests cause.
MISSING_REPLICAS = {"KTA201", "KTA202", "KTA203", "KTA204", "KTA211", "KTA212", "KTA213"}
QUICK = "rules: {KTA541: {age: 1s}}\n"
KEPT = [
    ("KTA214", "warning", "__consumer_offsets"),
    ("KTA541", "error", "payments"),
    ("KTA553", "advice", "cluster"),
    ("KTA554", "warning", "cluster"),
]  # troubles that stay until the end


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with cluster_with_two_disks(tmp_path_factory.mktemp("health") / "kafka", brokers=3, like_new=True) as running:
        yield running


@pytest.fixture
def audited(cluster, tmp_path):
    """The findings of the cluster, as (rule, resource), with those of each rule by its id."""

    def found(text=TOPOLOGY, timeout=30, client=None):
        file = tmp_path / "topology.yaml"
        file.write_text(text)
        arguments = client or ("--bootstrap", cluster.bootstrap_servers)
        result = CliRunner().invoke(
            main, ["audit", str(file), "--format", "json", "--timeout", str(timeout), *arguments]
        )
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return json.loads(result.stdout)

    return found


def reported(document):
    return Counter((each["rule"], each["severity"], each["resource"]) for each in document["findings"])


def messages(document, rule):
    return [each["message"] for each in document["findings"] if each["rule"] == rule]


def wait_for(look, wanted, seconds=120):
    """Looks until exactly these are reported: brokers learn of changes one after the other."""
    deadline, planted = time.monotonic() + seconds, Counter(wanted)
    while (seen := reported(document := look())) != planted:
        unexpected, missing = dict(seen - planted), dict(planted - seen)
        assert time.monotonic() < deadline, f"{unexpected=} {missing=} {document['couldNotCheck']=}"
    return document


def create(cluster, *topics):
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    for future in admin.create_topics(list(topics)).values():
        future.result(30)


def test_a_new_cluster_is_healthy(cluster, audited):
    create(
        cluster,
        NewTopic("orders", 1, replica_assignment=[[1, 2]], config={}),
        NewTopic("payments", 1, replica_assignment=[[1, 2, 3]], config={}),
    )
    document = wait_for(audited, [])
    assert document["couldNotCheck"] == []


def test_each_planted_trouble_is_found_and_nothing_else(cluster, audited, tmp_path):
    # Kafka's own topic with one replica, as from the time when the cluster had one broker.
    create(
        cluster,
        NewTopic("__consumer_offsets", 2, replica_assignment=[[3], [1]], config={}),
        NewTopic("events", 1, replica_assignment=[[1, 2, 3]], config={"retention.ms": "3600000"}),
    )
    writer = Producer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "transactional.id": "slow-writer",
            "transaction.timeout.ms": 600_000,
            "log_level": 0,
        }
    )
    fill(cluster, "orders", megabytes=20)
    with ThreadPoolExecutor(2) as pool:
        done = [
            pool.submit(reassign, cluster, tmp_path, "orders", [1, 3], "--execute", "--throttle", "1000"),
            pool.submit(configure, cluster, "brokers", "2", add="log.cleaner.threads=2"),
            pool.submit(configure, cluster, "brokers", None, add=f"{VERIFIED}=false"),
            pool.submit(run, cluster, "kafka-features", "downgrade", "--feature", f"{ELR}=0"),
        ]
        writer.init_transactions(120)
        writer.begin_transaction()
        writer.produce("payments", b"open", partition=0)
        assert writer.flush(60) == 0
        for each in done:
            each.result()
    hang_transaction(cluster, "payments", 1, age=7200)
    text = TOPOLOGY.replace("controllers: 3", "controllers: 3, disk: 900TB") + QUICK
    # Before the folder breaks: the coordinator may have its log there, and then nobody knows the id.
    known = "with transactional id slow-writer, open for"
    wait_until(lambda: any(known in each for each in messages(audited(text), "KTA541")))
    break_folder(cluster, 2)
    planted = [
        *KEPT,
        ("KTA521", "advice", "cluster"),
        ("KTA531", "error", "cluster"),
        *[("KTA533", "warning", "cluster")] * 2,  # the size of broker 2 is unknown without that folder
        ("KTA541", "warning", "payments"),
    ]
    seen = wait_for(lambda: without_replicas(audited(text)), planted)
    assert seen["couldNotCheck"] == []
    assert messages(seen, "KTA521") == ["1 partition (orders 0 to broker 3 away from 2) is being reassigned"]
    assert str(second_folder(cluster, 2)) in messages(seen, "KTA531")[0]
    transactions = "\n".join(messages(seen, "KTA541"))
    assert "of producer 777 (epoch 3) with an unknown transactional id, open for 2 hours" in transactions
    assert "log.cleaner.threads is 2 (elsewhere 1)" in messages(seen, "KTA554")[0]
    # As an operator ends it: its coordinator may have been in the broken folder.
    run(cluster, "kafka-transactions", "abort", "--topic", "payments", "--partition", "0", "--start-offset", "0")


def test_lost_brokers_show_in_the_quorum_in_kafkas_topics_and_in_what_waits_for_them(cluster, audited, tmp_path):
    """Follows the test before: a reassignment to broker 3 is under way, and one folder of broker 2 is gone."""
    cluster.kill(3)
    lost = [
        *KEPT,
        ("KTA211", "error", "__consumer_offsets"),
        ("KTA501", "error", "cluster"),
        ("KTA512", "warning", "cluster"),
        ("KTA522", "warning", "cluster"),
        ("KTA531", "error", "cluster"),
    ]
    seen = wait_for(lambda: without_replicas(audited(), "KTA211"), lost)
    assert messages(seen, "KTA522") == [
        "the reassignment of 1 partition (orders 0 to broker 3 away from 2) waits for broker 3, which is down"
    ]
    assert "2 of 3 voters are left, and one more loss stops the cluster" in messages(seen, "KTA512")[0]
    assert any(each["rule"] == "KTA213" for each in audited()["findings"])

    reassign(cluster, tmp_path, "orders", [1, 3], "--cancel", "--preserve-throttles")
    # While broker 3 is down, a topic is deleted and created again. Kafka 4.1 confuses them when the broker comes back.
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    admin.delete_topics(["events"])["events"].result(60)
    wait_until(lambda: "events" not in admin.list_topics(timeout=10).topics)
    create(cluster, NewTopic("events", 1, replica_assignment=[[1, 2]], config={}))

    cluster.kill(2)
    looks = []  # for a moment, the leader of the quorum does not know yet that it lost its majority
    wait_until(lambda: looks.append(audited(timeout=3)) or ("KTA514", "error", "cluster") in reported(looks[-1]))
    assert any("describing the controllers" in each for each in looks[-1]["couldNotCheck"])

    repair_folder(cluster, 2)
    cluster.start()
    left = [
        *KEPT,
        ("KTA523", "warning", "cluster"),
        ("KTA523", "warning", "orders"),
        ("KTA555", "error", "events"),
    ]
    events = "  events: {partitions: 1, replication: 2}\n"
    seen = wait_for(lambda: without_replicas(audited(TOPOLOGY + events)), left)
    [message] = messages(seen, "KTA555")
    # Broker 2 has started meanwhile, too. Only broker 1 has seen the deletion and the new topic one after the other.
    assert message == "events: retention.ms is not set on broker 1 and 1h on brokers 2, 3; expected one value"


def test_what_may_not_be_read_names_the_missing_permission(secure_kafka, audited, tmp_path):
    """The user `app` has no access; `admin` has all."""

    def as_user(user, text=ONE_BROKER):
        client = tmp_path / "client.properties"
        settings = secure_kafka.client_settings("SASL_SSL", user=user)
        client.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        return audited(text, client=("--client-config", str(client)))

    document = as_user("admin")
    assert (document["findings"], document["couldNotCheck"]) == ([], [])
    document = as_user("app")
    said = "\n".join(document["couldNotCheck"])
    assert document["findings"] == []
    for what, permission in {
        "(__consumer_offsets, __remote_log_metadata, __share_group_state and 1 more)": "Describe on the topic",
        "describing the controllers": "Describe on the cluster",
        "listing reassignments": "Describe on the cluster",
        "reading the log directories of broker 1": "Describe on the cluster",
        "reading the config of broker 1": "DescribeConfigs on the cluster",
    }.items():
        assert f"{what}: the provider's principal may not do this; it needs {permission}" in said, said
    assert len(document["couldNotCheck"]) == 5

    # The certificates of this cluster are valid for ten years.
    soon = "rules: {KTA561: {days: 10000}}\n"
    document = as_user("admin", ONE_BROKER + soon)
    assert reported(document) == Counter([("KTA561", "warning", "cluster")])
    assert "broker 1 (127.0.0.1:" in messages(document, "KTA561")[0]


def fill(cluster, topic, megabytes):
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "compression.type": "none", "log_level": 0})
    for _ in range(megabytes * 10):
        producer.produce(topic, b"x" * 100_000, partition=0)
    assert producer.flush(60) == 0


def wait_until(is_so, seconds=60):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def without_replicas(document, *kept):
    """Replicas of the broken folder are missing wherever Kafka had put them, and so are those of a lost broker.

    What else is reported of replicas counts: leaders, racks, settings, and topics that have the wrong number.
    """
    hidden = MISSING_REPLICAS - set(kept)

    def is_caused(each):
        return each["rule"] in hidden and set(each["evidence"].get("outOfSync", ())) <= {2, 3}

    return {**document, "findings": [each for each in document["findings"] if not is_caused(each)]}
