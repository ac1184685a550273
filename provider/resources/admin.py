"""What the provider needs from a cluster. Every call takes a set and returns an outcome for each item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kafka_topology.cluster.live.topics import ConfigChange, LiveTopic, TopicContents, Writer
    from kafka_topology.cluster.outcomes import Outcome

    from .group.admin import GroupAdmin
    from .replicas.admin import ReplicaAdmin
    from .security_admin import SecurityAdmin
    from .share_group.admin import ShareGroupAdmin
    from .topic.inputs import DeclaredTopic


class TopicAdmin(Protocol):
    """None as an outcome means done. A call does not raise when a single item fails."""

    def describe_topics(self, names: Collection[str]) -> Mapping[str, Outcome[LiveTopic]]:
        """The live topics; a topic that does not exist is a failure of kind MISSING."""

    def describe_all_topics(self) -> Outcome[Mapping[str, Outcome[LiveTopic]]]:
        """Every topic of the cluster except Kafka's own, with a few requests."""

    def create_topics(
        self, topics: Collection[DeclaredTopic], *, validate_only: bool = False
    ) -> Mapping[str, Outcome[None]]:
        """With `validate_only`, here and below, the brokers only validate the request."""

    def create_partitions(
        self, totals: Mapping[str, int], *, validate_only: bool = False
    ) -> Mapping[str, Outcome[None]]: ...

    def alter_configs(
        self, changes: Mapping[str, ConfigChange], *, validate_only: bool = False
    ) -> Mapping[str, Outcome[None]]: ...

    def delete_topics(self, names: Collection[str]) -> Mapping[str, Outcome[None]]: ...

    def readers_of(self, names: Collection[str]) -> Mapping[str, Outcome[tuple[str, ...]]]:
        """The consumer groups whose members read each topic now."""

    def contents_of(self, topics: Mapping[str, int]) -> Mapping[str, Outcome[TopicContents]]:
        """What each topic holds, given its number of partitions."""

    def writers_of(self, topics: Mapping[str, LiveTopic]) -> Mapping[str, Outcome[tuple[Writer, ...] | None]]:
        """The producers that wrote to each topic recently; None if that cannot be known."""


class Admin(TopicAdmin, Protocol):
    """Everything that one cluster offers."""

    @property
    def cluster_id(self) -> str: ...

    @property
    def security(self) -> SecurityAdmin: ...

    @property
    def groups(self) -> GroupAdmin: ...

    @property
    def share_groups(self) -> ShareGroupAdmin: ...

    @property
    def replicas(self) -> ReplicaAdmin: ...

    def close(self) -> None:
        """Closes the connection. No call may be running, and none may follow."""
