"""The access in docs/resources.md is enough for the provider's principal, and errors name missing access."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import grpc
import pytest
from acls import allowed
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import (
    AclOperation,
    AdminClient,
    NewTopic,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from grpc_engine import GROUP, SHARE_GROUP, TOPIC, detail, provider
from kafka_tools import Seen, everything_seen
from pulumi_project import SINGLE_REPLICAS, PulumiProject
from sharing import turn_sharing_on

from kafka_topology.provider.plugin.properties import Secret
from kafka_topology.provider.plugin.property_codec import encode
from kafka_topology.provider.plugin.protocol import provider_pb2

ACCESS, USER, QUOTA = (f"kafka-topology:index:{kind}" for kind in ("Access", "User", "Quota"))
DOCS = Path(__file__).parents[3] / "docs" / "resources.md"
PASSWORD = "hunter2-deployer"
PROGRAM = """\
import os
import pulumi
from kafka_topology import sdk

name, changed = os.environ["NAME"], "CHANGED" in os.environ
topic = sdk.Topic(name, partitions=2 if changed else 1, replication=1, deletion="allowed",
                  config={"retention.ms": "60000"} if changed else {})
sdk.ConsumerGroup(name, topics=[topic.name], start="earliest", deletion="allowed",
                  config={"consumer.session.timeout.ms": "50000"} if changed else {})
sdk.ShareGroup(f"{name}-shared", topics=[topic.name], deletion="allowed",
               config={"share.session.timeout.ms": "50000" if changed else "49000"})
sdk.Access(f"User:{name}", rules=[sdk.AccessRuleArgs(
    resource="topic", name=name, operations=["Read"] if changed else ["Read", "Write"])])
sdk.User(name, mechanism="SCRAM-SHA-512", iterations=8192 if changed else 4096, password="hunter2-made")
sdk.Quota(name, user=name, producer_byte_rate=2000 if changed else 1000)
"""


def documented():
    """Operations by resource, from the table in the docs."""
    section = DOCS.read_text().split("## Least privilege")[1].split("\n## ")[0]
    needed = {"cluster": set(), "topic": set(), "group": set()}
    for line in section.splitlines():
        if line.startswith("| `"):
            _, *columns = line.strip("|").split("|")
            for operations, column in zip(needed.values(), columns, strict=True):
                operations |= set(re.findall(r"[A-Z]\w+", column))
    assert all(needed.values())
    return needed


# Kafka's authorizer lets who may do the one do the other.
IMPLIES = {"Describe": {"Read", "Write", "Delete", "Alter"}, "DescribeConfigs": {"AlterConfigs"}}


def without(resource, operation):
    return {
        kind: {o for o in operations if kind != resource or o not in {operation, *IMPLIES.get(operation, ())}}
        for kind, operations in documented().items()
    }


@dataclass(frozen=True)
class MissingAccess:
    """One operation that is not granted, a call that needs it, and the words of the error."""

    resource: str
    operation: str
    kind: str
    call: str
    words: str

    def __str__(self):
        return f"{self.kind.split(':')[-1]} {self.call} without {self.operation} on {self.resource}"


MISSING_ACCESS = [
    MissingAccess("topic", "Describe", TOPIC, "read", "Describe on the topic"),
    MissingAccess("topic", "Describe", TOPIC, "read many", "Describe on the topic"),
    MissingAccess("topic", "DescribeConfigs", TOPIC, "read", "DescribeConfigs on the topic"),
    MissingAccess("topic", "Create", TOPIC, "create", "Create on the topic"),
    MissingAccess("topic", "Alter", TOPIC, "update", "Alter on the topic"),
    MissingAccess("topic", "AlterConfigs", TOPIC, "update", "AlterConfigs on the topic"),
    MissingAccess("topic", "Delete", TOPIC, "delete", "Delete on the topic"),
    MissingAccess("topic", "Read", TOPIC, "delete", "Read on the topic"),
    MissingAccess("cluster", "Describe", TOPIC, "delete", "Describe on the cluster"),
    MissingAccess("group", "Describe", GROUP, "read", "Describe on the group"),
    MissingAccess("group", "DescribeConfigs", GROUP, "read", "DescribeConfigs on the group"),
    MissingAccess("group", "Read", GROUP, "create", "Read on the group"),
    MissingAccess("topic", "Read", GROUP, "create", "Read on the group and on its topics"),
    MissingAccess("group", "AlterConfigs", GROUP, "create", "AlterConfigs on the group"),
    MissingAccess("group", "Delete", GROUP, "delete", "Delete on the group"),
    MissingAccess("group", "Describe", SHARE_GROUP, "read", "Describe on the group"),
    MissingAccess("group", "DescribeConfigs", SHARE_GROUP, "read", "DescribeConfigs on the group"),
    MissingAccess("group", "AlterConfigs", SHARE_GROUP, "create", "AlterConfigs on the group"),
    MissingAccess("cluster", "Describe", ACCESS, "read", "Describe for access and users"),
    MissingAccess("cluster", "Alter", ACCESS, "create", "to change them Alter"),
    MissingAccess("cluster", "Describe", USER, "read", "Describe for access and users"),
    MissingAccess("cluster", "Alter", USER, "create", "to change them Alter"),
    MissingAccess("cluster", "DescribeConfigs", QUOTA, "read", "DescribeConfigs for quotas"),
    MissingAccess("cluster", "AlterConfigs", QUOTA, "create", "to change them Alter and AlterConfigs"),
]


def bindings(user, prefix, granted):
    for resource, operations in granted.items():
        on_cluster = resource == "cluster"
        name = "kafka-cluster" if on_cluster else prefix
        for operation in sorted(operations):
            yield allowed(f"User:{user}", operation, resource, name, is_prefix=not on_cluster)


@pytest.fixture(scope="module")
def prefix(secure_kafka):
    """The users, each with its access, and one topic and group that are there; all begin so."""
    prefix = f"least-{uuid4().hex[:8]}"
    turn_sharing_on(secure_kafka)
    admin = AdminClient({"bootstrap.servers": secure_kafka.bootstrap_servers})
    admin.create_topics([NewTopic(prefix, 1, 1)])[prefix].result(20)
    start = ConsumerGroupTopicPartitions(prefix, [TopicPartition(prefix, 0, 0)])
    admin.alter_consumer_group_offsets([start])[prefix].result(20)
    grants = {str(number): without(case.resource, case.operation) for number, case in enumerate(MISSING_ACCESS)}
    grants["all"] = documented()
    users = [f"{prefix}-{name}" for name in grants]
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    made = admin.alter_user_scram_credentials([UserScramCredentialUpsertion(u, info, PASSWORD.encode()) for u in users])
    rules = [
        rule for user, granted in zip(users, grants.values(), strict=True) for rule in bindings(user, prefix, granted)
    ]
    for answer in (*made.values(), *admin.create_acls(rules).values()):
        answer.result(20)
    wait_for_access(secure_kafka, users[-1])
    return prefix


def wait_for_access(kafka, user):
    """Brokers apply ACLs in the order of their creation, so all of them work once the last one does."""
    settings = kafka.client_settings("SASL_SSL", user="app", mechanism="SCRAM-SHA-512")
    client = AdminClient({**settings, "sasl.username": user, "sasl.password": PASSWORD})
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        cluster = client.describe_cluster(include_authorized_operations=True).result(20)
        if {AclOperation.DESCRIBE, AclOperation.ALTER} <= set(cluster.authorized_operations):
            return
    pytest.fail("the ACLs did not take effect")


def config_of(kafka, user):
    settings = kafka.client_settings("SASL_SSL", user="app", mechanism="SCRAM-SHA-512")
    return {
        "bootstrapServers": settings["bootstrap.servers"],
        "saslMechanism": "SCRAM-SHA-512",
        "saslUsername": user,
        "saslPassword": PASSWORD,
        "tlsCaCertificate": Path(settings["ssl.ca.location"]).read_text(),
    }


def test_with_the_documented_access_everything_works(secure_kafka, prefix, tmp_path):
    name = f"{prefix}.made"
    config = config_of(secure_kafka, f"{prefix}-all")
    project = PulumiProject(tmp_path / "project", config["bootstrapServers"], PROGRAM, SINGLE_REPLICAS)
    project.environment["NAME"] = name
    words = [word for key, value in config.items() for word in ("--secret", f"kafka-topology:{key}={value}")]
    project.run("config", "set-all", *words)
    project.up()
    project.environment["CHANGED"] = "yes"
    project.up()
    project.up("--expect-no-changes")
    project.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")
    assert everything_seen(secure_kafka).about(name) == Seen(
        topics={name: (2, 1, {"retention.ms": "60000"})},
        acls={f"User:{name}": {f"ALLOW READ TOPIC LITERAL {name} *"}},
        users={name: "SCRAM-SHA-512=iterations=8192"},
        quotas={f"user-principal '{name}'": {"producer_byte_rate": 2000}},
        offsets={name: {f"{name}-0": 0}},
        group_configs={
            name: {"consumer.session.timeout.ms": "50000"},
            f"{name}-shared": {"share.session.timeout.ms": "50000"},
        },
    )
    project.destroy()
    assert everything_seen(secure_kafka).about(name) == Seen({}, {}, {}, {}, {}, {})


def inputs_of(case, there, made):
    name = made if case.call == "create" else there
    return {
        TOPIC: {"name": name, "partitions": 1, "replication": 1, "deletion": "allowed"},
        GROUP: {
            "name": name,
            "topics": [there],
            "start": "earliest",
            "deletion": "allowed",
            "config": {"consumer.session.timeout.ms": "50000"},
        },
        SHARE_GROUP: {
            "name": f"{name}-shared",
            "topics": [there],
            "deletion": "allowed",
            "config": {"share.session.timeout.ms": "50000"},
        },
        ACCESS: {"principal": f"User:{name}", "rules": [{"resource": "topic", "name": name, "operations": ["Read"]}]},
        USER: {"name": name, "mechanism": "SCRAM-SHA-512", "iterations": 4096, "password": Secret("hunter2-made")},
        QUOTA: {"user": name, "producerByteRate": 1000},
    }[case.kind]


async def call(client, case, inputs):
    id_of = {ACCESS: inputs.get("principal"), QUOTA: f"user={inputs.get('user')}"}
    name = id_of.get(case.kind) or inputs["name"]
    match case.call:
        case "read":
            return await client.read(name, inputs)
        case "read many":
            return await asyncio.gather(*(client.read(name, inputs) for _ in range(40)))
        case "create":
            checked, _ = await client.check(name, inputs)
            request = provider_pb2.CreateRequest(urn=client.urn(name), properties=encode(checked), type=case.kind)
            return await client.stub.Create(request)
        case "update":
            changed = {"partitions": 2} if case.operation == "Alter" else {"config": {"retention.ms": "60000"}}
            return await client.update(inputs, {**inputs, **changed})
        case _:
            return await client.delete(inputs)


@pytest.mark.parametrize("case", MISSING_ACCESS, ids=str)
def test_missing_access_is_named_and_nothing_counts_as_gone(secure_kafka, prefix, case):
    number = MISSING_ACCESS.index(case)
    config = config_of(secure_kafka, f"{prefix}-{number}")
    inputs = inputs_of(case, prefix, f"{prefix}.new-{number}")

    async def run():
        async with provider({**config, "saslPassword": Secret(PASSWORD)}) as engine:
            with pytest.raises(grpc.aio.AioRpcError) as denied:
                await call(engine.of(case.kind), case, inputs)
            return denied

    denied = asyncio.run(run())
    if denied.value.code() is grpc.StatusCode.UNKNOWN:  # a part was done
        message = " ".join(detail(denied, provider_pb2.ErrorResourceInitFailed).reasons)
    else:
        message = str(denied.value.details())
    assert case.words in message
    if case.call.startswith("read") or (case.kind, case.call) == (GROUP, "create"):
        assert denied.value.code() is grpc.StatusCode.PERMISSION_DENIED
    assert "hunter2" not in f"{denied.value}{message}"
