"""An audit of real brokers: clean after `pulumi up`, exactly the planted drift, a lost broker, and no permission."""

from __future__ import annotations

import os
import signal
from collections import Counter
from contextlib import ExitStack, closing
from uuid import uuid4

import pytest
from auditing import all_done, audit, found, wait_until, wait_until_empty
from confluent_kafka import Consumer, ConsumerGroupState, KafkaException, Producer
from confluent_kafka import TopicPartition as OfConsumer
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)
from delivering import SureProducer
from kafka import KafkaAdminClient, TopicPartition
from pulumi_project import PulumiProject

from kafka_topology.cluster.cluster import Cluster
from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.live.access import Acl
from kafka_topology.cluster.live.groups import Committed
from kafka_topology.cluster.live.quotas import Entity, QuotaChange
from kafka_topology.cluster.live.users import Credential

PROGRAM = "from kafka_topology.program.deploy import deploy\n\ndeploy()\n"
CLUSTER = """\
cluster: {kafka: "4.1", brokers: 3, racks: [a, b, c], controllers: 3, defaults: {auto.create.topics.enable: false}}"""
TOPOLOGY = """\
version: 1
{cluster}
ownership: {{topics: [{n}.], groups: [{n}.], principals: ["User:{n}-"]}}
profiles:
  event: {{replication: 3, retention: 1d, deletion: force, config: {{min.insync.replicas: 2}}}}
topics:
  {n}.orders:
    profile: event
    owner: checkout
    partitions: 6
  {n}.gone:
    profile: event
    owner: checkout
    partitions: 1
  {n}.narrow:
    profile: event
    owner: checkout
    partitions: 36
  {n}.single:
    profile: event
    owner: checkout
    partitions: 1
producers:
  {n}-checkout: {{owner: checkout, principal: "User:{n}-checkout", topics: [{n}.orders]}}
consumerGroups:
  {n}.billing:
    owner: checkout
    principal: User:{n}-billing
    topics: [{n}.orders]
    start: earliest
    maxLag: 10
    config: &commits {{enable.auto.commit: false}}
  {n}.lost:
    owner: checkout
    topics: [{n}.orders]
    start: latest
    config: *commits
  {n}.crowd:
    owner: checkout
    topics: [{n}.single]
    start: earliest
    members: 1
    config: *commits
acls:
  - {{principal: "User:{n}-audit", topic: {n}., pattern: prefixed, operations: [Describe]}}
users:
  {n}-checkout: {{mechanism: SCRAM-SHA-512, password: {{secret: checkoutPassword}}, iterations: 8192}}
  {n}-billing: {{mechanism: SCRAM-SHA-256, password: {{secret: checkoutPassword}}}}
quotas:
  - {{user: {n}-checkout, producerByteRate: 5MB/s, requestPercentage: 50}}
"""


@pytest.fixture
def name():
    return f"audit{uuid4().hex[:8]}"


def reader(kafka, group, topic):
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": group, "enable.auto.commit": False})
    consumer.subscribe([topic])
    return consumer


def is_stable(admin, group, members):
    """Whether all of them have joined: a member that is still joining counts as one, but has no assignment."""
    found = admin.describe_consumer_groups([group])[group].result(30)
    return found.state is ConsumerGroupState.STABLE and len(found.members) == members


def plant(kafka, admin, name):
    """Drift of every kind that an audit of brokers that are up can find."""
    all_done(admin.delete_topics([f"{name}.gone", f"{name}.narrow"]))
    wait_until(lambda: not {f"{name}.gone", f"{name}.narrow"} & set(admin.list_topics(timeout=10).topics))
    led_by_one = [[1, 2]] * 36
    config = {"retention.ms": "86400000", "min.insync.replicas": "1", "segment.ms": "3600000"}
    recreated = NewTopic(f"{name}.narrow", 36, replica_assignment=led_by_one, config=config)
    all_done(admin.create_topics([recreated, NewTopic(f"{name}.stray", 1, 1)]))
    all_done(admin.create_partitions([NewPartitions(f"{name}.orders", 8)]))
    changed = ConfigEntry("retention.ms", "7200000", incremental_operation=AlterConfigOpType.SET)
    orders = ConfigResource(ResourceType.TOPIC, f"{name}.orders", incremental_configs=[changed])
    all_done(admin.incremental_alter_configs([orders]))

    # It must hear of the new partitions soon, even if the first broker that it asked had not.
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "topic.metadata.refresh.interval.ms": 500})
    for partition in range(8):
        for _ in range(3):
            wait_until(lambda at=partition: _produced(producer, f"{name}.orders", at))

    cluster = Cluster(client_only({"bootstrap.servers": kafka.bootstrap_servers}, 30))
    assert cluster.groups.delete_groups([f"{name}.lost"]) == {f"{name}.lost": None}
    assert cluster.groups.commit({f"{name}.stray": {(f"{name}.single", 0): Committed(0)}}) == {f"{name}.stray": {}}
    access, users, quotas = cluster.security.access, cluster.security.users, cluster.security.quotas
    granted = [
        Acl(f"User:{name}-stranger", "topic", "elsewhere", "Read"),
        Acl("User:outsider", "topic", f"{name}.orders", "Write"),
        Acl("User:outsider", "topic", name, "Read", "prefixed"),
    ]
    answers = [
        access.delete_acls([Acl(f"User:{name}-checkout", "topic", f"{name}.orders", "Write")]),
        access.create_acls(granted),
        users.delete_credentials({f"{name}-billing": "SCRAM-SHA-256"}),
        users.set_credentials(
            [
                Credential(f"{name}-checkout", "SCRAM-SHA-512", 4096, "other"),
                Credential(f"{name}-stray", "SCRAM-SHA-256", 4096, "other"),
            ]
        ),
        quotas.alter_quotas(
            {
                Entity(f"{name}-checkout"): QuotaChange({"producer_byte_rate": 1000.0, "consumer_byte_rate": 7.0}),
                Entity(f"{name}-stray"): QuotaChange({"request_percentage": 5.0}),
            }
        ),
    ]
    assert [set(answer.values()) for answer in answers] == [{None}] * len(answers)


def displace_leader(kafka, admin, topic):
    """Make the leader of a partition not its preferred one; Kafka itself undoes that every five minutes."""
    placed = admin.list_topics(topic, timeout=10).topics[topic].partitions[0]
    if placed.leader != placed.replicas[0]:
        return
    first, *others = placed.replicas
    with closing(KafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers)) as client:
        client.alter_partition_reassignments({TopicPartition(topic, 0): [*others, first]})


def _produced(producer, topic, partition):
    """Whether the record was delivered: a broker that has not heard of the new partitions refuses it, or does not."""
    failed = []
    try:
        producer.produce(topic, b"x", partition=partition, on_delivery=lambda error, _: failed.append(error))
    except KafkaException:  # the client has not heard of the partition
        producer.poll(0.1)
        return False
    assert producer.flush(30) == 0
    return failed == [None]


def test_clean_after_up_and_then_exactly_the_planted_drift(kafka, admin, tmp_path, name):
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers, PROGRAM)
    file = project.root / "topology" / "topology.yaml"
    file.parent.mkdir()
    file.write_text(TOPOLOGY.format(n=name, cluster=CLUSTER))
    project.run("config", "set", "--secret", "checkoutPassword", "hunter2")
    project.up()
    bootstrap = ("--bootstrap", kafka.bootstrap_servers)

    with ExitStack() as readers:
        # Groups that have nothing to read yet are reported as advice, and not when somebody reads.
        code, document = audit(file, *bootstrap)
        groups = [f"{name}.{group}" for group in ("billing", "lost", "crowd")]
        assert found(document) == Counter({("KTA302", group): 1 for group in groups})
        assert (code, document["couldNotCheck"], document["summary"]["advice"]) == (0, [], 3)
        first = [
            readers.enter_context(closing(reader(kafka, group, topic)))
            for group, topic in zip(groups, (f"{name}.orders", f"{name}.orders", f"{name}.single"), strict=True)
        ]
        wait_until(lambda: [each.poll(0.1) for each in first] and all(each.assignment() for each in first))
        code, document = audit(file, *bootstrap)
        assert (code, found(document)) == (0, Counter())

        for each in first[:2]:
            each.close()
        readers.enter_context(closing(second := reader(kafka, f"{name}.crowd", f"{name}.single")))
        crowd = (first[2], second)
        wait_until(lambda: [each.poll(0.1) for each in crowd] and is_stable(admin, f"{name}.crowd", members=2))
        plant(kafka, admin, name)
        wrong = CLUSTER.replace("brokers: 3", "brokers: 4").replace("a, b, c", "a, b, d").replace(": 3,", ": 5,")
        file.write_text(TOPOLOGY.format(n=name, cluster=wrong.replace("enable: false", "enable: true")))

        by_resource = {
            f"{name}.gone": "101",
            f"{name}.orders": "102 104 403",
            f"{name}.narrow": "103 104 105",
            f"{name}.stray": "106 308",
            "cluster": "206 207 501 502 503 504",
            f"{name}.lost": "301",
            f"{name}.billing": "302 303 304",
            f"{name}.crowd": "305 306",
            f"User:{name}-checkout": "401",
            f"User:{name}-stranger": "402",
            "User:outsider": "402",
            f"{name}-billing": "411",
            f"{name}-checkout": "412",
            f"{name}-stray": "413",
            f"user={name}-checkout": "421 422",
            f"user={name}-stray": "422",
        }
        planted = Counter((f"KTA{number}", of) for of, numbers in by_resource.items() for number in numbers.split())

        def difference():
            """What the audit reports besides what was planted, or misses of it. Members that do not poll may leave."""
            displace_leader(kafka, admin, f"{name}.single")
            for each in crowd:
                each.poll(0)
            result = audit(file, *bootstrap)
            reported = found(result[1])
            return reported - planted, planted - reported, *result

        # Brokers learn of what was planted one after the other.
        *_, code, document = wait_until_empty(difference)
    assert (code, document["couldNotCheck"]) == (1, [])
    by_rule = {(each["rule"], each["resource"]): each for each in document["findings"]}
    retention = by_rule["KTA104", f"{name}.orders"]
    assert (retention["evidence"]["expected"], retention["evidence"]["actual"]) == ("86400000", "7200000")
    assert (retention["location"]["line"], retention["related"][0]["location"]["line"]) == (5, 7)
    assert by_rule["KTA102", f"{name}.orders"]["location"]["line"] == 10
    lag = by_rule["KTA304", f"{name}.billing"]
    assert (lag["evidence"]["actual"], lag["location"]["line"]) == (24, 31)  # in new partitions, too
    assert {each["group"]: each["lag"] for each in document["live"]["groups"]}[f"{name}.billing"] == 24
    assert [each["up"] for each in document["live"]["brokers"]] == [True, True, True]


def test_a_lost_broker_shows_in_what_is_in_sync_and_who_leads(kafka, admin, tmp_path, name):
    file = tmp_path / "topology.yaml"
    file.write_text(
        f'version: 1\ncluster: {{kafka: "4.1", brokers: 3, racks: [a, b, c]}}\ntopics:\n'
        f"  {name}.safe: {{partitions: 1, replication: 3, config: {{min.insync.replicas: 1}}}}\n"
        f"  {name}.tight: {{partitions: 1, replication: 3, config: {{min.insync.replicas: 2}}}}\n"
        f"  {name}.stuck: {{partitions: 1, replication: 3, config: {{min.insync.replicas: 3}}}}\n"
        f"  {name}.only: {{partitions: 1, replication: 1}}\n"
    )
    made = {
        "safe": ([[2, 1, 3]], "1"), "tight": ([[2, 1, 3]], "2"), "stuck": ([[1, 2, 3]], "3"), "only": ([[2]], None),
    }  # fmt: skip
    topics = [
        NewTopic(f"{name}.{topic}", 1, replica_assignment=at, config={"min.insync.replicas": least} if least else {})
        for topic, (at, least) in made.items()
    ]
    all_done(admin.create_topics(topics))
    bootstrap = ("--bootstrap", kafka.bootstrap_servers)
    wait_until(lambda: audit(file, *bootstrap)[0] == 0)
    assert found(audit(file, *bootstrap)[1]) == Counter()
    pid = {broker.id: broker.pid for broker in kafka.status().brokers}[2]
    assert pid
    os.kill(pid, signal.SIGKILL)
    try:
        wait_until(lambda: ("KTA501", "cluster") in found(audit(file, *bootstrap)[1]))
        missing = {"KTA201", "KTA202", "KTA203", "KTA204", "KTA206", "KTA501", "KTA512"}

        def once_all_show():
            seen = audit(file, *bootstrap)
            return seen if missing <= {rule for rule, _ in found(seen[1])} else None

        code, document = wait_until(once_all_show)
    finally:
        kafka.start()
    assert (code, document["couldNotCheck"]) == (1, [])
    # Kafka's own topics lose replicas, too: those that other tests have made it create.
    assert Counter({each: n for each, n in found(document).items() if each[0] != "KTA213"}) == Counter(
        {
            ("KTA512", "cluster"): 1,
            ("KTA201", f"{name}.only"): 1,
            ("KTA202", f"{name}.stuck"): 1,
            ("KTA203", f"{name}.tight"): 1,
            ("KTA204", f"{name}.safe"): 1,
            ("KTA206", "cluster"): 1,
            ("KTA501", "cluster"): 1,
        }
    )
    tight = next(each for each in document["findings"] if each["rule"] == "KTA203")
    assert tight["message"] == f"{name}.tight: 1 partition (0) with 2 of 3 replicas in sync; expected more than 2"
    assert tight["fix"] == "look at broker 2"
    assert {each["broker"]: each["up"] for each in document["live"]["brokers"]} == {1: True, 2: False, 3: True}


def test_what_may_not_be_read_is_said_and_the_rest_is_reported(secure_kafka, tmp_path, name):
    """The user `app` has no access until some is given."""
    file, client = tmp_path / "topology.yaml", tmp_path / "client.properties"
    file.write_text(
        f"version: 1\nownership: {{topics: [{name}.], principals: ['User:{name}-']}}\n"
        f"topics:\n  {name}.seen: {{partitions: 2, replication: 1}}\n"
        f"  {name}.hidden: {{partitions: 2, replication: 1}}\n"
        f"consumerGroups:\n  {name}.readers: {{topics: [{name}.seen], principal: 'User:{name}-readers', maxLag: 2,"
        " groupConfig: {consumer.session.timeout.ms: 50s}}\n"
        f"quotas:\n  - {{user: {name}-readers, consumerByteRate: 1MB/s}}\n"
    )
    settings = secure_kafka.client_settings("SASL_SSL", user="app")
    client.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    as_app = ("--client-config", str(client))
    admin = AdminClient({"bootstrap.servers": secure_kafka.bootstrap_servers})
    all_done(admin.create_topics([NewTopic(f"{name}.{topic}", 1, 1) for topic in ("seen", "hidden")]))

    code, document = audit(file, *as_app)
    said = "\n".join(document["couldNotCheck"])
    assert (code, document["findings"]) == (3, [])
    assert f"reading 2 topics ({name}.hidden, {name}.seen): the provider's principal may not do this" in said
    for what in ("group", "the ACLs", "the users", "the quotas"):
        assert what in said, what
    for what in ("the ACLs", "the users", "the quotas"):  # denied, not "no answer in time"
        assert f"reading {what}: the provider's principal may not do this" in said, what
    assert settings["sasl.password"] not in said

    grants = [
        AclBinding(ResourceType.TOPIC, f"{name}.seen", ResourcePatternType.LITERAL, "User:app", "*", operation, allow)
        for operation in (AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS)
        for allow in (AclPermissionType.ALLOW,)
    ]
    all_done(admin.create_acls(grants))
    code, document = wait_until(lambda: seen if (seen := audit(file, *as_app))[0] == 1 else None)
    assert found(document) == Counter({("KTA102", f"{name}.seen"): 1})

    # Without DescribeConfigs on the group, its lag is judged, and only its settings could not be checked.
    client_of = {"bootstrap.servers": secure_kafka.bootstrap_servers}
    producer = SureProducer(client_of)
    for _ in range(5):
        producer.produce(f"{name}.seen", b"x", partition=0)
    producer.flush(30)
    with closing(Consumer({**client_of, "group.id": f"{name}.readers", "enable.auto.commit": False})) as consumer:
        consumer.commit(offsets=[OfConsumer(f"{name}.seen", 0, 0)], asynchronous=False)
    describe = ("User:app", "*", AclOperation.DESCRIBE, AclPermissionType.ALLOW)
    all_done(
        admin.create_acls([AclBinding(ResourceType.GROUP, f"{name}.readers", ResourcePatternType.LITERAL, *describe)])
    )
    both = Counter({("KTA102", f"{name}.seen"): 1, ("KTA304", f"{name}.readers"): 1})
    code, document = wait_until(lambda: seen if found((seen := audit(file, *as_app))[1]) == both else None)
    [said] = [reason for reason in document["couldNotCheck"] if f"{name}.readers" in reason]
    assert said.startswith(f"reading the config of group '{name}.readers': the provider's principal may not do this")
    assert any(f"{name}.hidden" in reason for reason in document["couldNotCheck"])
    assert audit(file, *as_app, "--format", "text=" + str(tmp_path / "text"))[0] == 1
    assert "could not check: " in (tmp_path / "text").read_text()

    code, document = audit(file, "--bootstrap", "127.0.0.1:1", "--timeout", "5")
    assert (code, document["findings"]) == (3, [])
    assert "Connection refused" in document["couldNotCheck"][0]
