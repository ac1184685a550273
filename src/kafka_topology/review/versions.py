"""Two versions of a topology at hand, and what a live cluster adds to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from ..topology.access import Grant, derived_acls
from ..topology.effective import EffectiveSettings
from ..topology.model import Topic, Topology
from ..validators.access import owners_of_principals
from ..validators.changes import about
from ..validators.indexes import Index
from .live import Live

BY_DECLARATION = "by the declared throughput and retention"


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of one replica of a topic, and how they are known."""

    count: float
    source: str

    def times(self, copies: int) -> str:
        return f"{about(self.count * copies)} ({self.source})"


class Version:
    """One version: effective settings, who uses what, and how much a topic holds."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.settings = EffectiveSettings(topology)
        self.index = Index(topology, self.settings)
        # To look a setting up for one topic is quick, to find what all others inherit is not: that is kept by name.
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
        """The topics that are declared to go with a topic, whichever of them says so."""
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
        """What one replica of all partitions comes to hold, by the declared load and retention."""
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
    """The version before, the version after, and what is live now."""

    def __init__(self, before: Topology, after: Topology, live: Live | None = None) -> None:
        self.old = Version(before)
        self.new = Version(after)
        self.live = live

    def size_now(self, topic: Topic) -> Size | None:
        """What one replica holds today: as the cluster tells, or else by the declaration before the change."""
        found = self.live.topics.get(topic.name) if self.live is not None else None
        if found is not None and found.size is not None:
            return Size(found.size, "live")
        record = topic.throughput.record_size if topic.throughput is not None else None
        if found is not None and found.records is not None and record is not None:
            return Size(found.records * record, "live records by the declared record size")
        kept = self.old.kept_bytes(topic)
        return Size(kept, BY_DECLARATION) if kept is not None else None

    def live_users(self, topic: str) -> tuple[str, ...]:
        return self.live.readers_of(topic) if self.live is not None else ()


def named(names: tuple[str, ...], *, most: int = 5) -> str:
    """Some names in a sentence."""
    shown, rest = names[:most], len(names) - most
    if rest > 0:
        return f"{', '.join(shown)} and {rest} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1] if shown else ""]))


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
