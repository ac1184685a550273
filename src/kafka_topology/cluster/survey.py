"""Reads that only an audit or an import needs: all names, the settings of brokers, the quorum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confluent_kafka.admin import ConfigResource, ResourceType  # type: ignore[attr-defined]

from ..topology.kafka.names import is_internal
from .groups.committed import committed_offsets
from .outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .connecting.answers import Asking
    from .connecting.connection import Connection
    from .connecting.second_client import SecondClient


@dataclass(frozen=True, slots=True)
class SurveyCluster:
    connection: Connection
    second: SecondClient

    def topic_names(self) -> Outcome[frozenset[str]]:
        """All topics that the principal may see, without Kafka's own."""
        with self.connection.asking() as ask:
            topics = ask.topics()
        return topics if isinstance(topics, Failure) else frozenset(name for name in topics if not is_internal(name))

    def group_names(self) -> Outcome[frozenset[str]]:
        what = "listing the consumer groups"
        with self.connection.asking() as ask:
            listing = ask.value(what, ask.admin.list_consumer_groups(request_timeout=ask.timeout))
            if isinstance(listing, Failure):
                return listing
            if listing.errors:
                return ask.failure(what, listing.errors[0].args[0])
        return frozenset(group.group_id for group in listing.valid)

    def topics_read(self, groups: Collection[str]) -> dict[str, Outcome[tuple[str, ...]]]:
        """The topics on which each group has committed offsets: one request for each coordinator."""
        return {
            name: offsets if isinstance(offsets, Failure) else tuple(sorted({topic for topic, _ in offsets}))
            for name, offsets in committed_offsets(self.second, dict.fromkeys(groups)).items()
        }

    def broker_configs(self, brokers: Collection[int]) -> dict[int, Outcome[Mapping[str, str]]]:
        """Every setting in force on each broker. Each broker needs its own request; all are sent at once."""
        futures = {}
        with self.connection.asking() as ask:
            for broker in brokers:
                asked = [ConfigResource(ResourceType.BROKER, str(broker))]
                [futures[broker]] = ask.admin.describe_configs(asked, request_timeout=ask.timeout).values()
            return {broker: _config(ask, broker, future) for broker, future in futures.items()}

    def controllers(self) -> Outcome[int]:
        """The number of voters in the controller quorum."""
        what = "describing the controllers"
        answer = self.second.call(what, lambda client: client.describe_metadata_quorum())
        if isinstance(answer, Failure):
            return answer
        quorum = answer["topics"][0]["partitions"][0]
        if quorum["error"] is not None:
            return Failure(FailureKind.REJECTED, f"{what}: {quorum['error']}")
        return len(quorum["current_voters"])


def _config(ask: Asking, broker: int, future: Any) -> Outcome[Mapping[str, str]]:
    answer = ask.value(f"reading the config of broker {broker}", future)
    if isinstance(answer, Failure):
        return answer
    return {key: entry.value for key, entry in answer.items() if entry.value is not None}
