"""How much a topic keeps: its policy, retention, segments and load as plain numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

from kafka_topology.topology.model.declared import ConsumerGroup, Topic
from kafka_topology.topology.model.units import format_duration, kafka_true

from ..engine.rule import Context


class Storage:
    """Effective values of the topics, read fast. Times are in milliseconds; no limit is infinity."""

    def __init__(self, context: Context) -> None:
        index = context.index
        self._context = context
        self.policy = index.topic_items("cleanup.policy")
        self._retention_ms = index.topic_number("retention.ms")
        self._retention_bytes = index.topic_number("retention.bytes")
        self._segment_ms = index.topic_number("segment.ms")
        self._segment_bytes = index.topic_number("segment.bytes")
        self._tiered = index.topic_text("remote.storage.enable")
        self._local_ms = index.topic_number("local.retention.ms")
        self._local_bytes = index.topic_number("local.retention.bytes")

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

    def _local(self, topic: Topic, local: int | None, whole: float) -> float:
        if not kafka_true(self._tiered(topic)) or local is None or local == -2:
            return whole
        return min(_limit(local), whole)

    def segment_ms(self, topic: Topic) -> float:
        return _limit(self._segment_ms(topic))

    def segment_bytes(self, topic: Topic) -> float:
        return _limit(self._segment_bytes(topic))

    def fill_ms(self, topic: Topic) -> float | None:
        """How long the declared load takes to fill one segment; None if no load is declared."""
        rate = partition_rate(topic)
        return self.segment_bytes(topic) * 1000 / rate if rate else None

    @cached_property
    def longest_outages(self) -> dict[str, ConsumerGroup]:
        """By topic, the group that may be down for the longest time."""
        longest: dict[str, ConsumerGroup] = {}
        for topic, group in self._outages():
            known = longest.setdefault(topic, group)
            if outage(group) > outage(known):
                longest[topic] = group
        return longest

    def _outages(self) -> Iterator[tuple[str, ConsumerGroup]]:
        for group in self._context.topology.consumer_groups.values():
            if group.max_outage is not None:
                for topic in (*group.topics, *group.assign):
                    yield topic, group


def outage(group: ConsumerGroup) -> float:
    """How long a group may be down."""
    return _limit(group.max_outage)


def outage_shown(group: ConsumerGroup) -> str:
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


def _limit(number: int | None) -> float:
    return math.inf if number is None or number < 0 else number
