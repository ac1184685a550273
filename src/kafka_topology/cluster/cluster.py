"""Implements the `Admin` interface for a real cluster with confluent_kafka."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from confluent_kafka import TopicCollection as Names
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # unmarked there
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    NewPartitions,
    NewTopic,
    ResourceType,
)

from ..topology.kafka.names import is_kafkas_own
from .attempts import attempts, pause_until
from .config_entries import entries
from .connecting.connection import Connection
from .groups.groups import GroupCluster
from .live.topics import THROTTLED_REPLICAS, ConfigChange, LiveTopic, Placed, kafka_id
from .outcomes import Failure, Outcome
from .permissions import Permissions
from .share_groups.share_groups import ShareGroupCluster
from .topics.offsets import offsets_at, shapes_of
from .topics.reassignments import with_reassignments
from .topics.replicas import ReplicaCluster
from .topics.usage import contents_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from concurrent.futures import Future

    from .attempts import Patience
    from .connecting.answers import Asking
    from .connecting.second_client import SecondClient
    from .connecting.settings import ClientSettings
    from .health.reads import HealthCluster
    from .live.groups import Partition, Position
    from .live.topics import TopicContents, TopicShape, WantedTopic, Writer
    from .live.transactions import OpenTransaction
    from .security.both import Security
    from .survey import SurveyCluster

_TOPICS_A_LOOK: Final = 125
_SETTLING: Final = 0.5
_OF_THE_TOPIC: Final = ConfigSource.DYNAMIC_TOPIC_CONFIG.value


_Asked: TypeAlias = "dict[str, tuple[Future[Any], Future[dict[str, ConfigEntry]]]]"


class Cluster:
    """Call `connect` first: it fails at once, where other calls would wait for a timeout."""

    def __init__(self, settings: ClientSettings) -> None:
        self._settings = settings
        self.cluster_id = ""
        self._connection = Connection(settings)
        self._lock = threading.Lock()
        self._second: SecondClient | None = None
        self._security: Security | None = None
        self._survey: SurveyCluster | None = None
        self._health: HealthCluster | None = None
        self.groups = GroupCluster(self._connection, self.second)
        self.share_groups = ShareGroupCluster(self._connection, self.groups)
        self.replicas = ReplicaCluster(self._connection, self.second)

    @property
    def patience(self) -> float:
        """How many seconds a command waits for answers that do not come."""
        return self._settings.operation_timeout

    def patient(self) -> Patience:
        """Repeats reads without an answer, until the time that all reads of a command share is over."""
        return self._connection.silence.patient()

    def connect(self) -> str:
        """The cluster's id, or ClusterUnreachableError as soon as every broker has been tried."""
        self.cluster_id = self._connection.connect()
        return self.cluster_id

    def close(self) -> None:
        self._connection.close()
        if self._second is not None:
            self._second.close()

    def second(self) -> SecondClient:
        """The client of kafka-python. Loaded on first use, because many stacks never need it.

        Call this before you import any part of kafka-python: its modules import each other in circles, and two threads
        that start with different ones deadlock.
        """
        with self._lock:
            if self._second is None:
                from .connecting.second_client import SecondClient  # noqa: PLC0415

                self._second = SecondClient(self._settings, lambda: self._connection.servers, self._connection.silence)
            return self._second

    def shapes_of(self, topics: Collection[str]) -> dict[str, Outcome[TopicShape]]:
        return shapes_of(self._connection, topics)

    def ends_of(self, partitions: Collection[Partition]) -> dict[Partition, Outcome[int]]:
        """The end of each log, with the records of open transactions."""
        return offsets_at(self._connection, "latest", partitions)

    def open_transactions(
        self, partitions: Collection[Partition]
    ) -> dict[Partition, Outcome[tuple[OpenTransaction, ...]]]:
        second = self.second()
        from .topics.transactions import open_transactions  # noqa: PLC0415 - its client is loaded when it is needed

        return open_transactions(self._connection, second, partitions)

    def committed_offsets_at(self, to: Position, partitions: Collection[Partition]) -> dict[Partition, Outcome[int]]:
        """Offsets as a consumer with `read_committed` sees them; -1 where no record is that recent."""
        return offsets_at(self._connection, to, partitions, committed_only=True)

    @property
    def security(self) -> Security:
        """Access, users and quotas."""
        if self._security is None:
            second = self.second()
            from .security.both import Security  # noqa: PLC0415

            self._security = Security(second)
        return self._security

    @property
    def survey(self) -> SurveyCluster:
        """Further reads that only an audit or an import needs."""
        if self._survey is None:
            second = self.second()
            from .survey import SurveyCluster  # noqa: PLC0415

            self._survey = SurveyCluster(self._connection, second)
        return self._survey

    @property
    def permissions(self) -> Permissions:
        """What this client's principal may do."""
        return Permissions(self._connection, self.second)

    @property
    def health(self) -> HealthCluster:
        """Further reads that only an audit needs: quorum, disks, versions, certificates."""
        if self._health is None:
            second = self.second()
            from .health.reads import HealthCluster  # noqa: PLC0415

            self._health = HealthCluster(self._connection, second)
        return self._health

    def describe_topics(self, names: Collection[str]) -> dict[str, Outcome[LiveTopic]]:
        return self.describe_many_topics(names) if names else {}

    def describe_all_topics(self) -> Outcome[dict[str, Outcome[LiveTopic]]]:
        with self._connection.asking() as ask:
            listed = ask.topics()
        if isinstance(listed, Failure):
            return listed
        return self.describe_many_topics([name for name in listed if not is_kafkas_own(name)])

    def describe_many_topics(self, names: Collection[str]) -> dict[str, Outcome[LiveTopic]]:
        found = self._looked_at(names)
        # A broker that lags behind still shows the replicas of a finished reassignment: read again for a short time.
        odd = {name for name, topic in found.items() if _is_odd(topic)}
        for _ in attempts(odd, pause_until(time.monotonic() + _SETTLING)):
            found |= self._looked_at(odd)
            odd -= {name for name in odd if not _is_odd(found[name])}
        return found

    def _looked_at(self, names: Collection[str]) -> dict[str, Outcome[LiveTopic]]:
        """Asks in parts to save memory: the answers are large, a few kilobytes for each topic."""
        ordered = sorted(names)
        found: dict[str, Outcome[LiveTopic]] = {}
        # The brokers prepare the next part while this one is read.
        asked: _Asked = {}
        with self._connection.asking() as ask:
            for at in range(0, len(ordered), _TOPICS_A_LOOK):
                ahead = _asked(ask, ordered[at : at + _TOPICS_A_LOOK])
                found |= _found(ask, asked)
                asked = ahead
            found |= _found(ask, asked)
        return with_reassignments(found, self.replicas.reassignments)

    def create_topics(
        self, topics: Collection[WantedTopic], *, validate_only: bool = False
    ) -> dict[str, Outcome[None]]:
        requests = [
            NewTopic(
                topic.name,
                num_partitions=topic.partitions,
                replication_factor=topic.replication,
                config=dict(topic.config),
            )
            for topic in topics
        ]
        with self._connection.asking() as ask:
            futures = ask.admin.create_topics(requests, validate_only=validate_only, **self._waits)
            return ask.done("creating topic", futures)

    def create_partitions(self, totals: Mapping[str, int], *, validate_only: bool = False) -> dict[str, Outcome[None]]:
        requests = [NewPartitions(name, total) for name, total in totals.items()]
        with self._connection.asking() as ask:
            futures = ask.admin.create_partitions(requests, validate_only=validate_only, **self._waits)
            return ask.done("adding partitions to topic", futures)

    def alter_configs(
        self, changes: Mapping[str, ConfigChange], *, validate_only: bool = False
    ) -> dict[str, Outcome[None]]:
        resources = [
            ConfigResource(ResourceType.TOPIC, name, incremental_configs=entries(change))
            for name, change in changes.items()
        ]
        with self._connection.asking() as ask:
            futures = ask.admin.incremental_alter_configs(
                resources, validate_only=validate_only, request_timeout=ask.timeout
            )
            return ask.done("changing the config of topic", {r.name: future for r, future in futures.items()})

    def delete_topics(self, names: Collection[str]) -> dict[str, Outcome[None]]:
        with self._connection.asking() as ask:
            return ask.done("deleting topic", ask.admin.delete_topics(list(names), **self._waits))

    def readers_of(self, names: Collection[str]) -> dict[str, Outcome[tuple[str, ...]]]:
        second = self.second()
        from .readers import readers_of  # noqa: PLC0415 - its client is loaded when it is needed

        with self._connection.asking() as ask:
            return readers_of(ask, second, names)

    def contents_of(self, topics: Mapping[str, int]) -> dict[str, Outcome[TopicContents]]:
        with self._connection.asking() as ask:
            return contents_of(ask, topics)

    def writers_of(self, topics: Mapping[str, LiveTopic]) -> dict[str, Outcome[tuple[Writer, ...] | None]]:
        from .topics.producers import writers_of  # noqa: PLC0415 - its client is loaded when it is needed

        return writers_of(self.second(), topics)

    @property
    def _waits(self) -> dict[str, float]:
        # The broker gives up a little earlier than this client, so its answer still arrives.
        timeout = self._settings.request_timeout
        return {"request_timeout": timeout, "operation_timeout": timeout * 0.8}


def _asked(ask: Asking, names: Collection[str]) -> _Asked:
    resources = [ConfigResource(ResourceType.TOPIC, name) for name in names]
    shapes = ask.admin.describe_topics(Names(list(names)), request_timeout=ask.timeout)
    configs = ask.admin.describe_configs(resources, request_timeout=ask.timeout)
    configs_by_name = {resource.name: future for resource, future in configs.items()}
    return {name: (future, configs_by_name[name]) for name, future in shapes.items()}


def _found(ask: Asking, asked: _Asked) -> dict[str, Outcome[LiveTopic]]:
    return {name: _live(ask, name, *futures) for name, futures in asked.items()}


def _live(ask: Asking, name: str, shape: Future[Any], config: Future[dict[str, ConfigEntry]]) -> Outcome[LiveTopic]:
    description = ask.value(f"describing topic '{name}'", shape)
    configs = ask.value(f"reading the config of topic '{name}'", config)
    if isinstance(description, Failure):
        return description
    if isinstance(configs, Failure):
        return configs
    own = {
        key: entry.value for key, entry in configs.items() if entry.source == _OF_THE_TOPIC and entry.value is not None
    }
    counts = [len(p.replicas) for p in description.partitions] or [0]
    return LiveTopic(
        name=name,
        topic_id=kafka_id(str(description.topic_id)),
        partitions=len(description.partitions),
        replication=min(counts),
        most_replicas=max(counts),
        config={key: value for key, value in own.items() if key not in THROTTLED_REPLICAS},
        internal=description.is_internal,
        throttled=tuple(key for key in THROTTLED_REPLICAS if own.get(key)),
        placement=tuple(_placed(p) for p in sorted(description.partitions, key=lambda p: p.id)),
        min_in_sync=_number(configs.get("min.insync.replicas")),
    )


def _is_odd(topic: Outcome[LiveTopic]) -> bool:
    return isinstance(topic, LiveTopic) and not topic.is_even and not topic.is_moving


def _placed(partition: Any) -> Placed:
    leader = partition.leader
    return Placed(
        leader.id if leader is not None and leader.id >= 0 else None,
        tuple(node.id for node in partition.replicas),
        tuple(node.id for node in partition.isr),
    )


def _number(entry: ConfigEntry | None) -> int | None:
    return int(entry.value) if entry is not None and entry.value is not None else None
