"""What the provider needs from a cluster for consumer groups. Every call takes a set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..any_group.admin import AnyGroupAdmin

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kafka_topology.cluster.live.groups import Committed, GroupShape, Partition
    from kafka_topology.cluster.outcomes import Failure, Outcome


class GroupAdmin(AnyGroupAdmin, Protocol):
    def describe_groups(self, names: Collection[str]) -> Mapping[str, Outcome[GroupShape]]:
        """A group that does not exist has the state `Dead`."""

    def all_partitions(self) -> Outcome[frozenset[Partition]]:
        """Every partition of the cluster, for a group about which nothing is known yet."""

    def committed(
        self, groups: Mapping[str, Collection[Partition]]
    ) -> Mapping[str, Outcome[Mapping[Partition, Committed]]]:
        """The offsets of each group on these partitions; those without an offset are left out."""

    def commit(
        self, offsets: Mapping[str, Mapping[Partition, Committed]]
    ) -> Mapping[str, Outcome[Mapping[Partition, Failure]]]:
        """The failed commits of each group."""
