"""A preflight of real clusters: a clean one says yes, and each planted trouble is a reason to say no."""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path

import pytest
from acls import allowed
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, ScramCredentialInfo, ScramMechanism
from confluent_kafka.admin import UserScramCredentialUpsertion as Upsertion
from gitted import git
from gitted import run as command
from kafka_tools import run
from promised import promised
from troubles import configure

from kafka_topology.local import LocalCluster

DEPLOYED = """\
version: 1
cluster: {kafka: "4.1", brokers: 3, racks: [a, b, c], controllers: 3, defaults: {auto.create.topics.enable: false}}
ownership: {topics: [shop.], principals: ["User:shop-"]}
profiles:
  event:
    owner: checkout
    replication: 3
    deletion: allowed
    config: {min.insync.replicas: 2, retention.bytes: 1000000}
topics:
  shop.orders: {profile: event, partitions: 3, retention: 7d}
  shop.old: {profile: event, partitions: 1}
quotas:
  - {user: shop-checkout, producerByteRate: 1MB/s}
"""
OLD = "  shop.old: {profile: event, partitions: 1}\n"
NEW = "  shop.new: {profile: event, partitions: 3}\n"
QUIET = "rules: {KT105: {severity: off}, KT701: {severity: off}}\n"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    data = tmp_path_factory.mktemp("preflight") / "kafka"
    with LocalCluster(data, brokers=3, delete_on_exit=True) as running:
        admin = AdminClient({"bootstrap.servers": running.bootstrap_servers})
        config = {"min.insync.replicas": "2", "retention.bytes": "1000000"}
        topics = [
            NewTopic("shop.orders", 3, 3, config={**config, "retention.ms": "604800000"}),
            NewTopic("shop.old", 1, 3, config=config),
        ]
        for future in admin.create_topics(topics).values():
            future.result(30)
        configure(running, "users", "shop-checkout", add="producer_byte_rate=1000000")
        yield running


@pytest.fixture
def preflight(cluster, tmp_path, monkeypatch):
    """The document of a preflight of a change of what is deployed, by git or by nothing."""
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "--quiet")
    (tmp_path / "topology.yaml").write_text(DEPLOYED)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "--quiet", "--message", "deployed")

    def asked(text=DEPLOYED, *arguments, client=None, base=("--base", "HEAD")):
        (tmp_path / "topology.yaml").write_text(text)
        where = client or ("--bootstrap", cluster.bootstrap_servers)
        done = command("preflight", "topology.yaml", *base, *where, "--timeout", "20", "--format", "json", *arguments)
        assert done.stdout, done.stderr
        document = json.loads(done.stdout)
        promised("preflight").validate(document)
        assert done.exit_code == {"yes": 0, "no": 1, "could not check": 3}[document["answer"]]
        return document

    return asked


def reasons(document):
    return sorted({(each["rule"], each["resource"]) for each in document["findings"] if each["severity"] == "error"})


def messages(document, rule):
    return [each["message"] for each in document["findings"] if each["rule"] == rule]


def until_settled(preflight, wanted, *arguments):
    """Brokers learn of changes one after the other."""
    deadline = time.monotonic() + 60
    while reasons(document := preflight(*arguments)) != wanted:
        assert time.monotonic() < deadline, (reasons(document), document["couldNotCheck"])
    return document


def test_a_clean_cluster_says_yes_and_nothing_is_changed(cluster, preflight):
    before = run(cluster, "kafka-topics", "--describe")
    document = until_settled(preflight, [])
    assert (document["answer"], document["changes"], document["couldNotCheck"]) == ("yes", {}, [])
    change = DEPLOYED.replace("partitions: 3,", "partitions: 6,") + QUIET
    document = preflight(change.replace(OLD, OLD + NEW))
    assert (document["answer"], document["changes"]) == ("yes", {"create": 1, "update": 1}), reasons(document)
    document = preflight(change.replace(OLD, ""))
    assert (document["answer"], document["changes"]) == ("yes", {"update": 1, "delete": 1}), reasons(document)
    assert run(cluster, "kafka-topics", "--describe") == before


def test_without_what_was_deployed_a_difference_is_never_a_yes(preflight):
    document = preflight(DEPLOYED, base=())
    assert (document["answer"], document["changes"]) == ("yes", {"create": 3})
    document = preflight(DEPLOYED.replace(OLD, "").replace("retention: 7d", "retention: 1d"), base=())
    assert document["answer"] == "could not check"
    assert [each["step"] for each in document["steps"] if each["answer"] == "could not check"] == [
        "brokers",
        "removals",
    ]


def test_a_plan_is_refused_after_anything_changed(cluster, preflight, tmp_path):
    plan = tmp_path / "plan.json"
    until_settled(preflight, [])
    plan.write_text(json.dumps(preflight()))
    assert preflight(DEPLOYED, "--expect", str(plan))["answer"] == "yes"
    changed = preflight(DEPLOYED.replace(OLD, OLD + NEW), "--expect", str(plan))
    assert messages(changed, "KTP701") == [
        "the topology asks for something else than the one that the plan was made from"
    ]
    configure(cluster, "topics", "shop.old", add="retention.ms=3600000")
    changed = until_settled(lambda: preflight(DEPLOYED, "--expect", str(plan)), [("KTP701", "cluster")])
    assert messages(changed, "KTP701") == ["declared resources changed on the cluster since the plan was made"]
    configure(cluster, "topics", "shop.old", delete="retention.ms")
    until_settled(lambda: preflight(DEPLOYED, "--expect", str(plan)), [])


def test_every_planted_trouble_is_a_reason(cluster, preflight, tmp_path):
    def commit(text):
        (tmp_path / "topology.yaml").write_text(text)
        git(tmp_path, "commit", "--quiet", "--all", "--message", "deployed")
        return git(tmp_path, "rev-parse", "HEAD").strip()

    configure(cluster, "topics", "shop.orders", add="retention.ms=3600000")
    configure(cluster, "users", "shop-checkout", add="producer_byte_rate=5")
    refused = "  shop.tiered: {profile: event, partitions: 1, config: {remote.storage.enable: true}}\n"
    heavy = (
        "  shop.heavy: {profile: event, partitions: 1, throughput: {average: 1GB/s}, config: {retention.bytes: -1}}\n"
    )
    change = DEPLOYED.replace(OLD, refused + heavy) + QUIET
    with closing(Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "elsewhere"})) as reader:
        reader.subscribe(["shop.old"])
        while not reader.assignment():
            reader.poll(0.1)
        writer = Producer({"bootstrap.servers": cluster.bootstrap_servers})
        writer.produce("shop.old", b"kept")
        assert writer.flush(30) == 0
        wanted = [
            ("KTP101", "shop.tiered"),
            ("KTP201", "shop.old"),
            ("KTP301", "shop.orders"),
            ("KTP301", "user=shop-checkout"),
            ("KTP401", "cluster"),
        ]
        document = until_settled(preflight, wanted, change)
        assert "remote" in messages(document, "KTP101")[0].lower()
        assert "is being read by group 'elsewhere'" in messages(document, "KTP201")[0]
        assert "shop.orders: retention.ms is 1h on the cluster, and was deployed as 7d" in messages(document, "KTP301")
        assert len(messages(document, "KTP401")) == 3  # one for each broker
        # A change of what is read is told, and does not stop the deployment.
        warned = preflight(
            DEPLOYED.replace("shop.old: {profile: event, partitions: 1", "shop.old: {profile: event, partitions: 2")
        )
        assert messages(warned, "KTP202") == ["shop.old: partitions changes while group 'elsewhere' reads it"]
        # What may be deleted by force is deleted by force, but not in silence.
        forced = DEPLOYED.replace(OLD, OLD.replace("partitions: 1", "partitions: 1, deletion: force"))
        base = commit(forced)
        assert messages(preflight(DEPLOYED.replace(OLD, ""), base=("--base", base)), "KTP203") == [
            "shop.old is deleted by force, and group 'elsewhere' reads it and it holds up to 1 record"
        ]
    configure(cluster, "topics", "shop.orders", add="retention.ms=604800000")
    configure(cluster, "users", "shop-checkout", add="producer_byte_rate=1000000")
    until_settled(preflight, [])


def test_a_topic_that_is_empty_and_written_must_stay(cluster, preflight):
    """Nobody reads it and retention has emptied it, so only its writer shows that it is in use."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    config = {"min.insync.replicas": "2", "retention.bytes": "1000000"}
    admin.create_topics([NewTopic("shop.filled", 1, 3, config=config)])["shop.filled"].result(30)
    deployed = DEPLOYED.replace(OLD, f"{OLD}{OLD.replace('shop.old', 'shop.filled')}")
    preflight(deployed)
    git(Path.cwd(), "commit", "--quiet", "--all", "--message", "deployed")
    until_settled(preflight, [], DEPLOYED)
    writer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "enable.idempotence": True})
    writer.produce("shop.filled", b"gone", partition=0)
    assert writer.flush(30) == 0
    for future in admin.delete_records([TopicPartition("shop.filled", 0, 1)]).values():
        future.result(30)
    document = until_settled(preflight, [("KTP201", "shop.filled")], DEPLOYED)
    assert "'shop.filled' is empty and was just written, by producer" in messages(document, "KTP201")[0]
    admin.delete_topics(["shop.filled"])["shop.filled"].result(30)


def test_a_value_that_somebody_set_is_not_overwritten_silently(cluster, preflight):
    """The change declares a setting for the first time, and an operator has set it already."""
    configure(cluster, "topics", "shop.orders", add="max.message.bytes=5000000")
    change = DEPLOYED.replace(
        "shop.orders: {profile: event,", "shop.orders: {profile: event, config: {max.message.bytes: 2000000},"
    )
    assert change != DEPLOYED
    document = until_settled(preflight, [("KTP301", "shop.orders")], change)
    assert "max.message.bytes is 5MB on the cluster, and was deployed as not set" in messages(document, "KTP301")[0]
    configure(cluster, "topics", "shop.orders", delete="max.message.bytes")
    until_settled(preflight, [])


def test_missing_permissions_are_named(secure_kafka, preflight):
    admin = AdminClient({"bootstrap.servers": secure_kafka.bootstrap_servers})
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    for future in admin.alter_user_scram_credentials([Upsertion("deployer", info, b"hunter2")]).values():
        future.result(20)
    for name in ("mine.kept", "mine.gone"):
        admin.create_topics([NewTopic(name, 1, 1)])[name].result(20)
    grants = [
        *(
            allowed("User:deployer", each, "topic", "mine.", is_prefix=True)
            for each in ("Describe", "DescribeConfigs", "Create", "Read")
        ),
        allowed("User:deployer", "Describe", "cluster", "kafka-cluster"),
        allowed("User:deployer", "DescribeConfigs", "cluster", "kafka-cluster"),
    ]
    for future in admin.create_acls(grants).values():
        future.result(20)
    settings = secure_kafka.client_settings("SASL_SSL", user="app", mechanism="SCRAM-SHA-512")
    file = Path("client.properties")
    login = {**settings, "sasl.username": "deployer", "sasl.password": "hunter2"}
    file.write_text("".join(f"{name}={value}\n" for name, value in login.items()))
    text = (
        "version: 1\nownership: {topics: [mine.], principals: ['User:mine-']}\n"
        "cluster: {kafka: '4.1', brokers: 1}\nrules: {KT103: {severity: off}, KT102: {severity: off}}\n"
        "topics:\n  mine.kept: {owner: a, partitions: 1, replication: 1}\n"
    )
    gone = "  mine.gone: {owner: a, partitions: 1, replication: 1, deletion: allowed}\n"
    Path("topology.yaml").write_text(text + gone)
    git(Path.cwd(), "commit", "--quiet", "--all", "--message", "deployed")
    client = ("--client-config", str(file))
    change = text.replace("partitions: 1,", "partitions: 2,") + "quotas: [{user: mine-app, producerByteRate: 1KB/s}]\n"
    document = preflight(change, client=client)
    found = " ".join(messages(document, "KTP501"))
    assert "it needs Alter on the topic" in found
    assert "to delete it, the principal needs Delete on the topic" in found
    assert "needs AlterConfigs on the cluster" in found
    assert "hunter2" not in json.dumps(document)


def test_a_lost_broker_stops_the_deployment(cluster, preflight):
    """Last: the broker stays down."""
    cluster.kill(3)
    deadline = time.monotonic() + 90
    while ("KTA203", "shop.orders") not in reasons(document := preflight()):
        assert time.monotonic() < deadline, reasons(document)
    assert ("KTA501", "cluster") in reasons(document)
    assert "Isr: " in run(cluster, "kafka-topics", "--describe", "--under-replicated-partitions")
    health = next(each for each in document["steps"] if each["step"] == "health")
    assert health["answer"] == "no"
