"""An existing cluster, written down and taken over: Pulumi then has nothing to change, and an audit finds nothing."""

from __future__ import annotations

import json
import time
from collections import Counter
from uuid import uuid4

import pytest
from click.testing import CliRunner
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from kafka_tools import run as tool
from pulumi_project import PulumiProject

from kafka_topology.cli.main import main
from kafka_topology.topology import load

PROGRAM = "from kafka_topology.program.deploy import deploy\n\ndeploy()\n"


@pytest.fixture
def name():
    return f"found{uuid4().hex[:8]}"


def run(*arguments, code=0):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    return result


def all_done(futures):
    for future in futures.values():
        future.result(30)


def commit(admin, group, topic):
    """A broker that has not heard of a new topic yet refuses the offset, and is asked again."""
    deadline = time.monotonic() + 60
    while True:
        asked = ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 0, 0)])
        [done] = admin.alter_consumer_group_offsets([asked])[group].result(30).topic_partitions
        if done.error is None:
            return
        assert time.monotonic() < deadline, done.error
        time.sleep(0.1)


def make_by_hand(kafka, name):
    """What a cluster has when nobody declared it: topics alike and not, offsets, access, logins, limits."""
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    event = {"min.insync.replicas": "2", "retention.ms": "604800000", "max.message.bytes": "2097152"}
    topics = [NewTopic(f"{name}.event{number}", 2 + number, 3, config=event) for number in range(4)]
    topics.append(NewTopic(f"{name}.state", 3, 3, config={"cleanup.policy": "compact", "retention.ms": "-1"}))
    topics += [NewTopic(f"{name}.plain", 1, 1), NewTopic(f"other-{name}", 1, 1)]
    all_done(admin.create_topics(topics))
    for group, topic in (("readers", f"{name}.event0"), ("guests", f"other-{name}")):
        commit(admin, f"{name}.{group}", topic)
    allow, literal = AclPermissionType.ALLOW, ResourcePatternType.LITERAL
    rules = [
        (ResourceType.TOPIC, f"{name}.", ResourcePatternType.PREFIXED, "*", AclOperation.READ, allow),
        (ResourceType.TOPIC, f"{name}.", ResourcePatternType.PREFIXED, "*", AclOperation.DESCRIBE, allow),
        (ResourceType.GROUP, f"{name}.readers", literal, "*", AclOperation.READ, allow),
        (ResourceType.BROKER, "kafka-cluster", literal, "*", AclOperation.IDEMPOTENT_WRITE, allow),
        (ResourceType.TOPIC, "*", literal, "10.0.0.1", AclOperation.WRITE, AclPermissionType.DENY),
    ]
    bindings = [
        AclBinding(kind, of, pattern, f"User:{name}-app", host, operation, permission)
        for kind, of, pattern, host, operation, permission in rules
    ]
    all_done(admin.create_acls(bindings))
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 5000)
    all_done(admin.alter_user_scram_credentials([UserScramCredentialUpsertion(f"{name}-app", info, b"hunter2")]))
    limits = "producer_byte_rate=5000000,request_percentage=12.5"
    user = ("--entity-type", "users", "--entity-name", f"{name}-app")
    tool(kafka, "kafka-configs", "--alter", *user, "--add-config", limits)


def test_a_cluster_made_by_hand_is_taken_over_without_a_change(kafka, tmp_path, name, monkeypatch):
    make_by_hand(kafka, name)
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers, PROGRAM)
    monkeypatch.chdir(project.root)
    bootstrap = ("--bootstrap", kafka.bootstrap_servers)
    prefixes = ("--topics", f"{name}.", "--groups", f"{name}.", "--principals", f"User:{name}-")
    told = run("import", *bootstrap, *prefixes, "--output", "topology")
    files = {file.name: file.read_text() for file in (project.root / "topology").iterdir()}
    assert told.stdout.split() == [f"topology/{file}" for file in sorted(files, key=told.stdout.index)]
    assert "hunter2" not in "".join(files.values())

    # Tidy: what topics share is in a profile, and the formatter has nothing to do.
    run("fmt", "--check", "topology")
    run("validate", "topology")
    assert f"  {name}.event1: {{profile: event-7d-x3, partitions: 3}}\n" in files["topics.yaml"]
    assert "config: {max.message.bytes: 2MiB, min.insync.replicas: 2}\n" in files["cluster.yaml"]
    topology = load("topology").topology
    assert topology is not None
    assert topology.topics.keys() == {
        f"{name}.{topic}" for topic in ("plain", "state", *(f"event{n}" for n in range(4)))
    }
    assert topology.topics[f"{name}.state"].config == {"cleanup.policy": "compact", "retention.ms": "-1"}
    assert {group: found.topics for group, found in topology.consumer_groups.items()} == {
        f"{name}.readers": (f"{name}.event0",),
        f"{name}.guests": (f"other-{name}",),
    }
    assert len(topology.acls) == 4
    assert topology.users[f"{name}-app"].iterations == 5000

    # Nothing that exists is overwritten unawares.
    (project.root / "topology" / "topics.yaml").write_text("mine")
    assert "topics.yaml" in run("import", *bootstrap, *prefixes, "--output", "topology", code=2).stderr
    assert (project.root / "topology" / "topics.yaml").read_text() == "mine"
    run("import", *bootstrap, *prefixes, "--output", "topology", "--force")
    assert {file.name: file.read_text() for file in (project.root / "topology").iterdir()} == files

    secret = topology.users[f"{name}-app"].password_secret
    project.run("config", "set", "--secret", secret, "hunter2")
    provider = json.loads(files["pulumi-import.json"])["nameTable"]["kafka"]
    assert f"pulumi up --target {provider}" in told.stderr
    project.up("--target", provider)
    project.run("import", "--file", "topology/pulumi-import.json", "--generate-code=false", "--yes")
    project.run("preview", "--expect-no-changes")
    project.up("--expect-no-changes")
    project.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")
    kinds = Counter(each["type"] for each in json.loads(project.run("stack", "export"))["deployment"]["resources"])
    assert {kind.rpartition(":")[2]: count for kind, count in kinds.items() if ":index:" in kind} == {
        "Topic": 6, "ConsumerGroup": 2, "Access": 1, "User": 1, "Quota": 1,
    }  # fmt: skip

    # Nobody reads yet, and that is all that there is to say.
    document = json.loads(run("audit", "topology", *bootstrap, "--format", "json").stdout)
    assert {each["rule"] for each in document["findings"]} == {"KTA302"}
    assert document["couldNotCheck"] == []


def test_what_may_not_be_read_stops_the_import_unless_it_is_left_out(secure_kafka, tmp_path):
    client = tmp_path / "client.properties"
    settings = secure_kafka.client_settings("SASL_SSL", user="app")
    client.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    folder = tmp_path / "topology"
    said = run("import", "--client-config", client, "--output", folder, code=3).stderr
    for what in ("the ACLs", "the users", "the quotas"):
        assert f"could not read: reading {what}" in said, what
    assert not folder.exists()
    unreachable = run("import", "--bootstrap", "127.0.0.1:1", "--timeout", "5", "--output", folder, code=3)
    assert "Connection refused" in unreachable.stderr


def test_quotas_of_addresses_are_said_to_be_left_out(kafka, name, tmp_path):
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    admin.create_topics([NewTopic(name, 1, 1)])[name].result(30)
    quota = ("--add-config", "connection_creation_rate=500", "--entity-type", "ips", "--entity-name", "10.1.2.3")
    tool(kafka, "kafka-configs", "--alter", *quota)
    try:
        common = ("import", "--bootstrap", kafka.bootstrap_servers, "--topics", name, "--force", "--output", tmp_path)
        expected = "ip=10.1.2.3 (connection_creation_rate=500)"
        assert f"note: quota left out, because a file declares those of users and client ids only: {expected}" in (
            run(*common).stderr
        )
        assert expected in (tmp_path / "cluster.yaml").read_text()
        assert expected in json.loads(run(*common, "--format", "json").stdout)["notes"][-1]
    finally:
        tool(kafka, "kafka-configs", "--alter", "--delete-config", "connection_creation_rate", *quota[2:])
