"""What the provider needs of a cluster for consumer groups. Every call takes a set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .group_plan import Committed, GroupShape, Partition
    from .groups import Position
    from .outcomes import Failure, Outcome
    from .topic_plan import ConfigChange


class GroupAdmin(Protocol):
    def describe_groups(self, names: Collection[str]) -> Mapping[str, Outcome[GroupShape]]:
        """A group that is not there has the state `Dead`."""

    def count_partitions(self, topics: Collection[str]) -> Mapping[str, Outcome[int]]: ...

    def all_partitions(self) -> Outcome[frozenset[Partition]]:
        """Every partition of the cluster, for a group of which nothing is known yet."""

    def committed(
        self, groups: Mapping[str, Collection[Partition]]
    ) -> Mapping[str, Outcome[Mapping[Partition, Committed]]]:
        """The offsets of each group on these partitions; those without an offset are left out."""

    def offsets_at(self, to: Position, partitions: Collection[Partition]) -> Mapping[Partition, Outcome[int]]: ...

    def commit(
        self, offsets: Mapping[str, Mapping[Partition, Committed]]
    ) -> Mapping[str, Outcome[Mapping[Partition, Failure]]]:
        """What failed of each group's commits."""

    def group_configs(self, names: Collection[str]) -> Mapping[str, Outcome[Mapping[str, str]]]: ...

    def alter_group_configs(self, changes: Mapping[str, ConfigChange]) -> Mapping[str, Outcome[None]]: ...

    def delete_groups(self, names: Collection[str]) -> Mapping[str, Outcome[None]]: ...
