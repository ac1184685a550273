"""Reads that only an audit or an import needs: all names, the settings of brokers, the quorum."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confluent_kafka.admin import ConfigResource, ResourceType  # type: ignore[attr-defined]

from ..topology.kafka.application_topics import is_hidden, owners
from ..topology.kafka.names import is_kafkas_own
from ..topology.kafka.releases import METADATA_FEATURE, release_of
from .attempts import is_unanswered
from .groups.committed import committed_offsets
from .groups.listing import SHARE, groups_with_settings, listed_groups
from .health.quorum import read_quorum
from .outcomes import Failure, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime

    from .connecting.answers import Asking
    from .connecting.connection import Connection
    from .connecting.second_client import SecondClient
    from .groups.listing import ListedGroup
    from .live.groups import Partition


@dataclass(frozen=True, slots=True)
class SurveyCluster:
    connection: Connection
    second: SecondClient

    def topic_names(self) -> Outcome[frozenset[str]]:
        """The topics that the principal may see, without Kafka's own and those of tools that are hidden like them."""
        counts = self.partition_counts()
        return counts if isinstance(counts, Failure) else frozenset(name for name in counts if not is_hidden(name))

    def partition_counts(self) -> Outcome[dict[str, int]]:
        """The topics that the principal may see, without Kafka's own, with their partitions."""
        with self.connection.asking() as ask:
            topics = ask.topics()
        if isinstance(topics, Failure):
            return topics
        return {name: len(topic.partitions) for name, topic in topics.items() if not is_kafkas_own(name)}

    def application_topics(self) -> Outcome[dict[str, str]]:
        """The topics that applications keep for themselves, with their owners.

        Without the permission to list groups, only what the names of topics prove.
        """
        counts, listed = self.partition_counts(), listed_groups(self.second)
        if isinstance(counts, Failure):
            return counts
        if isinstance(listed, Failure):
            return listed if is_unanswered(listed) else owners(counts, ())
        readers = (name for name, group in listed.items() if not (group.is_of_workers or group.type == SHARE))
        return owners(counts, readers)

    def replicas_by_broker(self) -> Outcome[dict[int, int]]:
        """How many partition replicas each broker holds, Kafka's own too. Topics that you may not see do not count."""
        with self.connection.asking() as ask:
            topics = ask.topics()
        if isinstance(topics, Failure):
            return topics
        placed = (partition.replicas for topic in topics.values() for partition in topic.partitions.values())
        return dict(Counter(broker for replicas in placed for broker in replicas))

    def group_names(self) -> Outcome[frozenset[str]]:
        """The groups of consumers, without applications that use the streams protocol."""
        return self._groups(lambda group: group.reads_as_consumer)

    def application_names(self) -> Outcome[frozenset[str]]:
        """The groups of the streams protocol, and those that have a type or a protocol that we do not know."""
        return self._groups(lambda group: not (group.reads_as_consumer or group.is_of_workers or group.type == SHARE))

    def _groups(self, wanted: Callable[[ListedGroup], bool]) -> Outcome[frozenset[str]]:
        listed = listed_groups(self.second)
        if isinstance(listed, Failure):
            return listed
        return frozenset(name for name, group in listed.items() if wanted(group))

    def groups_with_settings_only(self) -> Outcome[frozenset[str]]:
        """Those that have settings and nothing else: no list of groups has them."""
        settings, listed = groups_with_settings(self.second), listed_groups(self.second)
        if isinstance(settings, Failure):
            return settings
        return listed if isinstance(listed, Failure) else settings - listed.keys()

    def topics_read(self, groups: Collection[str]) -> dict[str, Outcome[tuple[str, ...]]]:
        """The topics on which each group has committed offsets: one request for each coordinator."""
        return {
            name: offsets if isinstance(offsets, Failure) else tuple(sorted({topic for topic, _ in offsets}))
            for name, offsets in committed_offsets(self.second, dict.fromkeys(groups)).items()
        }

    def records_after(
        self, offsets: Mapping[Partition, Collection[int]], leaders: Mapping[Partition, int], *, committed_only: bool
    ) -> dict[tuple[Partition, int], int]:
        """How many records follow these offsets, without those where that is unknown."""
        from .topics.tails import records_after  # noqa: PLC0415 - for groups that are a few offsets behind

        return records_after(self.second, offsets, leaders, committed_only=committed_only)

    def oldest_after(
        self,
        offsets: Collection[tuple[Partition, int]],
        leaders: Mapping[Partition, int],
        now: datetime,
        *,
        committed_only: bool,
    ) -> dict[tuple[Partition, int], datetime]:
        """When the first record after each offset was written, without those where that is unknown. Needs Read."""
        from .topics.tails import oldest_after  # noqa: PLC0415 - for groups that are behind

        return oldest_after(self.second, offsets, leaders, now, committed_only=committed_only)

    def broker_configs(self, brokers: Collection[int]) -> dict[int, Outcome[Mapping[str, str]]]:
        """Every setting in force on each broker. Each broker needs its own request; all are sent at once."""
        futures = {}
        with self.connection.asking() as ask:
            for broker in brokers:
                asked = [ConfigResource(ResourceType.BROKER, str(broker))]
                [futures[broker]] = ask.admin.describe_configs(asked, request_timeout=ask.timeout).values()
            return {broker: _config(ask, broker, future) for broker, future in futures.items()}

    def kafka_version(self) -> Outcome[str | None]:
        """The release of one of the brokers, such as 4.1; None if it is newer than we know."""
        what = "asking for the features of the brokers"
        answer = self.second.call(what, lambda client: client.describe_features())
        if isinstance(answer, Failure):
            return answer
        supported = answer.get(METADATA_FEATURE, {}).get("supported")
        return None if supported is None else release_of(supported[1])

    def controllers(self) -> Outcome[int]:
        """The number of voters in the controller quorum."""
        voters = self.voters()
        return voters if isinstance(voters, Failure) else len(voters)

    def voters(self) -> Outcome[Mapping[int, bool]]:
        """Each voter of the controller quorum, and whether it follows the leader."""
        quorum = read_quorum(self.second)
        return quorum if isinstance(quorum, Failure) else {each: f.follows for each, f in quorum.voters.items()}


def _config(ask: Asking, broker: int, future: Any) -> Outcome[Mapping[str, str]]:
    answer = ask.value(f"reading the config of broker {broker}", future)
    if isinstance(answer, Failure):
        return answer
    return {key: entry.value for key, entry in answer.items() if entry.value is not None}
