"""Facts about a running cluster, as plain data. `cluster_facts` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LivePartition:
    leader: int | None
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]
    records: int | None = None  # from the first to the last offset: an upper bound
    size: int | None = None  # bytes of one replica


@dataclass(frozen=True, slots=True)
class LiveTopic:
    partitions: tuple[LivePartition, ...]
    min_isr: int | None = None  # in force, wherever it was set

    @property
    def records(self) -> int | None:
        counts = [partition.records for partition in self.partitions]
        return sum(count for count in counts if count is not None) if None not in counts else None

    @property
    def size(self) -> int | None:
        """Bytes of one replica of all partitions, or None if the cluster does not report them."""
        sizes = [partition.size for partition in self.partitions]
        return sum(size for size in sizes if size is not None) if sizes and None not in sizes else None


@dataclass(frozen=True, slots=True)
class LiveGroup:
    state: str
    members: int
    lag: Mapping[str, int] = field(default_factory=dict)  # by topic

    @property
    def is_reading(self) -> bool:
        return self.members > 0


@dataclass(frozen=True, slots=True)
class Live:
    """`problems` says what could not be read, and why. The review claims nothing about that.

    `unread` says the same of the quorum and of Kafka's own topics, which only what-if uses. `unread_topics` are those
    that could not be described: whether they exist is not known.
    """

    brokers: Mapping[int, str | None] = field(default_factory=dict)  # the rack of each
    topics: Mapping[str, LiveTopic] = field(default_factory=dict)
    groups: Mapping[str, LiveGroup] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    voters: Mapping[int, bool] | None = None  # each controller of the quorum, and whether it follows the leader
    unread: tuple[str, ...] = ()
    unread_topics: frozenset[str] = frozenset()

    def readers_of(self, topic: str) -> tuple[str, ...]:
        """Groups with members and committed offsets of the topic."""
        return tuple(name for name, group in self.groups.items() if group.is_reading and topic in group.lag)
