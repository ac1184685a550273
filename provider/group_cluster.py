"""The consumer groups of a real cluster, by confluent_kafka."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from confluent_kafka import OFFSET_INVALID, KafkaException, TopicPartition
from confluent_kafka import ConsumerGroupTopicPartitions as Offsets
from confluent_kafka import TopicCollection as Names
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # unmarked there
    AdminClient,
    ConfigResource,
    OffsetSpec,
    ResourceType,
)

from .config_entries import entries
from .group_plan import Committed, GroupShape, Partition
from .outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .answers import Answers
    from .groups import Position
    from .topic_plan import ConfigChange

_GROUP_CONFIG_SOURCE: Final = 8  # Kafka's DYNAMIC_GROUP_CONFIG, which librdkafka does not name


@dataclass(frozen=True, slots=True)
class GroupCluster:
    admin: AdminClient
    answers: Answers

    def describe_groups(self, names: Collection[str]) -> dict[str, Outcome[GroupShape]]:
        if not names:
            return {}
        futures = self.admin.describe_consumer_groups(list(names), request_timeout=self.answers.timeout)
        return {name: self._shape(name, future) for name, future in futures.items()}

    def _shape(self, name: str, future: Any) -> Outcome[GroupShape]:
        description = self.answers.value(f"describing group '{name}'", future)
        if isinstance(description, Failure):
            return GroupShape() if description.kind is FailureKind.MISSING else description
        return GroupShape(description.state.name.title().replace("_", ""), len(description.members))

    def count_partitions(self, topics: Collection[str]) -> dict[str, Outcome[int]]:
        if not topics:
            return {}
        counts: dict[str, Outcome[int]] = {}
        futures = self.admin.describe_topics(Names(list(topics)), request_timeout=self.answers.timeout)
        for name, future in futures.items():
            description = self.answers.value(f"describing topic '{name}'", future)
            counts[name] = description if isinstance(description, Failure) else len(description.partitions)
        return counts

    def all_partitions(self) -> Outcome[frozenset[Partition]]:
        try:
            topics = self.admin.list_topics(timeout=self.answers.timeout).topics
        except KafkaException as error:
            return self.answers.failure("listing the topics", error.args[0])
        return frozenset((name, number) for name, topic in topics.items() for number in topic.partitions)

    def committed(
        self, groups: Mapping[str, Collection[Partition]]
    ) -> dict[str, Outcome[Mapping[Partition, Committed]]]:
        # Kafka takes one group per request here: all are sent before the first answer is awaited.
        # Without partitions the client library crashed on a young cluster: they are always given.
        futures = {
            name: self.admin.list_consumer_group_offsets(
                [Offsets(name, [TopicPartition(*partition) for partition in sorted(partitions)])],
                request_timeout=self.answers.timeout,
            )[name]
            for name, partitions in groups.items()
            if partitions
        }
        return {name: self._offsets(name, futures[name]) if name in futures else {} for name in groups}

    def _offsets(self, name: str, future: Any) -> Outcome[Mapping[Partition, Committed]]:
        what = f"reading the offsets of group '{name}'"
        answer = self.answers.value(what, future)
        if isinstance(answer, Failure):
            return {} if answer.kind is FailureKind.MISSING else answer
        found: dict[Partition, Committed] = {}
        for partition in answer.topic_partitions:
            if partition.error is not None:
                failure = self.answers.failure(what, partition.error)
                if failure.kind is not FailureKind.MISSING:
                    return failure
            elif partition.offset != OFFSET_INVALID:
                found[partition.topic, partition.partition] = Committed(partition.offset, partition.metadata or "")
        return found

    def offsets_at(self, to: Position, partitions: Collection[Partition]) -> dict[Partition, Outcome[int]]:
        found = self._ask_offsets(_spec(to), partitions)
        # After the last record there is no offset for a moment: the group starts at the end.
        beyond = [partition for partition, offset in found.items() if offset == -1]
        return found | (self._ask_offsets(_spec("latest"), beyond) if beyond else {})

    def _ask_offsets(self, spec: Any, partitions: Collection[Partition]) -> dict[Partition, Outcome[int]]:
        if not partitions:
            return {}
        wanted = {TopicPartition(*partition): spec for partition in partitions}
        found: dict[Partition, Outcome[int]] = {}
        for partition, future in self.admin.list_offsets(wanted, request_timeout=self.answers.timeout).items():
            answer = self.answers.value(f"reading the offsets of topic '{partition.topic}'", future)
            found[partition.topic, partition.partition] = answer if isinstance(answer, Failure) else answer.offset
        return found

    def commit(
        self, offsets: Mapping[str, Mapping[Partition, Committed]]
    ) -> dict[str, Outcome[Mapping[Partition, Failure]]]:
        futures = {
            name: self.admin.alter_consumer_group_offsets(
                [Offsets(name, [TopicPartition(*p, c.offset, c.note) for p, c in partitions.items()])],
                request_timeout=self.answers.timeout,
            )[name]
            for name, partitions in offsets.items()
        }
        return {name: self._failed_commits(name, future) for name, future in futures.items()}

    def _failed_commits(self, name: str, future: Any) -> Outcome[Mapping[Partition, Failure]]:
        what = f"committing offsets of group '{name}'"
        answer = self.answers.value(what, future)
        if isinstance(answer, Failure):
            return answer
        return {
            (p.topic, p.partition): self.answers.failure(what, p.error)
            for p in answer.topic_partitions
            if p.error is not None
        }

    def group_configs(self, names: Collection[str]) -> dict[str, Outcome[Mapping[str, str]]]:
        if not names:
            return {}
        resources = [ConfigResource(ResourceType.GROUP, name) for name in names]
        futures = self.admin.describe_configs(resources, request_timeout=self.answers.timeout)
        return {resource.name: self._config(resource.name, future) for resource, future in futures.items()}

    def _config(self, name: str, future: Any) -> Outcome[Mapping[str, str]]:
        answer = self.answers.value(f"reading the config of group '{name}'", future)
        if isinstance(answer, Failure):
            return answer
        return {
            key: entry.value
            for key, entry in answer.items()
            if entry.source == _GROUP_CONFIG_SOURCE and entry.value is not None
        }

    def alter_group_configs(self, changes: Mapping[str, ConfigChange]) -> dict[str, Outcome[None]]:
        resources = [
            ConfigResource(ResourceType.GROUP, name, incremental_configs=entries(change))
            for name, change in changes.items()
        ]
        futures = self.admin.incremental_alter_configs(resources, request_timeout=self.answers.timeout)
        return self.answers.done("changing the config of group", {r.name: future for r, future in futures.items()})

    def delete_groups(self, names: Collection[str]) -> dict[str, Outcome[None]]:
        futures = self.admin.delete_consumer_groups(list(names), request_timeout=self.answers.timeout)
        return self.answers.done("deleting group", futures)


def _spec(to: Position) -> Any:
    spec: Any = OffsetSpec
    if isinstance(to, datetime):
        return spec.for_timestamp(int(to.timestamp() * 1000))
    return spec.earliest() if to == "earliest" else spec.latest()
