"""How much a topic keeps: its policy, retention, segments and load as plain numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from kafka_topology.topology.kafka.placement import rack_shares
from kafka_topology.topology.model.declared import ConsumerGroup, ShareGroup, StreamsApplication, Topic, Topology
from kafka_topology.topology.model.units import DURATION_UNITS, format_duration, kafka_integer, kafka_true

from .indexes import Index

_TIME_ENTRY = 12  # bytes of an entry of the time index, which is full before the offset index
PLANNED_MS = 365 * DURATION_UNITS["d"]
"""For what is kept forever, disks must last at least a year."""


class Judged(Protocol):
    """A topology with its index: what a rule gets, or one version of a review."""

    @property
    def topology(self) -> Topology: ...

    @property
    def index(self) -> Index: ...


class Storage:
    """Effective values of the topics, read fast. Times are in milliseconds; no limit is infinity."""

    def __init__(self, judged: Judged) -> None:
        index = judged.index
        self._topology = judged.topology
        self.policy = index.topic_items("cleanup.policy")
        self._retention_ms = index.topic_number("retention.ms")
        self._retention_bytes = index.topic_number("retention.bytes")
        self._segment_ms = index.topic_number("segment.ms")
        self._segment_bytes = index.topic_number("segment.bytes")
        self._index_bytes = index.topic_number("segment.index.bytes")
        self._index_interval = index.topic_number("index.interval.bytes")
        self._compaction_lag = index.topic_number("max.compaction.lag.ms")
        self._tiered = index.topic_text("remote.storage.enable")
        self._local_ms = index.topic_number("local.retention.ms")
        self._local_bytes = index.topic_number("local.retention.bytes")

    @cached_property
    def check_ms(self) -> int:
        """How often brokers look for segments to delete; at least a minute, for what is planned with it."""
        declared = kafka_integer(self._topology.cluster.defaults.get("log.retention.check.interval.ms", ""))
        return max(DURATION_UNITS["m"], declared or 5 * DURATION_UNITS["m"])

    def deletes(self, topic: Topic) -> bool:
        return "delete" in self.policy(topic)

    def compacts(self, topic: Topic) -> bool:
        return "compact" in self.policy(topic)

    def retention_ms(self, topic: Topic) -> float:
        return _limit(self._retention_ms(topic))

    def retention_bytes(self, topic: Topic) -> float:
        """Per partition."""
        return _limit(self._retention_bytes(topic))

    def local_ms(self, topic: Topic) -> float:
        """How long records stay on the brokers' own disks."""
        return self._local(topic, self._local_ms(topic), self.retention_ms(topic))

    def local_bytes(self, topic: Topic) -> float:
        return self._local(topic, self._local_bytes(topic), self.retention_bytes(topic))

    def is_tiered(self, topic: Topic) -> bool:
        """Whether older records leave the brokers' own disks before they are deleted."""
        return self.local_ms(topic) < self.retention_ms(topic) or self.local_bytes(topic) < self.retention_bytes(topic)

    def _local(self, topic: Topic, local: int | None, whole: float) -> float:
        if not kafka_true(self._tiered(topic)) or local is None or local == -2:
            return whole
        return min(_limit(local), whole)

    def segment_ms(self, topic: Topic) -> float:
        """After how long Kafka closes a segment that is not full: sooner, if records must be compacted sooner."""
        by_time = _limit(self._segment_ms(topic))
        return min(by_time, _limit(self._compaction_lag(topic))) if self.compacts(topic) else by_time

    def segment_bytes(self, topic: Topic) -> float:
        return _limit(self._segment_bytes(topic))

    def index_full_bytes(self, topic: Topic) -> float:
        """After how many bytes Kafka closes a segment at the latest because an index of it is full, about."""
        size, interval = self._index_bytes(topic), self._index_interval(topic)
        return math.inf if not size or not interval else size // _TIME_ENTRY * interval

    def fill_ms(self, topic: Topic) -> float | None:
        """How long the declared load takes to fill one segment; None if no load is declared."""
        rate = partition_rate(topic)
        return self.segment_bytes(topic) * 1000 / rate if rate else None

    @cached_property
    def longest_outages(self) -> dict[str, ConsumerGroup | ShareGroup | StreamsApplication]:
        """By topic, the group that may be down for the longest time."""
        longest: dict[str, ConsumerGroup | ShareGroup | StreamsApplication] = {}
        for topic, group in self._outages():
            known = longest.setdefault(topic, group)
            if outage(group) > outage(known):
                longest[topic] = group
        return longest

    def _outages(self) -> Iterator[tuple[str, ConsumerGroup | ShareGroup | StreamsApplication]]:
        for group in self._topology.consumer_groups.values():
            if group.max_outage is not None:
                for topic in (*group.topics, *group.assign):
                    yield topic, group
        for share in self._topology.share_groups.values():
            if share.max_outage is not None:
                for topic in share.topics:
                    yield topic, share
        for application in self._topology.streams.values():
            if application.max_outage is not None:
                for topic in application.reads:
                    yield topic, application


def outage(group: ConsumerGroup | ShareGroup | StreamsApplication) -> float:
    """How long a group may be down."""
    return _limit(group.max_outage)


def outage_shown(group: ConsumerGroup | ShareGroup | StreamsApplication) -> str:
    """`outage` in a sentence: "for 3d", "forever"."""
    longest = outage(group)
    return "forever" if longest == math.inf else f"for {format_duration(int(longest))}"


def declared_rate(topic: Topic) -> int | None:
    """Bytes per second: the average, because it fills the disks, or the peak if only that is declared."""
    if topic.throughput is None:
        return None
    return topic.throughput.average if topic.throughput.average is not None else topic.throughput.peak


def partition_rate(topic: Topic) -> float | None:
    rate = declared_rate(topic)
    return rate / topic.partitions if rate is not None else None


def disk_bytes(topic: Topic, storage: Storage) -> float | None:
    """What one replica of all partitions keeps on the brokers' own disks, by the declared load and retention.

    None if the declaration does not limit it.
    """
    return _bounded(topic, storage, storage.local_ms(topic), storage.local_bytes(topic))


def retained_bytes(topic: Topic, storage: Storage) -> float | None:
    """All that the topic keeps, on the brokers' disks and in remote storage, counted once."""
    return _bounded(topic, storage, storage.retention_ms(topic), storage.retention_bytes(topic))


def _bounded(topic: Topic, storage: Storage, kept_ms: float, partition_bytes: float) -> float | None:
    if not storage.deletes(topic):
        return None
    rate = declared_rate(topic)
    by_time = math.inf if rate is None else rate * kept_ms / 1000 if rate else 0
    kept = min(by_time, partition_bytes * topic.partitions)
    return kept if kept < math.inf else None


def stored_bytes(topic: Topic, storage: Storage) -> float:
    """What one replica of a topic with a declared load needs on disk; 0 if that is unknown: no load, or compacted.

    Retention by size deletes whole segments, and never so many that less than its limit would remain: a partition
    keeps up to one segment more. What is kept forever is counted for `PLANNED_MS`.
    """
    rate = declared_rate(topic)
    if rate is None or storage.compacts(topic):
        return 0
    kept_ms = storage.local_ms(topic) if storage.deletes(topic) else math.inf
    kept_bytes = storage.local_bytes(topic) if storage.deletes(topic) else math.inf
    by_time = rate * min(kept_ms, PLANNED_MS) / 1000
    return min(by_time, (kept_bytes + storage.segment_bytes(topic)) * topic.partitions)


@dataclass(frozen=True, slots=True)
class RackUse:
    """What the topics with a declared load keep in one rack, and what its disks hold."""

    rack: str
    brokers: int
    stored: int
    disk: int

    @property
    def share(self) -> float:
        return self.stored / max(self.disk, 1)


def fullest_rack(topology: Topology, storage: Storage) -> RackUse | None:
    """The rack with the least room, as Kafka spreads replicas over racks; None unless every broker has one."""
    brokers = topology.cluster.brokers or ()
    disks: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for broker in brokers:
        if broker.rack is None or broker.disk is None:
            return None
        disks[broker.rack] += broker.disk
        counts[broker.rack] += 1
    if len(counts) < 2:
        return None
    shares = {count: rack_shares(count, counts) for count in {topic.replication for topic in topology.topics.values()}}
    stored = dict.fromkeys(counts, 0.0)
    for topic in topology.topics.values():
        one = stored_bytes(topic, storage)
        for rack, share in shares[topic.replication].items():
            stored[rack] += one * share
    uses = [RackUse(rack, counts[rack], int(stored[rack]), disks[rack]) for rack in counts]
    return max(uses, key=lambda use: use.share)


@dataclass(frozen=True, slots=True)
class PartitionBytes:
    """What a partition holds before or after a change, by the declared load and retention; no limit is infinity.

    `most` if every record goes to it at peak load, `usual` if records spread evenly.
    """

    most: float
    usual: float


def partition_bytes(old: tuple[Topic, Storage], new: tuple[Topic, Storage]) -> PartitionBytes:
    """Of two versions of a topic. A load that is declared only now is taken for the earlier version, too."""
    before, after = old[0], new[0]
    known = before if before.throughput is not None else replace(before, throughput=after.throughput)
    pairs = ((known, old[1]), new)
    return PartitionBytes(max(_most(*pair) for pair in pairs), max(_usual(*pair) for pair in pairs))


def _most(topic: Topic, storage: Storage) -> float:
    """Only closed segments are deleted, when a broker looks for them next."""
    peak = topic.throughput.peak if topic.throughput is not None else None
    if peak is None or not storage.deletes(topic):
        return math.inf
    return peak * (storage.retention_ms(topic) + storage.check_ms) / 1000 + storage.segment_bytes(topic)


def _usual(topic: Topic, storage: Storage) -> float:
    rate = partition_rate(topic)
    return math.inf if rate is None else rate * storage.retention_ms(topic) / 1000


def rounded(count: int) -> str:
    """A size as people read it: 3.0 TB."""
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"


def _limit(number: int | None) -> float:
    return math.inf if number is None or number < 0 else number
