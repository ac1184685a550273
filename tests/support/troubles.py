"""Troubles for a cluster of its own, planted with Kafka's own tools and protocol."""

from __future__ import annotations

import json
import time
from contextlib import closing, contextmanager
from unittest.mock import patch

from kafka import KafkaAdminClient
from kafka.protocol.producer import ProduceRequest
from kafka.record import MemoryRecordsBuilder
from kafka_tools import run

from kafka_topology.local import LocalCluster, layout

_KEPT = layout.server_properties


def second_folder(cluster, broker):
    return cluster.data / f"node-{broker}" / "more"


@contextmanager
def cluster_with_two_disks(data, **arguments):
    """Brokers that have two folders for logs each, so that they survive the loss of one."""

    def properties(state, node, log_dir):
        return {**_KEPT(state, node, log_dir), "log.dirs": f"{log_dir},{log_dir.parent / 'more'}"}

    with (
        patch.object(layout, "server_properties", properties),
        LocalCluster(data, delete_on_exit=True, **arguments) as cluster,
    ):
        yield cluster


def break_folder(cluster, broker):
    """Its disk is gone: nothing can be written there. The broker notices within seconds."""
    folder = second_folder(cluster, broker)
    folder.rename(_kept(folder))
    folder.write_text("a file, where a folder should be")


def repair_folder(cluster, broker):
    folder = second_folder(cluster, broker)
    folder.unlink()
    _kept(folder).rename(folder)


def _kept(folder):
    return folder.with_name("kept")


def configure(cluster, kind, name, **change):
    """`add` or `delete` a setting with kafka-configs; without a name, for all of the kind."""
    whom = ("--entity-name", name) if name is not None else ("--entity-default",)
    action = [part for what, value in change.items() for part in (f"--{what}-config", value)]
    run(cluster, "kafka-configs", "--alter", "--entity-type", kind, *whom, *action)


def reassign(cluster, folder, topic, replicas, *arguments):
    """Moves partition 0 of the topic with kafka-reassign-partitions."""
    plan = folder / "plan.json"
    partitions = [{"topic": topic, "partition": 0, "replicas": replicas}]
    plan.write_text(json.dumps({"version": 1, "partitions": partitions}))
    run(cluster, "kafka-reassign-partitions", "--reassignment-json-file", str(plan), *arguments)


def hang_transaction(cluster, topic, leader, age):
    """Writes a record of a transaction that no coordinator knows, as if it was written `age` seconds ago.

    Brokers accept it only while they do not verify transactions: Kafka before 3.6 never did.
    """
    records = MemoryRecordsBuilder(2, 0, 10_000, transactional=True, producer_id=777, producer_epoch=3, base_sequence=0)
    records.append(timestamp=int((time.time() - age) * 1000), key=None, value=b"lost", headers=[])
    records.close()
    data = ProduceRequest.TopicProduceData
    request = ProduceRequest(
        transactional_id="nobody",
        acks=-1,
        timeout_ms=10_000,
        topic_data=[data(name=topic, partition_data=[data.PartitionProduceData(index=0, records=records.buffer())])],
        max_version=8,
    )
    with closing(KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)) as client:
        answer = client._manager.run(client._manager.send, request, leader)
    [[code]] = [[each.error_code for each in topic.partition_responses] for topic in answer.responses]
    assert code == 0, answer
