"""A cluster with groups of the streams protocol (KIP-1071), and members that join them by heartbeats of their own."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from unittest import mock
from uuid import uuid4

import streams_messages
from kafka import KafkaAdminClient
from kafka.protocol.api_message import ApiMessage

from kafka_topology.local import LocalCluster, layout
from kafka_topology.toolchain import KAFKA

VERSION = tuple(int(part) for part in KAFKA.version.split(".")[:2])
HAS_STREAMS = VERSION >= (4, 1)
PATIENCE = 60
NOT_COORDINATOR = (14, 15, 16)
UNSTABLE = {"unstable.api.versions.enable": "true", "unstable.feature.versions.enable": "true"}
"""Kafka 4.1 has the protocol as early access."""


class StreamsGroupHeartbeatRequest(ApiMessage, load_json=streams_messages):
    pass


class StreamsGroupHeartbeatResponse(ApiMessage, load_json=streams_messages):
    pass


@contextmanager
def streams_cluster(data):
    """One broker with the streams protocol."""
    plain = layout.server_properties

    def unstable(*given):
        return plain(*given) | (UNSTABLE if VERSION < (4, 2) else {})

    with mock.patch.object(layout, "server_properties", unstable), LocalCluster(data, delete_on_exit=True) as cluster:
        client = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)
        try:
            if "finalized" not in client.describe_features()["streams.version"]:
                client.update_features({"streams.version": 1})
        finally:
            client.close()
        yield cluster


class Application:
    """One member of a streams group, which reads `topics` and writes to a repartition topic if it is given one."""

    def __init__(self, kafka, name, topics, changelogs=()):
        self._client = KafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers)
        self._name = name
        self._topics = topics
        self._changelogs = changelogs
        self._member = str(uuid4())
        self._tasks = []
        self._stopped = threading.Event()
        self._heart = threading.Thread(target=self._beat, daemon=True)
        self._epoch = self._joined()
        self._heart.start()

    def _joined(self):
        message = StreamsGroupHeartbeatRequest
        parts = message.Topology.Subtopology
        changelogs = [
            parts.TopicInfo(name=name, partitions=0, replication_factor=1, topic_configs=[])
            for name in self._changelogs
        ]
        part = parts(
            subtopology_id="0",
            source_topics=self._topics,
            source_topic_regex=[],
            state_changelog_topics=changelogs,
            repartition_sink_topics=[],
            repartition_source_topics=[],
            copartition_groups=[],
        )
        topology = message.Topology(epoch=0, subtopologies=[part])
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._sent(0, topology=topology, process_id=self._member, rebalance_timeout_ms=10_000, tasks=[])
            if answer.error_code == 0:
                return answer.member_epoch
            assert time.monotonic() < deadline, (answer.error_code, answer.error_message)
            time.sleep(0.1)

    def _beat(self):
        """Takes the tasks that it is given, until it leaves."""
        while not self._stopped.wait(0.2):
            answer = self._sent(self._epoch, tasks=self._tasks)
            if answer.error_code == 0:
                self._epoch = answer.member_epoch
                if answer.active_tasks is not None:
                    self._tasks = [(task.subtopology_id, task.partitions) for task in answer.active_tasks]

    def _sent(self, epoch, *, topology=None, process_id=None, rebalance_timeout_ms=-1, tasks):
        of = StreamsGroupHeartbeatRequest.TaskIds
        request = StreamsGroupHeartbeatRequest(
            group_id=self._name,
            member_id=self._member,
            member_epoch=epoch,
            endpoint_information_epoch=0,
            rebalance_timeout_ms=rebalance_timeout_ms,
            topology=topology,
            process_id=process_id,
            active_tasks=[of(subtopology_id=part, partitions=numbers) for part, numbers in tasks],
            standby_tasks=[],
            warmup_tasks=[],
            client_tags=[] if epoch == 0 else None,
            shutdown_application=False,
        )
        manager = self._client._manager
        return manager.run(manager.send, request, None)

    def close(self):
        self._stopped.set()
        self._heart.join(PATIENCE)
        self._sent(-1, tasks=[])
        self._client.close()


@contextmanager
def streams_application(kafka, name, topics, changelogs=()):
    application = Application(kafka, name, topics, changelogs)
    try:
        yield application
    finally:
        application.close()
