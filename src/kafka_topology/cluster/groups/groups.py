"""The consumer groups of a real cluster, by confluent_kafka."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from confluent_kafka import ConsumerGroupTopicPartitions as Offsets
from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka import TopicCollection as Names
from confluent_kafka.admin import ConfigResource, ResourceType  # type: ignore[attr-defined]

from ..config_entries import entries
from ..live.groups import NOT_THERE, GroupShape, Partition
from ..outcomes import Failure, FailureKind, Outcome
from ..topics.offsets import offsets_at, shapes_of
from .listing import SHARE, STREAMS, listed_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from ..connecting.answers import Asking
    from ..connecting.connection import Connection
    from ..connecting.second_client import SecondClient
    from ..live.groups import Committed, Position
    from ..live.topics import ConfigChange

_OFFSETS_TOPIC: Final = "__consumer_offsets"
_SETTLED: Final = "Stable"
_NO_CONFIGS: Final = "these brokers have no settings of groups: expected Kafka 4.0 or later"
_GROUP_CONFIG_SOURCE: Final = 8  # Kafka's DYNAMIC_GROUP_CONFIG, which librdkafka does not name


@dataclass(frozen=True, slots=True)
class GroupCluster:
    """`second` returns the client for committed offsets: librdkafka crashes when it asks the wrong broker for them."""

    connection: Connection
    second: Callable[[], SecondClient]
    _can_have_groups: threading.Event = field(default_factory=threading.Event)

    def describe_groups(self, names: Collection[str]) -> dict[str, Outcome[GroupShape]]:
        if not names:
            return {}
        if self.has_none():
            return {name: GroupShape() for name in names}
        found = self.coordinated(names)
        missing = [name for name, shape in found.items() if isinstance(shape, GroupShape) and shape.state == NOT_THERE]
        return found | self._of_other_types(missing)

    def _of_other_types(self, names: list[str]) -> dict[str, Outcome[GroupShape]]:
        """To librdkafka, streams and share groups are dead. Logins that only librdkafka has cannot see more."""
        second = self.second() if names else None
        if second is None or not second.can_log_in:
            return {}
        from .streams.asking import shapes  # noqa: PLC0415

        patient = second.patient()
        listed = patient.one(lambda: listed_groups(second))
        if isinstance(listed, Failure):
            return dict.fromkeys(names, listed)
        streams = [name for name in names if name in listed and listed[name].type == STREAMS]
        shared = [name for name in names if name in listed and listed[name].type == SHARE]
        return dict.fromkeys(shared, GroupShape(other_type=SHARE)) | {
            name: shape if isinstance(shape, Failure) else GroupShape(shape.state, shape.members, shape.idle)
            for name, shape in (patient.each(streams, lambda left: shapes(second, left)) if streams else {}).items()
        }

    def coordinated(self, names: Collection[str]) -> dict[str, Outcome[GroupShape]]:
        """The groups as their coordinators know them. On a new cluster, the brokers then create the offsets topic."""
        with self.connection.asking() as ask:
            futures = ask.admin.describe_consumer_groups(list(names), request_timeout=ask.timeout)
            return {name: _shape(ask, name, future) for name, future in futures.items()}

    def has_none(self) -> bool:
        """Whether this cluster has never had a group: the offsets topic does not exist.

        Brokers create that topic when a client asks for a coordinator, but a read must change nothing. A principal that
        may not describe the topic gets "denied", never "missing".
        """
        if self._can_have_groups.is_set():
            return False
        with self.connection.asking() as ask:
            [future] = ask.admin.describe_topics(Names([_OFFSETS_TOPIC]), request_timeout=ask.timeout).values()
            found = ask.value(f"describing topic '{_OFFSETS_TOPIC}'", future)
        if isinstance(found, Failure) and found.kind is FailureKind.MISSING:
            return True
        self._can_have_groups.set()
        return False

    def count_partitions(self, topics: Collection[str]) -> dict[str, Outcome[int]]:
        return {
            name: shape if isinstance(shape, Failure) else len(shape.partitions)
            for name, shape in shapes_of(self.connection, topics).items()
        }

    def all_partitions(self) -> Outcome[frozenset[Partition]]:
        with self.connection.asking() as ask:
            topics = ask.topics()
        if isinstance(topics, Failure):
            return topics
        return frozenset((name, number) for name, topic in topics.items() for number in topic.partitions)

    def committed(
        self, groups: Mapping[str, Collection[Partition]]
    ) -> dict[str, Outcome[Mapping[Partition, Committed]]]:
        if self.has_none():
            return {name: {} for name in groups}
        second = self.second()  # first: it loads kafka-python, which two threads must not do at the same time
        from .committed import committed_offsets  # noqa: PLC0415

        return committed_offsets(second, groups)

    def offsets_at(self, to: Position, partitions: Collection[Partition]) -> dict[Partition, Outcome[int]]:
        found = offsets_at(self.connection, to, partitions)
        # No record is that recent: the group starts at the end.
        beyond = [partition for partition, offset in found.items() if offset == -1]
        return found | offsets_at(self.connection, "latest", beyond)

    def commit(
        self, offsets: Mapping[str, Mapping[Partition, Committed]]
    ) -> dict[str, Outcome[Mapping[Partition, Failure]]]:
        self._can_have_groups.set()
        with self.connection.asking() as ask:
            futures = {
                name: ask.admin.alter_consumer_group_offsets(
                    [Offsets(name, [TopicPartition(*p, c.offset, c.note) for p, c in partitions.items()])],
                    request_timeout=ask.timeout,
                )[name]
                for name, partitions in offsets.items()
            }
            return {name: _failed_commits(ask, name, future) for name, future in futures.items()}

    def group_configs(self, names: Collection[str]) -> dict[str, Outcome[Mapping[str, str]]]:
        if not names:
            return {}
        resources = [ConfigResource(ResourceType.GROUP, name) for name in names]
        with self.connection.asking() as ask:
            futures = ask.admin.describe_configs(resources, request_timeout=ask.timeout)
            return {resource.name: _config(ask, resource.name, future) for resource, future in futures.items()}

    def alter_group_configs(self, changes: Mapping[str, ConfigChange]) -> dict[str, Outcome[None]]:
        resources = [
            ConfigResource(ResourceType.GROUP, name, incremental_configs=entries(change))
            for name, change in changes.items()
        ]
        with self.connection.asking() as ask:
            futures = ask.admin.incremental_alter_configs(resources, request_timeout=ask.timeout)
            return ask.done("changing the config of group", {r.name: future for r, future in futures.items()})

    def delete_groups(self, names: Collection[str]) -> dict[str, Outcome[None]]:
        with self.connection.asking() as ask:
            futures = ask.admin.delete_consumer_groups(list(names), request_timeout=ask.timeout)
            return ask.done("deleting group", futures)


def _shape(ask: Asking, name: str, future: Any) -> Outcome[GroupShape]:
    description = ask.value(f"describing group '{name}'", future)
    if isinstance(description, Failure):
        return GroupShape() if description.kind is FailureKind.MISSING else description
    state = description.state.name.title().replace("_", "")
    assigned = [member.assignment.topic_partitions if member.assignment else () for member in description.members]
    idle, topics = 0, None
    if state == _SETTLED:
        idle = sum(1 for partitions in assigned if not partitions)
        topics = frozenset(partition.topic for partitions in assigned for partition in partitions)
    is_simple = bool(description.is_simple_consumer_group)
    assignor = description.partition_assignor or ""
    return GroupShape(state, len(description.members), idle, is_simple, assignor=assignor, topics=topics)


def _failed_commits(ask: Asking, name: str, future: Any) -> Outcome[Mapping[Partition, Failure]]:
    what = f"committing offsets of group '{name}'"
    answer = ask.value(what, future)
    if isinstance(answer, Failure):
        return answer
    return {(p.topic, p.partition): ask.failure(what, p.error) for p in answer.topic_partitions if p.error is not None}


def _is_invalid(future: Any) -> bool:
    error = future.exception() if future.done() else None
    return isinstance(error, KafkaException) and error.args[0].code() == KafkaError.INVALID_REQUEST


def _config(ask: Asking, name: str, future: Any) -> Outcome[Mapping[str, str]]:
    what = f"reading the config of group '{name}'"
    answer = ask.value(what, future)
    if isinstance(answer, Failure):
        return Failure(answer.kind, f"{what}: {_NO_CONFIGS}") if _is_invalid(future) else answer
    return {
        key: entry.value
        for key, entry in answer.items()
        if entry.source == _GROUP_CONFIG_SOURCE and entry.value is not None
    }
