"""What the provider needs from a cluster for share groups. Every call takes a set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..any_group.admin import AnyGroupAdmin

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kafka_topology.cluster.live.groups import Partition
    from kafka_topology.cluster.live.share_groups import ShareOffset, ShareShape
    from kafka_topology.cluster.outcomes import Failure, Outcome


class ShareGroupAdmin(AnyGroupAdmin, Protocol):
    def describe_groups(self, names: Collection[str]) -> Mapping[str, Outcome[ShareShape]]:
        """A group that does not exist has the state `Dead`. A cluster without share groups is a failure."""

    def start_offsets(
        self, groups: Mapping[str, Collection[Partition] | None]
    ) -> Mapping[str, Outcome[Mapping[Partition, ShareOffset]]]:
        """The start offsets of groups that exist, without those that have none; None asks for all of them."""

    def set_start_offsets(
        self, offsets: Mapping[str, Mapping[Partition, int]]
    ) -> Mapping[str, Outcome[Mapping[Partition, Failure]]]:
        """The failures of each group, by partition. Brokers refuse this for a group with members."""
