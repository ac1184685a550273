"""A cluster with share groups, and real share consumers on it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from threading import Thread

from confluent_kafka import ShareConsumer
from confluent_kafka.admin import ConfigResource, NewTopic, ResourceType
from delivering import SureProducer
from kafka import KafkaAdminClient
from kafka_tools import run

from kafka_topology.cluster.share_groups.requests import ShareGroupDescribeRequest
from kafka_topology.local import LocalCluster
from kafka_topology.toolchain import KAFKA

VERSION = tuple(int(part) for part in KAFKA.version.split(".")[:2])
CAN_SET_OFFSETS = VERSION >= (4, 2)
"""Kafka 4.1 accepts the request and does nothing."""
PATIENCE = 60
UNSUPPORTED_VERSION = 35


@contextmanager
def sharing_cluster(data):
    """One broker with share groups."""
    with LocalCluster(data, delete_on_exit=True) as cluster:
        turn_sharing_on(cluster)
        yield cluster


def turn_sharing_on(kafka):
    """Kafka 4.1 has the feature off. Returns when every broker has heard that it is on."""
    client = KafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers)
    manager = client._manager
    request = ShareGroupDescribeRequest(group_ids=["nobody"], include_authorized_operations=False)
    try:
        if "finalized" not in client.describe_features()["share.version"]:
            client.update_features({"share.version": 1})
        deadline = time.monotonic() + PATIENCE
        left = [node["broker_id"] for node in client.describe_cluster()["brokers"]]
        while left:
            assert time.monotonic() < deadline, f"no share groups on brokers {left}"
            [group] = manager.run(manager.send, request, left[0]).groups
            if group.error_code != UNSUPPORTED_VERSION:
                left.pop(0)
    finally:
        client.close()


class Member:
    """A share consumer that has joined its group. It keeps the values of all records that it gets."""

    def __init__(self, kafka, name, topic):
        settings = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": name}
        # A test that runs commands meanwhile may take longer than the default on a busy machine.
        self._consumer = ShareConsumer({**settings, "max.poll.interval.ms": 3_600_000})
        self._consumer.subscribe([topic])
        self._values = []

    def close(self):
        """librdkafka waits without a limit for a fetch that no broker answers; the group then drops its member."""
        closing = Thread(target=self._consumer.close, daemon=True)
        closing.start()
        closing.join(PATIENCE)

    def poll(self):
        records = self._consumer.poll(0.2) or ()
        self._values += [record.value().decode() for record in records if record.error() is None]

    def received(self, count):
        deadline = time.monotonic() + PATIENCE
        while len(self._values) < count:
            assert time.monotonic() < deadline, f"got only {self._values}"
            self.poll()
        return sorted(self._values)


@contextmanager
def share_consumer(kafka, name, topic):
    """librdkafka gives its consumer a random id, in plain Base64. Kafka 4.1 answers none of its fetches if the id has
    a plus or a slash: then another consumer takes its place.
    """
    client = KafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers)
    member = None
    try:
        deadline = time.monotonic() + PATIENCE
        while not (ids := _members(client, name)) or any(set("+/") & set(each) for each in ids):
            assert time.monotonic() < deadline, f"no share consumer with a usable id joined: {ids}"
            if ids and member is not None:
                member.close()
                member = None
                _until(lambda: not _members(client, name), "the group still has members")
            member = member or Member(kafka, name, topic)
            member.poll()
        yield member
    finally:
        if member is not None:
            member.close()
        client.close()


def _members(client, name):
    """The ids of the members of a share group: its coordinator knows them, the other brokers name none."""
    manager = client._manager
    request = ShareGroupDescribeRequest(group_ids=[name], include_authorized_operations=False)
    brokers = [node["broker_id"] for node in client.describe_cluster()["brokers"]]
    answers = [manager.run(manager.send, request, broker).groups[0] for broker in brokers]
    return [member.member_id for group in answers for member in group.members]


def _until(is_done, otherwise):
    deadline = time.monotonic() + PATIENCE
    while not is_done():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.1)


@contextmanager
def listing(kafka):
    """The type and the state of each group, by kafka-python: one client for many looks."""
    client = KafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers)
    try:
        yield lambda: {g["group_id"]: (g["group_type"], g["group_state"]) for g in client.list_groups()}
    finally:
        client.close()


def groups_of(kafka):
    with listing(kafka) as listed:
        return listed()


def wait_until_empty(kafka, name):
    with listing(kafka) as listed:
        _until(lambda: listed().get(name, (None, None))[1] in ("Empty", None), "the group still has members")


def start_offsets_seen(kafka, name):
    """The start offsets by partition, by Kafka's own tool."""
    described = run(kafka, "kafka-share-groups", "--describe", "--group", name, "--offsets")
    rows = [line.split() for line in described.splitlines() if line.startswith(f"{name} ")]
    return {int(row[2]): int(row[3]) for row in rows if row[3].isdigit()}


def config_seen(admin, name):
    (future,) = admin.describe_configs([ConfigResource(ResourceType.GROUP, name)]).values()
    return {entry.name: entry.value for entry in future.result(20).values() if entry.source == 8}


def created(admin, topic):
    """A new topic with two partitions."""
    admin.create_topics([NewTopic(topic, num_partitions=2, replication_factor=1)])[topic].result(20)
    return topic


def produce(kafka, topic, count, partitions=2, first=0):
    producer = SureProducer({"bootstrap.servers": kafka.bootstrap_servers})
    for number in range(first, first + count):
        for partition in range(partitions):
            producer.produce(topic, f"{partition}-{number}", partition=partition)
    producer.flush(30)
