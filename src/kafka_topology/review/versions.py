"""Two versions of a topology at hand, and what a live cluster adds to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from ..topology.kafka.access import Grant, derived_acls
from ..topology.kafka.effective import EffectiveSettings
from ..topology.model.declared import Topic, Topology
from ..validators.facts.access import owners_of_principals
from ..validators.facts.changes import about
from ..validators.facts.indexes import Index
from .live import Live


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of one replica of a topic, how they are known, and whether the cluster said so."""

    count: float
    source: str
    is_live: bool = False

    def times(self, copies: int) -> str:
        return f"{about(self.count * copies)} ({self.source})"


class Version:
    """One version: effective settings, which clients use which topics, and how much a topic holds."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.settings = EffectiveSettings(topology)
        self.index = Index(topology, self.settings)
        # Looking up a setting of one topic is quick; finding the inherited value is not, so it is cached by name.
        self._number = cache(self.index.topic_number)
        self._text = cache(self.index.topic_text)
        self._items = cache(self.index.topic_items)

    @cached_property
    def grants(self) -> tuple[Grant, ...]:
        return derived_acls(self.topology)

    @cached_property
    def owners(self) -> Mapping[str, frozenset[str]]:
        """The teams whose roles connect as a principal."""
        return owners_of_principals(self.topology)

    @cached_property
    def copartitioned(self) -> Mapping[str, frozenset[str]]:
        """The topics that each topic is co-partitioned with, whichever of the two declares it."""
        found: dict[str, set[str]] = {}
        for topic in self.topology.topics.values():
            for other in topic.copartitioned_with:
                found.setdefault(topic.name, set()).add(other)
                found.setdefault(other, set()).add(topic.name)
        return {name: frozenset(others) for name, others in found.items()}

    def number(self, topic: Topic, name: str) -> int | None:
        return self._number(name)(topic)

    def text(self, topic: Topic, name: str) -> str | None:
        return self._text(name)(topic)

    def policy(self, topic: Topic) -> frozenset[str]:
        return self._items("cleanup.policy")(topic)

    def kept_bytes(self, topic: Topic) -> float | None:
        """Bytes that one replica of all partitions will hold, by the declared throughput and retention."""
        load = topic.throughput
        rate = (load.average if load.average is not None else load.peak) if load is not None else None
        kept = self.number(topic, "retention.ms")
        limit = self.number(topic, "retention.bytes")
        if "delete" not in self.policy(topic):
            return None
        by_size = limit * topic.partitions if limit is not None and limit >= 0 else None
        if rate is None or kept is None or kept < 0:
            return by_size
        by_time = rate * kept / 1000
        return min(by_time, by_size) if by_size is not None else by_time

    def writer_names(self, topic: str) -> tuple[str, ...]:
        return tuple(writer.name for writer in self.index.clients.writers_of(topic))

    def reader_names(self, topic: str) -> tuple[str, ...]:
        return tuple(reader.name for reader in self.index.clients.readers_of(topic))


class Versions:
    """The versions before and after, and the live facts."""

    def __init__(self, before: Topology, after: Topology, live: Live | None = None) -> None:
        self.old = Version(before)
        self.new = Version(after)
        self.live = live

    def size_now(self, topic: Topic) -> Size | None:
        """What one replica holds now: as the cluster reports it, or by the declaration before the change."""
        found = self.live.topics.get(topic.name) if self.live is not None else None
        if found is not None and found.size is not None:
            return Size(found.size, "live", is_live=True)
        record = topic.throughput.record_size if topic.throughput is not None else None
        if found is not None and found.records is not None and record is not None:
            return Size(found.records * record, "live records times the declared record size", is_live=True)
        kept = self.old.kept_bytes(topic)
        return Size(kept, "by the declared throughput and retention") if kept is not None else None

    def live_users(self, topic: str) -> tuple[str, ...]:
        return self.live.readers_of(topic) if self.live is not None else ()
