"""A preflight asks for exactly the access that the deployment needs, also on topics that do not exist yet."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from acls import allowed
from confluent_kafka.admin import AdminClient, NewTopic, ScramCredentialInfo, ScramMechanism
from confluent_kafka.admin import UserScramCredentialUpsertion as Upsertion
from gitted import run as command
from troubles import configure

HEAD = """\
version: 1
cluster: {kafka: "4.1", brokers: 1}
ownership: {topics: [exact.], groups: [exact.]}
rules: {KT102: {severity: off}, KT103: {severity: off}}
"""
CREATED = """\
topics:
  exact.new: {owner: a, partitions: 1, replication: 1, key: {type: string}}
consumerGroups:
  exact.readers: {owner: a, topics: [exact.new], start: earliest, groupConfig: {consumer.session.timeout.ms: 50000}}
"""
UPDATED = """\
topics:
  exact.there: {owner: a, partitions: 1, replication: 1, deletion: %s, key: {type: string}}
"""
# docs/resources.md and docs/preflight.md, for topics and groups.
LEAST = {
    "topic": ("Describe", "DescribeConfigs", "Create", "Alter", "AlterConfigs", "Delete", "Read"),
    "group": ("Describe", "DescribeConfigs", "Read", "AlterConfigs", "Delete"),
    "cluster": ("Describe", "DescribeConfigs"),
}
# Who may alter may describe, too.
IMPLIED = {"DescribeConfigs": ("DescribeConfigs", "AlterConfigs")}


def without(resource, operation):
    gone = IMPLIED.get(operation, (operation,))
    return {
        kind: tuple(o for o in operations if kind != resource or o not in gone) for kind, operations in LEAST.items()
    }


@pytest.fixture(scope="module")
def login(secure_kafka, tmp_path_factory):
    """The client settings of a user with this access, and no more."""
    admin = AdminClient({"bootstrap.servers": secure_kafka.bootstrap_servers})
    admin.create_topics([NewTopic("exact.there", 1, 1)])["exact.there"].result(30)
    folder = tmp_path_factory.mktemp("logins")
    settings = secure_kafka.client_settings("SASL_SSL", user="app", mechanism="SCRAM-SHA-512")

    def made(user, granted):
        info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
        for future in admin.alter_user_scram_credentials([Upsertion(user, info, b"hunter2")]).values():
            future.result(30)
        rules = [
            allowed(
                f"User:{user}",
                operation,
                kind,
                "kafka-cluster" if kind == "cluster" else "exact.",
                is_prefix=kind != "cluster",
            )
            for kind, operations in granted.items()
            for operation in operations
        ]
        for future in admin.create_acls(rules).values():
            future.result(30)
        file = folder / f"{user}.properties"
        whole = {**settings, "sasl.username": user, "sasl.password": "hunter2"}
        file.write_text("".join(f"{name}={value}\n" for name, value in whole.items()))
        return file

    return made


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def preflight(client, text, state=None):
    Path("topology.yaml").write_text(HEAD + text)
    resources = {"deployment": {"resources": state or []}}
    Path("state.json").write_text(json.dumps(resources))
    done = command(
        "preflight", "topology.yaml", "--state", "state.json", "--client-config", str(client), "--format", "json"
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def missing(document):
    return [each["message"] for each in document["findings"] if each["rule"] == "KTP501"]


def until(wanted, ask):
    """Brokers apply ACLs and users a moment later."""
    deadline = time.monotonic() + 20
    while True:
        document = ask()
        if (document["answer"], missing(document)) == wanted:
            return document
        assert time.monotonic() < deadline, (document["answer"], missing(document), document["couldNotCheck"])


def test_the_documented_access_is_enough_without_any_on_kafkas_own_topics(login):
    client = login("exact-all", LEAST)
    document = until(("yes", []), lambda: preflight(client, CREATED))
    [advice] = [each for each in document["findings"] if each["rule"] == "KTP502"]
    assert (advice["severity"], "topics of Kafka's own" in advice["message"]) == ("advice", True)


@pytest.mark.parametrize(
    ("resource", "operation", "message"),
    [
        ("topic", "Read", "exact.readers: to create it, the principal needs Read on the topic exact.new"),
        ("topic", "DescribeConfigs", "exact.new: to create it, the principal needs DescribeConfigs on the topic"),
        ("group", "Read", "exact.readers: to create it, the principal needs Read on the group"),
        ("group", "AlterConfigs", "exact.readers: to create it, the principal needs AlterConfigs on the group"),
    ],
)
def test_what_a_creation_lacks_is_named(login, resource, operation, message):
    client = login(f"exact-no-{resource}-{operation}".lower(), without(resource, operation))
    until(("no", [message]), lambda: preflight(client, CREATED))


def test_what_a_change_does_not_need_is_not_asked_for(secure_kafka, login):
    """Neither for a property that is not Kafka's, nor for settings that a group of this name has already."""
    few = {"topic": ("Describe", "DescribeConfigs"), "group": (), "cluster": LEAST["cluster"]}
    inputs = {"name": "exact.there", "partitions": 1, "replication": 1, "deletion": "protected", "keyType": "string"}
    token = "kafka-topology:index:Topic"
    urn = f"urn:pulumi:dev::shop::{token}::exact.there"
    state = [{"urn": urn, "type": token, "id": "exact.there", "inputs": inputs, "outputs": inputs}]
    client = login("exact-few", few)
    document = until(("yes", []), lambda: preflight(client, UPDATED % "allowed", state))
    assert document["changes"] == {"update": 1}
    changed = (UPDATED % "protected").replace("partitions: 1", "partitions: 2, config: {retention.ms: 1d}")
    [refused, needed] = missing(preflight(client, changed, state))  # by the broker, and by us
    assert "adding partitions to topic 'exact.there'" in refused
    assert needed == "exact.there: to update it, the principal needs Alter, AlterConfigs on the topic"
    configure(secure_kafka, "groups", "exact.readers", add="consumer.session.timeout.ms=50000")
    client = login("exact-no-more", without("group", "AlterConfigs"))
    until(("yes", []), lambda: preflight(client, CREATED))
