"""How much each broker carries, before a loss and after the lost replicas were placed on the remaining ones."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ...topology.kafka.placement import placements
from ...topology.model.declared import Topic, Topology
from ...topology.model.words import listed
from ..live import Live, LiveTopic
from ..versions import Versions
from .losses import Loss


@dataclass(frozen=True, slots=True)
class BrokerLoad:
    """Partition replicas, and their bytes if any are known."""

    replicas: float
    disk: float | None


@dataclass(frozen=True, slots=True)
class BrokerChange:
    """One broker that is left, its load before and after, and its declared disk."""

    broker: int
    before: BrokerLoad
    after: BrokerLoad
    disk: int | None


@dataclass(frozen=True, slots=True)
class Loads:
    """Averages over the brokers that run before and over those that are left, and each of the latter.

    `unplaced` replicas fit on none of those that are left.
    """

    before: BrokerLoad
    after: BrokerLoad
    brokers: tuple[BrokerChange, ...]
    notes: tuple[str, ...]
    unplaced: int = 0


def loads(versions: Versions, loss: Loss, live: Live | None) -> Loads:
    topology = versions.new.topology
    sizes = {topic.name: versions.size_now(topic) for topic in topology.topics.values()}
    unknown = [name for name, size in sizes.items() if size is None]
    has_sizes = len(unknown) < len(sizes)
    left = {broker: loss.brokers[broker] for broker in loss.left}
    before, after = _Tally(loss.running), _Tally(left)
    wanted = 0
    for topic in topology.topics.values():
        found = live.topics.get(topic.name) if live is not None else None
        size = sizes[topic.name]
        each = _placed_now(topic, found, loss.running)
        wanted += sum(map(len, each))
        of_partition = _partition_sizes(found, len(each), size.count if size is not None else 0)
        for replicas, count in zip(each, of_partition, strict=True):
            before.add(replicas, count)
        if left and found is None:
            for replicas, count in zip(_placed_now(topic, None, left), of_partition, strict=True):
                after.add(replicas, count)
        elif left:
            for replicas, count in zip(each, of_partition, strict=True):
                after.move(replicas, count)
    notes = [f"disk does not count topics of unknown size: {listed(unknown, most=3)}"] if unknown else []
    if not loss.left:
        notes.append("no broker is left")
    disks = _disks(topology)
    changes = tuple(
        BrokerChange(broker, before.of(broker, has_sizes), after.of(broker, has_sizes), disks.get(broker))
        for broker in sorted(loss.left)
    )
    unplaced = wanted - sum(after.replicas.values())
    average = after.average(has_sizes and bool(loss.left))
    return Loads(before.average(has_sizes), average, changes, tuple(notes), unplaced)


class _Tally:
    def __init__(self, brokers: Mapping[int, str | None]) -> None:
        self._racks = brokers
        self.replicas = dict.fromkeys(brokers, 0)
        self.disk = dict.fromkeys(self.replicas, 0.0)

    def add(self, brokers: Iterable[int], size: float) -> None:
        for broker in brokers:
            if broker in self.replicas:
                self.replicas[broker] += 1
                self.disk[broker] += size

    def move(self, replicas: tuple[int, ...], size: float) -> None:
        """The replicas that are left stay; each lost one goes to the emptiest broker, of another rack if possible."""
        kept = [broker for broker in replicas if broker in self.replicas]
        self.add(kept, size)
        for _ in range(len(replicas) - len(kept)):
            others = [broker for broker in self.replicas if broker not in kept]
            if others:
                kept.append(self._emptiest(others, {self._racks[broker] for broker in kept} - {None}))
                self.add(kept[-1:], size)

    def of(self, broker: int, has_sizes: bool) -> BrokerLoad:
        return BrokerLoad(self.replicas[broker], self.disk[broker] if has_sizes else None)

    def average(self, has_sizes: bool) -> BrokerLoad:
        count = max(1, len(self.replicas))
        disk = sum(self.disk.values()) / count if has_sizes else None
        return BrokerLoad(sum(self.replicas.values()) / count, disk)

    def _emptiest(self, brokers: Iterable[int], taken: Collection[str | None]) -> int:
        def load(broker: int) -> tuple[bool, float, int, int]:
            return self._racks[broker] in taken, self.disk[broker], self.replicas[broker], broker

        return min(brokers, key=load)


def _placed_now(topic: Topic, found: LiveTopic | None, brokers: Mapping[int, str | None]) -> list[tuple[int, ...]]:
    if found is not None:
        return [partition.replicas for partition in found.partitions]
    # One of several for each topic, the same in each run: all starting alike would fill one broker.
    several = placements(topic.partitions, topic.replication, brokers)
    return [*several[zlib.crc32(topic.name.encode()) % len(several)]]


def _partition_sizes(found: LiveTopic | None, partitions: int, whole: float) -> list[float]:
    """Bytes of one replica of each partition: as the cluster reports them, or the same for each."""
    if found is not None and found.size is not None:
        return [float(partition.size or 0) for partition in found.partitions]
    return [whole / max(1, partitions)] * partitions


def _disks(topology: Topology) -> dict[int, int | None]:
    return {broker.id: broker.disk for broker in topology.cluster.brokers or ()}
