"""A real cluster behind the `Admin` interface, by confluent_kafka."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from confluent_kafka import ConsumerGroupState, KafkaError, KafkaException, TopicPartition
from confluent_kafka import TopicCollection as Names
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # unmarked there
    AclOperation,
    AdminClient,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from .answers import Answers
from .config_entries import entries
from .group_cluster import GroupCluster
from .outcomes import ClusterUnreachableError, Failure, FailureKind, Outcome
from .privileges import denied
from .replica_cluster import ReplicaCluster
from .tokens import librdkafka_login
from .topic_plan import THROTTLED_REPLICAS, ConfigChange, LiveTopic, Placed, TopicContents
from .topics import is_internal

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from concurrent.futures import Future

    from .cluster_security import Security
    from .settings import Settings
    from .survey_cluster import SurveyCluster
    from .topics import DeclaredTopic

_HOPELESS: Final = frozenset(
    {
        KafkaError._ALL_BROKERS_DOWN,  # noqa: SLF001
        KafkaError._AUTHENTICATION,  # noqa: SLF001
        KafkaError._SSL,  # noqa: SLF001
    }
)
_AFTER: Final = re.compile(r" \(after \d+ms in state \w+\)")
# A host may have several addresses, and only the first has been tried when this is reported.
_SECOND_CHANCE: Final = 1.0
_TOPICS_A_LOOK: Final = 125
_OF_THE_TOPIC: Final = ConfigSource.DYNAMIC_TOPIC_CONFIG.value
_NOT_READING: Final = frozenset({ConsumerGroupState.EMPTY, ConsumerGroupState.DEAD})


_Asked: TypeAlias = "dict[str, tuple[Future[Any], Future[dict[str, ConfigEntry]]]]"


class _Complaints:
    """What the client says while it cannot connect.

    It knows nothing of the cluster that listens: a client that holds its owner, and is held by it,
    is destroyed by the garbage collector in whatever thread that happens to run.
    """

    def __init__(self) -> None:
        self.reasons: dict[str, None] = {}
        self.give_up_at = float("inf")

    def hear(self, error: KafkaError) -> None:
        if error.code() != KafkaError._ALL_BROKERS_DOWN:  # noqa: SLF001 - says nothing of the reason
            self.reasons[_AFTER.sub("", error.str())] = None
        if error.code() in _HOPELESS:
            self.give_up_at = min(self.give_up_at, time.monotonic() + _SECOND_CHANCE)


class Cluster:
    """One admin client. `connect` first: it fails at once where calls would wait for a timeout."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._answers = Answers(settings)
        self._complaints = _Complaints()
        client: dict[str, Any] = {**settings.client, "error_cb": self._complaints.hear, "log_level": 0}
        self._admin = AdminClient(client | librdkafka_login(settings))
        self._security: Security | None = None
        self._survey: SurveyCluster | None = None
        self.groups = GroupCluster(self._admin, self._answers)
        self.replicas = ReplicaCluster(self._admin, self._answers)

    def connect(self) -> str:
        """The cluster's id, or ClusterUnreachableError as soon as every broker has been tried."""
        future = self._admin.describe_cluster(request_timeout=self._timeout)
        self._complaints.give_up_at = time.monotonic() + self._timeout
        while not future.done() and time.monotonic() < self._complaints.give_up_at:
            self._admin.poll(0.02)
        if future.done() and future.exception() is None:
            return str(future.result().cluster_id)
        why = "; ".join(self._complaints.reasons) or f"no answer within {self._timeout:g} s"
        raise ClusterUnreachableError(
            self._settings.redact(
                f"Kafka at {self._settings.servers} cannot be reached: {why}. Check that the "
                "brokers are up, and the address, TLS and SASL settings of the client."
            )
        )

    def close(self) -> None:
        """The client's threads end here and now.

        Left to the garbage collector, that may happen in one of these very threads, while it hands over an
        answer: then the process hangs or dies.
        """
        self._admin.__exit__(None, None, None)
        if self._security is not None:
            self._security.close()

    @property
    def security(self) -> Security:
        """Access, users and quotas. Their client is loaded when one is asked for: many stacks have none."""
        if self._security is None:
            from .cluster_security import Security  # noqa: PLC0415

            self._security = Security(self._settings)
        return self._security

    @property
    def survey(self) -> SurveyCluster:
        """What an audit and an import ask beyond that."""
        if self._survey is None:
            from .survey_cluster import SurveyCluster  # noqa: PLC0415

            self._survey = SurveyCluster(self._admin, self._answers, self.security.client)
        return self._survey

    def describe_topics(self, names: Collection[str]) -> dict[str, Outcome[LiveTopic]]:
        return self._found(self._asked(names)) if names else {}

    def _asked(self, names: Collection[str]) -> _Asked:
        resources = [ConfigResource(ResourceType.TOPIC, name) for name in names]
        shapes = self._admin.describe_topics(Names(list(names)), request_timeout=self._timeout)
        configs = self._admin.describe_configs(resources, request_timeout=self._timeout)
        configs_by_name = {resource.name: future for resource, future in configs.items()}
        return {name: (future, configs_by_name[name]) for name, future in shapes.items()}

    def _found(self, asked: _Asked) -> dict[str, Outcome[LiveTopic]]:
        return {name: self._live(name, *futures) for name, futures in asked.items()}

    def describe_all_topics(self) -> Outcome[dict[str, Outcome[LiveTopic]]]:
        try:
            listed = self._admin.list_topics(timeout=self._timeout).topics
        except KafkaException as error:
            return self._answers.failure("listing the topics", error.args[0])
        return self.describe_many_topics([name for name in listed if not is_internal(name)])

    def describe_many_topics(self, names: Collection[str]) -> dict[str, Outcome[LiveTopic]]:
        """The answers are large, a few kilobytes for each topic: in parts, they need less memory."""
        ordered = sorted(names)
        found: dict[str, Outcome[LiveTopic]] = {}
        # While one part is read here, the brokers are at the next.
        asked: _Asked = {}
        for at in range(0, len(ordered), _TOPICS_A_LOOK):
            ahead = self._asked(ordered[at : at + _TOPICS_A_LOOK])
            found |= self._found(asked)
            asked = ahead
        return found | self._found(asked)

    def _live(self, name: str, shape: Future[Any], config: Future[dict[str, ConfigEntry]]) -> Outcome[LiveTopic]:
        description = self._answers.value(f"describing topic '{name}'", shape)
        configs = self._answers.value(f"reading the config of topic '{name}'", config)
        if isinstance(description, Failure):
            return description
        if isinstance(configs, Failure):
            return configs
        own = {
            key: entry.value
            for key, entry in configs.items()
            if entry.source == _OF_THE_TOPIC and entry.value is not None
        }
        return LiveTopic(
            name=name,
            topic_id=str(description.topic_id),
            partitions=len(description.partitions),
            replication=min((len(p.replicas) for p in description.partitions), default=0),
            config={key: value for key, value in own.items() if key not in THROTTLED_REPLICAS},
            internal=description.is_internal,
            throttled=any(own.get(key) for key in THROTTLED_REPLICAS),
            placement=tuple(_placed(p) for p in sorted(description.partitions, key=lambda p: p.id)),
            min_in_sync=_number(configs.get("min.insync.replicas")),
        )

    def create_topics(self, topics: Collection[DeclaredTopic]) -> dict[str, Outcome[None]]:
        requests = [
            NewTopic(
                topic.name,
                num_partitions=topic.partitions,
                replication_factor=topic.replication,
                config=dict(topic.config),
            )
            for topic in topics
        ]
        return self._answers.done("creating topic", self._admin.create_topics(requests, **self._waits))

    def create_partitions(self, totals: Mapping[str, int]) -> dict[str, Outcome[None]]:
        requests = [NewPartitions(name, total) for name, total in totals.items()]
        futures = self._admin.create_partitions(requests, **self._waits)
        return self._answers.done("adding partitions to topic", futures)

    def alter_configs(self, changes: Mapping[str, ConfigChange]) -> dict[str, Outcome[None]]:
        resources = [
            ConfigResource(ResourceType.TOPIC, name, incremental_configs=entries(change))
            for name, change in changes.items()
        ]
        futures = self._admin.incremental_alter_configs(resources, request_timeout=self._timeout)
        return self._answers.done("changing the config of topic", {r.name: future for r, future in futures.items()})

    def delete_topics(self, names: Collection[str]) -> dict[str, Outcome[None]]:
        return self._answers.done("deleting topic", self._admin.delete_topics(list(names), **self._waits))

    def readers_of(self, names: Collection[str]) -> dict[str, Outcome[tuple[str, ...]]]:
        groups = self._reading_groups()
        if isinstance(groups, Failure):
            return dict.fromkeys(names, groups)
        readers: dict[str, set[str]] = {name: set() for name in names}
        for group, topics in groups.items():
            for topic in topics & readers.keys():
                readers[topic].add(f"group '{group}'")
        return {name: tuple(sorted(groups)) for name, groups in readers.items()}

    def _reading_groups(self) -> Outcome[dict[str, set[str]]]:
        listing = self._answers.value(
            "listing consumer groups",
            self._admin.list_consumer_groups(request_timeout=self._timeout),
        )
        if isinstance(listing, Failure):
            return listing
        if listing.errors:
            return self._answers.failure("listing consumer groups", listing.errors[0].args[0])
        hidden = self._hidden_groups()
        if hidden is not None:
            return hidden
        ids = [group.group_id for group in listing.valid if group.state not in _NOT_READING]
        reading: dict[str, set[str]] = {}
        if not ids:
            return reading
        futures = self._admin.describe_consumer_groups(ids, request_timeout=self._timeout)
        for group, future in futures.items():
            description = self._answers.value(f"describing group '{group}'", future)
            if isinstance(description, Failure):
                return description
            reading[group] = {
                partition.topic
                for member in description.members
                for partition in (member.assignment.topic_partitions if member.assignment else ())
            }
        return reading

    def _hidden_groups(self) -> Failure | None:
        """Who may not describe the cluster is shown just the groups that he may describe, and no operations here."""
        what = "listing consumer groups"
        future = self._admin.describe_cluster(include_authorized_operations=True, request_timeout=self._timeout)
        cluster = self._answers.value(what, future)
        if isinstance(cluster, Failure):
            return cluster
        is_allowed = AclOperation.DESCRIBE in (cluster.authorized_operations or ())
        return None if is_allowed else Failure(FailureKind.DENIED, denied(what))

    def contents_of(self, topics: Mapping[str, int]) -> dict[str, Outcome[TopicContents]]:
        partitions = [TopicPartition(name, p) for name, count in topics.items() for p in range(count)]
        starts, ends, newest = (
            self._admin.list_offsets(dict.fromkeys(partitions, spec), request_timeout=self._timeout)
            for spec in _offset_specs()
        )
        contents: dict[str, Outcome[TopicContents]] = dict.fromkeys(topics, TopicContents(0))
        for partition in partitions:
            name = partition.topic
            before = contents[name]
            answers = [
                self._answers.value(f"reading the offsets of topic '{name}'", futures[partition])
                for futures in (starts, ends, newest)
            ]
            failure = next((a for a in answers if isinstance(a, Failure)), None)
            if isinstance(before, Failure) or failure is not None:
                contents[name] = failure or before
                continue
            start, end, last = answers
            moment = _moment(last.timestamp)
            contents[name] = TopicContents(
                before.offsets + end.offset - start.offset,
                max(filter(None, (before.last_write, moment)), default=None),
            )
        return contents

    @property
    def _timeout(self) -> float:
        return self._settings.request_timeout

    @property
    def _waits(self) -> dict[str, float]:
        # The broker gives up a little earlier than we do, so that its own answer arrives.
        return {"request_timeout": self._timeout, "operation_timeout": self._timeout * 0.8}


def _placed(partition: Any) -> Placed:
    leader = partition.leader
    return Placed(
        leader.id if leader is not None and leader.id >= 0 else None,
        tuple(node.id for node in partition.replicas),
        tuple(node.id for node in partition.isr),
    )


def _number(entry: ConfigEntry | None) -> int | None:
    return int(entry.value) if entry is not None and entry.value is not None else None


def _offset_specs() -> tuple[Any, Any, Any]:
    spec: Any = OffsetSpec
    return spec.earliest(), spec.latest(), spec.max_timestamp()


def _moment(timestamp: int) -> datetime | None:
    return datetime.fromtimestamp(timestamp / 1000, UTC) if timestamp > 0 else None
