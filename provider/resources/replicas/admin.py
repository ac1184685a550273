"""What the provider needs of a cluster to move replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .group_plan import Partition
    from .outcomes import Failure, Outcome
    from .replica_plan import Layout, Replicas, Throttled


class ReplicaAdmin(Protocol):
    def brokers(self) -> Outcome[Mapping[int, str | None]]:
        """The live brokers, with their racks."""

    def layouts(self, topics: Collection[str]) -> Mapping[str, Outcome[Layout]]: ...

    def moving(self) -> Outcome[frozenset[Partition]]:
        """Every partition of the cluster that is being reassigned, by whomever."""

    def sizes(self, topics: Mapping[str, Collection[int]]) -> Outcome[Mapping[Partition, int]]:
        """The bytes of one replica of each partition."""

    def reassign(self, replicas: Mapping[Partition, Replicas]) -> Outcome[Mapping[Partition, Failure]]:
        """What was refused."""

    def throttle(self, topics: Mapping[str, Throttled], brokers: Collection[int], rate: int) -> tuple[Failure, ...]: ...

    def unthrottle(self, topics: Collection[str], brokers: Collection[int]) -> tuple[Failure, ...]: ...

    def elect_preferred(self, partitions: Collection[Partition]) -> tuple[Failure, ...]: ...
