"""What somebody changed by hand on a real cluster is a reason, also where the deployment changes the same resource."""

from __future__ import annotations

import json
import time

import pytest
from acls import allowed
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from gitted import git
from gitted import run as command
from kafka_tools import run
from promised import promised
from troubles import configure

DEPLOYED = """\
version: 1
cluster: {kafka: "4.1", brokers: 1}
ownership: {topics: [drift.], groups: [drift.], principals: ["User:drift-"]}
rules: {KT102: {severity: off}, KT103: {severity: off}}
topics:
  drift.orders: {owner: a, partitions: 2, replication: 1, key: {type: string}}
consumerGroups:
  drift.readers: {owner: a, topics: [drift.orders], start: earliest, groupConfig: {consumer.session.timeout.ms: 50000}}
  drift.later: {owner: a, topics: [drift.orders]}
users:
  drift-app: {mechanism: SCRAM-SHA-512, password: {secret: app}, iterations: 8192}
quotas:
  - {user: drift-app, producerByteRate: 5MB/s}
acls:
  - {principal: "User:drift-app", topic: drift.orders, operations: [Read, Describe]}
"""


@pytest.fixture(scope="module")
def deployed(secure_kafka):
    """The cluster as DEPLOYED says, made by hand, with tools to change and restore it."""
    admin = AdminClient({"bootstrap.servers": secure_kafka.bootstrap_servers})
    admin.create_topics([NewTopic("drift.orders", 2, 1)])["drift.orders"].result(30)
    commit(admin)
    configure(secure_kafka, "groups", "drift.readers", add="consumer.session.timeout.ms=50000")
    configure(secure_kafka, "users", "drift-app", add="producer_byte_rate=5000000")
    configure(secure_kafka, "users", "drift-app", add="SCRAM-SHA-512=[iterations=8192,password=hunter2]")
    rules = [allowed("User:drift-app", each, "topic", "drift.orders") for each in ("Read", "Describe")]
    for future in admin.create_acls(rules).values():
        future.result(30)
    return secure_kafka, admin


def commit(admin):
    start = [TopicPartition("drift.orders", number, 0) for number in (0, 1)]
    admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions("drift.readers", start)])["drift.readers"].result(
        30
    )


@pytest.fixture
def preflight(deployed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "--quiet")
    (tmp_path / "topology.yaml").write_text(DEPLOYED)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "--quiet", "--message", "deployed")

    def asked(text=DEPLOYED, base=("--base", "HEAD")):
        (tmp_path / "topology.yaml").write_text(text)
        where = ("--bootstrap", deployed[0].bootstrap_servers, "--timeout", "20", "--format", "json")
        done = command("preflight", "topology.yaml", *base, *where)
        assert done.stdout, done.stderr
        document = json.loads(done.stdout)
        promised("preflight").validate(document)
        return document

    return asked


def drift(document):
    return sorted(each["message"] for each in document["findings"] if each["rule"] == "KTP301")


def said(document, step="drift"):
    return next(each["said"] for each in document["steps"] if each["step"] == step)


def until(wanted, ask):
    deadline = time.monotonic() + 30
    while drift(document := ask()) != wanted:
        assert time.monotonic() < deadline, (drift(document), document["couldNotCheck"])
    return document


def changed(old, new):
    assert old in DEPLOYED
    return DEPLOYED.replace(old, new)


def test_a_clean_cluster_has_no_drift_and_passwords_are_said_not_to_be_compared(preflight):
    """A group that nobody has joined and that declares no start is no drift either."""
    document = until([], preflight)
    assert (document["answer"], document["couldNotCheck"]) == ("yes", [])
    assert said(document) == "6 deployed resources as deployed; Kafka shows no passwords: 1 user compared without"


def test_a_quota_that_the_change_touches_is_compared(deployed, preflight):
    configure(deployed[0], "users", "drift-app", add="producer_byte_rate=99,consumer_byte_rate=77")
    change = changed("producerByteRate: 5MB/s", "producerByteRate: 5MB/s, consumerByteRate: 6MB/s")
    document = until(
        [
            "user drift-app: consumerByteRate is 77 on the cluster, and was deployed as not set",
            "user drift-app: producerByteRate is 99 on the cluster, and was deployed as 5,000,000",
        ],
        lambda: preflight(change),
    )
    assert document["answer"] == "no"
    [line] = {each["location"]["line"] for each in document["findings"] if each["rule"] == "KTP301"}
    assert "producerByteRate" in DEPLOYED.splitlines()[line - 1]
    configure(deployed[0], "users", "drift-app", add="producer_byte_rate=5000000")
    configure(deployed[0], "users", "drift-app", delete="consumer_byte_rate")
    until([], lambda: preflight(change))


def test_access_that_the_change_touches_is_compared(deployed, preflight):
    cluster, admin = deployed
    gone = allowed("User:drift-app", "Read", "topic", "drift.orders")
    run(cluster, "kafka-acls", "--remove", "--force", "--allow-principal", "User:drift-app", "--operation", "Read",
        "--topic", "drift.orders")  # fmt: skip
    change = changed("operations: [Read, Describe]", "operations: [Read, Describe, Write]")
    wanted = "User:drift-app: allow Read on topic 'drift.orders' is not set on the cluster, and was deployed as set"
    assert until([wanted], lambda: preflight(change))["answer"] == "no"
    admin.create_acls([gone])[gone].result(30)
    until([], lambda: preflight(change))


def test_a_group_and_a_user_that_the_change_touches_are_compared(deployed, preflight):
    cluster = deployed[0]
    configure(cluster, "groups", "drift.readers", add="consumer.session.timeout.ms=47000")
    configure(cluster, "users", "drift-app", add="SCRAM-SHA-512=[iterations=4096,password=other]")
    change = changed("consumer.session.timeout.ms: 50000", "consumer.session.timeout.ms: 51000").replace("8192", "9000")
    document = until(
        [
            "drift-app: iterations is 4,096 on the cluster, and was deployed as 8,192",
            "drift.readers: consumer.session.timeout.ms is 47s on the cluster, and was deployed as 50s",
        ],
        lambda: preflight(change),
    )
    assert document["changes"] == {"update": 2}
    configure(cluster, "groups", "drift.readers", add="consumer.session.timeout.ms=50000")
    configure(cluster, "users", "drift-app", add="SCRAM-SHA-512=[iterations=8192,password=hunter2]")
    until([], lambda: preflight(change))


def test_offsets_that_somebody_deleted_or_moved_back(deployed, preflight, tmp_path):
    """The group's settings stay when its offsets are deleted, so it still exists for Kafka."""
    cluster, admin = deployed
    run(cluster, "kafka-consumer-groups", "--delete", "--group", "drift.readers")
    lost = "drift.readers: its offsets of 2 partitions are gone (drift.orders-0, drift.orders-1)"
    assert until([lost], preflight)["answer"] == "no"
    commit(admin)
    until([], preflight)

    def resource(kind, name, inputs, **outputs):
        token = f"kafka-topology:index:{kind}"
        urn = f"urn:pulumi:dev::shop::{token}::{name}"
        return {"urn": urn, "type": token, "id": name, "inputs": inputs, "outputs": {**inputs, **outputs}}

    group = {"name": "drift.readers", "topics": ["drift.orders"], "start": "earliest", "deletion": "protected"}
    group["config"] = {"consumer.session.timeout.ms": "50000"}
    offsets = {"drift.orders-0": 12, "drift.orders-1": 0, "drift.gone-0": 3}
    state = {"deployment": {"resources": [resource("ConsumerGroup", "drift.readers", group, offsets=offsets)]}}
    (tmp_path / "state.json").write_text(json.dumps(state))
    back = "drift.readers: its offsets went back since it was deployed (drift.orders-0 from 12 to 0)"
    assert drift(preflight(base=("--state", "state.json"))) == [back]


def test_what_is_removed_is_shown_where_the_files_lost_it(preflight):
    """A state has no lines, and then the message says that no line shows it."""
    later = DEPLOYED[DEPLOYED.index("  drift.later") : DEPLOYED.index("users:")]
    [kept] = [each for each in preflight(changed(later, ""))["findings"] if each["rule"] == "KTP201"]
    line = changed(later, "").splitlines()[kept["location"]["line"] - 1]
    assert (line, "no line shows it" in kept["message"]) == ("users:", False), kept


def test_one_sentence_says_how_many_deletions_are_too_many(deployed, preflight, tmp_path, monkeypatch):
    names = [f"drift.many{number:02}" for number in range(13)]
    topics = "".join(
        f"  {name}: {{owner: a, partitions: 1, replication: 1, deletion: allowed, key: {{type: string}}}}\n"
        for name in names
    )
    with_many = changed("consumerGroups:\n", f"{topics}consumerGroups:\n")
    (tmp_path / "topology.yaml").write_text(with_many)
    git(tmp_path, "commit", "--quiet", "--all", "--message", "many")
    for future in deployed[1].create_topics([NewTopic(name, 1, 1) for name in names]).values():
        future.result(30)
    document = preflight()
    messages = [each["message"] for each in document["findings"] if each["rule"] == "KTP201"]
    assert messages == [
        "this deployment would delete 13 resources, and maxDeletes is 10: pulumi up deletes that many and then fails"
    ]
    assert said(document, "removals") == "13 resources to delete, 0 of them must stay, at most 10 in one run"
    for future in deployed[1].delete_topics(names).values():
        future.result(30)
