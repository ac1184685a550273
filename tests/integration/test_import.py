"""An existing cluster, written down and taken over: Pulumi then has nothing to change, and an audit finds nothing."""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import closing, suppress
from uuid import uuid4

import pytest
from click.testing import CliRunner
from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
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
from kafka import KafkaAdminClient, OffsetAndMetadata
from kafka import TopicPartition as KafkaPartition
from kafka_tools import run as tool
from pulumi_project import PulumiProject

from kafka_topology.cli.main import main
from kafka_topology.local import LocalCluster
from kafka_topology.toolchain.bundles import chosen_kafka
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

    # The offsets were committed without members, as consumers do that assign their partitions themselves.
    document = json.loads(run("audit", "topology", *bootstrap, "--format", "json").stdout)
    assert document["findings"] == []
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


def wait_until_fenced(admin, broker):
    deadline = time.monotonic() + 90
    known = {broker}
    while broker in known:
        assert time.monotonic() < deadline, known
        with suppress(KafkaException):  # it may have asked the broker that is down
            known = {*admin.list_topics(timeout=5).brokers}


def make_oddities(cluster):
    """What Kafka accepts and a file cannot hold, and a topic whose partitions have one to three replicas."""
    with closing(KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)) as client:
        moved = {KafkaPartition("uneven", 0): [1], KafkaPartition("uneven", 1): [1, 2]}
        client.alter_partition_reassignments(moved)
        client.alter_group_offsets("", {KafkaPartition("sensor.heartbeat", 0): OffsetAndMetadata(0, "", -1)})
    setting = ("--add-config", "consumer.session.timeout.ms=50000", "--entity-type", "groups")
    tool(cluster, "kafka-configs", "--alter", *setting, "--entity-name", "only-settings")
    tool(cluster, "kafka-acls", "--add", "--allow-principal", "User:", "--operation", "Read", "--topic", "uneven")


def test_a_cluster_with_applications_and_a_broker_that_is_down(tmp_path):
    """Names that PyYAML would write as `? name`, topics that belong to applications, and one of three brokers down."""
    with LocalCluster(tmp_path / "data", brokers=3, delete_on_exit=True) as cluster:
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
        long = "long." + "x" * 244
        trio = [
            NewTopic(f"connect-{part}", count, 3) for part, count in (("configs", 1), ("offsets", 2), ("status", 2))
        ]
        theirs = [NewTopic("fraud-by-card-changelog", 2, 3), NewTopic("_schemas", 1, 3), *trio]
        theirs.append(NewTopic("__amazon_msk_canary", 1, 3))
        ours = [NewTopic(long, 2, 3), NewTopic("audit-changelog", 1, 3), NewTopic("sensor.heartbeat", 1, 3)]
        ours += [NewTopic("__shop", 1, 3), NewTopic("uneven", 3, 3)]
        all_done(admin.create_topics([*theirs, *ours]))
        commit(admin, "fraud", long)
        commit(admin, "fraud", "fraud-by-card-changelog")
        commit(admin, "g" * 200, long)
        commit(admin, "a${each}b", long)
        make_oddities(cluster)
        cluster.kill(3)
        wait_until_fenced(admin, 3)
        common = ("import", "--bootstrap", cluster.bootstrap_servers, "--output")
        connect = ", ".join(topic.topic for topic in trio)
        notes = json.loads(run(*common, tmp_path / "found", "--format", "json").stdout)["notes"]
        topology = load(tmp_path / "found").topology
        assert topology is not None
        assert {*topology.topics} == {topic.topic for topic in ours}
        assert {name: group.topics for name, group in topology.consumer_groups.items()} == {
            "fraud": (long,), "g" * 200: (long,),
        }  # fmt: skip
        assert [broker.id for broker in topology.cluster.brokers or ()] == [1, 2, 3]
        assert topology.topics["uneven"].replication == 3
        assert topology.cluster.kafka == chosen_kafka().rpartition(".")[0]
        placeholder = "its name has a part that files take for a placeholder, `${each`"
        assert notes == [
            "group '' left out, because its name is empty",
            f"group 'a${{each}}b' left out, because {placeholder}",
            ("ACL left out, because its principal has no type or no name: \"allow Read on topic 'uneven'\" of 'User:'"),
            (
                "topics written with the highest replication of their partitions, so `pulumi up` adds replicas: "
                "uneven (1 to 3)"
            ),
            (
                "groups left out, because they have committed no offsets, so nothing says what they read: "
                "only-settings (consumer.session.timeout.ms=50000)"
            ),
            "topics left out, because Amazon MSK creates and changes them: __amazon_msk_canary",
            "topics left out, because a schema registry creates and changes them: _schemas",
            f"topics left out, because Kafka Connect creates and changes them: {connect}",
            "topics left out, because the Streams application fraud creates and changes them: fraud-by-card-changelog",
            "brokers that do not run are counted, so check whether they still belong to the cluster: 3",
        ]
        run(*common, tmp_path / "every", "--of-applications")
        every = load(tmp_path / "every").topology
        assert every is not None
        assert {*every.topics} == {topic.topic for topic in (*theirs, *ours)}
