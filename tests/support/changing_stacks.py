"""Stacks with one resource of every kind, and what Kafka has of each: the same thing as before, or something else."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient
from delivering import SureProducer
from kafka_tools import acls_in, run
from pulumi_project import PulumiProject
from sharing import config_seen, turn_sharing_on

KINDS = ("Topic", "ConsumerGroup", "Access", "User", "Quota", "ShareGroup")
PASSWORD = "a-password-of-the-tests"
YAML_PROGRAM = Path(__file__).parents[2] / "program" / "__main__.py"
# A program of its own: no topology, no teams, no aliases.
PROGRAM = """\
import json
import os

import pulumi
from kafka_topology import sdk

plan = json.loads(os.environ["PLAN"])
config = pulumi.Config()
providers = {
    name: sdk.Provider(name, **settings) for name, settings in plan.get("providers", {}).items()
}


class Folder(pulumi.ComponentResource):
    def __init__(self, name):
        super().__init__("tests:index:Folder", name)


parents = {}
made = {}
for resource in plan["resources"]:
    inputs = dict(resource["inputs"])
    if resource["kind"] == "User":
        inputs["password"] = config.require_secret("password")
    folder = resource.get("parent")
    if folder and folder not in parents:
        parents[folder] = Folder(folder)
    opts = pulumi.ResourceOptions(
        parent=parents.get(folder),
        provider=providers.get(resource.get("provider")),
        replace_on_changes=resource.get("replace_on_changes"),
        delete_before_replace=resource.get("delete_before_replace"),
        protect=resource.get("protect"),
        depends_on=[made[name] for name in resource.get("after", ())],
    )
    made[resource["name"]] = getattr(sdk, resource["kind"])(resource["name"], opts=opts, **inputs)
"""


@dataclass(frozen=True)
class Things:
    """What Kafka has of the six, and what distinguishes the same thing from a new one of that name."""

    topic: object
    group: object
    access: object
    user: object
    quota: object
    share_group: object

    def same_as(self, before):
        return {
            kind: "as before" if getattr(self, part.name) == getattr(before, part.name) else "changed"
            for kind, part in zip(KINDS, fields(self), strict=True)
        }


def things(kafka, name):
    """By Kafka's own tools, with the topic's id and its records: a new topic of the same name is another one."""
    commands = (
        ("kafka-topics", "--describe"),
        ("kafka-acls", "--list"),
        ("kafka-configs", "--describe", "--entity-type", "users"),
    )
    with ThreadPoolExecutor(3) as pool:
        topics, acls, users = pool.map(lambda command: run(kafka, *command), commands)
    line = next((line for line in topics.splitlines() if line.startswith(f"Topic: {name}\t")), None)
    own = [line for line in users.splitlines() if f"'{name}'" in line]
    return Things(
        topic=line and (line, _ends(kafka, name)),
        group=committed(kafka, name),
        access=acls_in(acls, f"User:{name}") or None,
        user=next((line for line in own if "SCRAM" in line), None),
        quota=next((line for line in own if "Quota" in line), None),
        share_group=config_seen(AdminClient({"bootstrap.servers": kafka.bootstrap_servers}), shared(name)) or None,
    )


def shared(name):
    """Group ids are one namespace, and the consumer group has the name."""
    return f"{name}-shared"


def committed(kafka, name):
    reader = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": name})
    offsets = reader.committed([TopicPartition(name, 0), TopicPartition(name, 1)], timeout=20)
    reader.close()
    return {one.partition: one.offset for one in offsets if one.offset >= 0} or None


def _ends(kafka, name):
    reader = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "nobody"})
    ends = [reader.get_watermark_offsets(TopicPartition(name, p), timeout=20)[1] for p in range(2)]
    reader.close()
    return ends


def use(kafka, name):
    """Five records, of which the group has read two."""
    producer = SureProducer({"bootstrap.servers": kafka.bootstrap_servers})
    for number in range(5):
        producer.produce(name, str(number), partition=0)
    producer.flush(30)
    reader = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": name})
    reader.commit(offsets=[TopicPartition(name, 0, 2)], asynchronous=False)
    reader.close()


class ProgramStack(PulumiProject):
    """A program with the typed classes. Everything may be deleted by force: only the promises keep it."""

    def __init__(self, root, kafka, name):
        self.name = name
        deletable = {"name": name, "deletion": "force"}
        sharing = {"config": {"share.auto.offset.reset": "earliest"}}
        self.resources = [
            {"kind": "Topic", "name": name, "inputs": {"partitions": 2, "replication": 3, **deletable}},
            {"kind": "ConsumerGroup", "name": name, "inputs": {"topics": [name], "start": "earliest", **deletable}},
            {"kind": "Access", "name": name, "inputs": {"principal": f"User:{name}", "rules": [_rule(name)]}},
            {"kind": "User", "name": name, "inputs": {"name": name, "mechanism": "SCRAM-SHA-512"}},
            {"kind": "Quota", "name": name, "inputs": {"user": name, "producer_byte_rate": 1000}},
            {
                "kind": "ShareGroup",
                "name": name,
                "inputs": {"topics": [name], **sharing, **deletable, "name": shared(name)},
            },
        ]
        self.providers = {}
        turn_sharing_on(kafka)
        super().__init__(root, kafka.bootstrap_servers, PROGRAM)
        self.run("config", "set", "--secret", "password", PASSWORD)

    def program_environment(self):
        plan = {"resources": self.resources, "providers": self.providers}
        return {**self.environment, "PLAN": json.dumps(plan)}

    def change(self, **others):
        self.resources = [{**resource, **others} for resource in self.resources]

    def urns(self, project="tried", stack="dev", parent=""):
        return [
            f"urn:pulumi:{stack}::{project}::{parent}kafka-topology:index:{resource['kind']}::{resource['name']}"
            for resource in self.resources
        ]


def _rule(name):
    return {"resource": "topic", "name": name, "operations": ["Write", "Describe"]}


class YamlStack(PulumiProject):
    """The program of this repository with a topology. `owners` are those of the topic, group and producers."""

    def __init__(self, root, kafka, name, **owners):
        self.name = name
        turn_sharing_on(kafka)
        super().__init__(root, kafka.bootstrap_servers, YAML_PROGRAM.read_text())
        self.run("config", "set", "--secret", "password", PASSWORD)
        self.configure("path", "topology.yaml")
        self.write(**owners)

    def write(self, *, topic=None, group=None, producers=(None,), deletion="force"):
        name = self.name

        def owned(owner, **fields):
            return {**fields, **({"owner": owner} if owner else {})}

        client = {"principal": f"User:{name}", "topics": [name]}
        shape = {"partitions": 2, "replication": 3, "visibility": "public", "config": {"min.insync.replicas": 2}}
        reading = {"enable.auto.commit": False}
        sharing = {"share.auto.offset.reset": "earliest"}
        document = {
            "version": 1,
            "topics": {name: owned(topic, **shape, deletion=deletion)},
            "producers": {f"{name}-{n}": owned(owner, **client) for n, owner in enumerate(producers)},
            "consumerGroups": {name: owned(group, **client, start="earliest", deletion=deletion, config=reading)},
            "shareGroups": {shared(name): owned(group, **client, deletion=deletion, groupConfig=sharing)},
            "users": {name: {"mechanism": "SCRAM-SHA-512", "password": {"secret": "password"}}},
            "quotas": [{"user": name, "producerByteRate": "1KB/s"}],
        }
        (self.root / "topology.yaml").write_text(json.dumps(document))
