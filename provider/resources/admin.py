"""What the provider needs of a cluster. Every call takes a set and answers for each item of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .group_admin import GroupAdmin
    from .outcomes import Outcome
    from .replica_admin import ReplicaAdmin
    from .security_admin import SecurityAdmin
    from .topic_plan import ConfigChange, LiveTopic, TopicContents
    from .topics import DeclaredTopic


class TopicAdmin(Protocol):
    """None as an outcome means done. No call raises for what befalls a single item."""

    def describe_topics(self, names: Collection[str]) -> Mapping[str, Outcome[LiveTopic]]:
        """The live topics; a topic that is not there is a failure of kind MISSING."""

    def describe_all_topics(self) -> Outcome[Mapping[str, Outcome[LiveTopic]]]:
        """Every topic of the cluster that is not Kafka's own, with a handful of requests."""

    def create_topics(self, topics: Collection[DeclaredTopic]) -> Mapping[str, Outcome[None]]: ...

    def create_partitions(self, totals: Mapping[str, int]) -> Mapping[str, Outcome[None]]: ...

    def alter_configs(self, changes: Mapping[str, ConfigChange]) -> Mapping[str, Outcome[None]]: ...

    def delete_topics(self, names: Collection[str]) -> Mapping[str, Outcome[None]]: ...

    def readers_of(self, names: Collection[str]) -> Mapping[str, Outcome[tuple[str, ...]]]:
        """The consumer groups whose members read each topic now."""

    def contents_of(self, topics: Mapping[str, int]) -> Mapping[str, Outcome[TopicContents]]:
        """What each topic holds, given its number of partitions."""


class Admin(TopicAdmin, Protocol):
    """All that one cluster offers."""

    @property
    def security(self) -> SecurityAdmin: ...

    @property
    def groups(self) -> GroupAdmin: ...

    @property
    def replicas(self) -> ReplicaAdmin: ...

    def close(self) -> None:
        """Ends the connection. No call may be under way, and none may follow."""
