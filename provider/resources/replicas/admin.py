"""What the provider needs from a cluster to move replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kafka_topology.cluster.live.groups import Partition
    from kafka_topology.cluster.live.replicas import Layout, Replicas, ThrottleChanges, Throttles
    from kafka_topology.cluster.outcomes import Failure, Outcome


class ReplicaAdmin(Protocol):
    def brokers(self) -> Outcome[Mapping[int, str | None]]:
        """The live brokers, with their racks."""

    def fenced(self) -> Collection[int]:
        """Known brokers that are down. Empty if the cluster does not list them."""

    def layouts(self, topics: Collection[str]) -> Mapping[str, Outcome[Layout]]: ...

    def moving(self) -> Outcome[frozenset[Partition]]:
        """Every partition of the cluster that is being reassigned, whoever started it."""

    def sizes(self, topics: Mapping[str, Collection[int]]) -> Outcome[Mapping[Partition, int]]:
        """The bytes of one replica of each partition."""

    def reassign(self, replicas: Mapping[Partition, Replicas]) -> Outcome[Mapping[Partition, Failure]]:
        """The refused partitions."""

    def throttles(self, topics: Collection[str], brokers: Collection[int]) -> Outcome[Throttles]:
        """The throttles that are set now, whoever set them. A deleted topic has none."""

    def set_throttles(self, changes: ThrottleChanges) -> tuple[Failure, ...]: ...

    def elect_preferred(self, partitions: Collection[Partition]) -> tuple[Failure, ...]: ...
