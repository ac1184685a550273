"""What only an audit and an import ask of a cluster: names of everything, settings of brokers, the quorum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType  # type: ignore[attr-defined]

from .outcomes import Failure, FailureKind, Outcome
from .topics import is_internal

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .answers import Answers
    from .second_client import SecondClient


@dataclass(frozen=True, slots=True)
class SurveyCluster:
    admin: AdminClient
    answers: Answers
    second: SecondClient

    def topic_names(self) -> Outcome[frozenset[str]]:
        """All that the principal may see, without Kafka's own."""
        try:
            topics = self.admin.list_topics(timeout=self.answers.timeout).topics
        except KafkaException as error:
            return self.answers.failure("listing the topics", error.args[0])
        return frozenset(name for name in topics if not is_internal(name))

    def group_names(self) -> Outcome[frozenset[str]]:
        what = "listing the consumer groups"
        listing = self.answers.value(what, self.admin.list_consumer_groups(request_timeout=self.answers.timeout))
        if isinstance(listing, Failure):
            return listing
        if listing.errors:
            return self.answers.failure(what, listing.errors[0].args[0])
        return frozenset(group.group_id for group in listing.valid)

    def topics_read(self, groups: Collection[str]) -> Outcome[dict[str, tuple[str, ...]]]:
        """The topics on which each group has committed offsets: one request for each coordinator."""
        if not groups:
            return {}
        answer = self.second.call(
            "reading the offsets of the groups", lambda client: client.list_group_offsets(sorted(groups))
        )
        if isinstance(answer, Failure):
            return answer
        return {name: tuple(sorted({partition.topic for partition in offsets})) for name, offsets in answer.items()}

    def broker_configs(self, brokers: Collection[int]) -> dict[int, Outcome[Mapping[str, str]]]:
        """Every setting in force on each broker. Kafka takes one broker a request; all are sent at once."""
        futures = {}
        for broker in brokers:
            asked = [ConfigResource(ResourceType.BROKER, str(broker))]
            [futures[broker]] = self.admin.describe_configs(asked, request_timeout=self.answers.timeout).values()
        return {broker: self._config(broker, future) for broker, future in futures.items()}

    def _config(self, broker: int, future: Any) -> Outcome[Mapping[str, str]]:
        answer = self.answers.value(f"reading the config of broker {broker}", future)
        if isinstance(answer, Failure):
            return answer
        return {key: entry.value for key, entry in answer.items() if entry.value is not None}

    def controllers(self) -> Outcome[int]:
        """How many voters the quorum of the controllers has."""
        what = "describing the controllers"
        answer = self.second.call(what, lambda client: client.describe_metadata_quorum())
        if isinstance(answer, Failure):
            return answer
        quorum = answer["topics"][0]["partitions"][0]
        if quorum["error"] is not None:
            return Failure(FailureKind.REJECTED, f"{what}: {quorum['error']}")
        return len(quorum["current_voters"])
