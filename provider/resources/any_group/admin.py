"""What the provider needs from a cluster for groups of any type. Every call takes a set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kafka_topology.cluster.live.groups import Partition, Position
    from kafka_topology.cluster.live.topics import ConfigChange
    from kafka_topology.cluster.outcomes import Outcome


class AnyGroupAdmin(Protocol):
    def count_partitions(self, topics: Collection[str]) -> Mapping[str, Outcome[int]]: ...

    def offsets_at(self, to: Position, partitions: Collection[Partition]) -> Mapping[Partition, Outcome[int]]: ...

    def group_configs(self, names: Collection[str]) -> Mapping[str, Outcome[Mapping[str, str]]]: ...

    def alter_group_configs(self, changes: Mapping[str, ConfigChange]) -> Mapping[str, Outcome[None]]: ...

    def delete_groups(self, names: Collection[str]) -> Mapping[str, Outcome[None]]: ...
