"""Two versions of a topology at hand, and what a live cluster adds to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from ..topology.kafka.access import Grant, derived_acls
from ..topology.kafka.authorizer import Allowed
from ..topology.kafka.effective import EffectiveSettings
from ..topology.model.declared import ConsumerGroup, Topic, Topology
from ..validators.facts.access import owners_of_principals
from ..validators.facts.changes import Changes, SchemaHistory, about
from ..validators.facts.indexes import Index
from ..validators.facts.renames import renamed_groups, renamed_topics
from ..validators.facts.storage import Storage, disk_bytes, retained_bytes
from .live import Live

Renamed = tuple[tuple[tuple[Topic, Topic], ...], tuple[tuple[ConsumerGroup, ConsumerGroup], ...]]


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
    def allowed(self) -> Allowed:
        return Allowed(self.grants)

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

    def default_of(self, name: str) -> str | None:
        """The default of the cluster that topics inherit a setting from; None if that is Kafka's own."""
        key = self.settings.catalogue.topic.get(name)
        names = (each.name for each in key.broker_keys) if key is not None else ()
        return next((each for each in names if each in self.topology.cluster.defaults), None)

    def number(self, topic: Topic, name: str) -> int | None:
        return self._number(name)(topic)

    def text(self, topic: Topic, name: str) -> str | None:
        return self._text(name)(topic)

    def policy(self, topic: Topic) -> frozenset[str]:
        return self._items("cleanup.policy")(topic)

    @cached_property
    def storage(self) -> Storage:
        return Storage(self)

    def disk_bytes(self, topic: Topic) -> float | None:
        """Bytes that one replica of all partitions will hold on the brokers' disks, by the declaration."""
        return disk_bytes(topic, self.storage)

    def retained_bytes(self, topic: Topic) -> float | None:
        """Bytes that the topic will hold, on disks and in remote storage, by the declaration."""
        return retained_bytes(topic, self.storage)

    def writer_names(self, topic: str) -> tuple[str, ...]:
        return tuple(writer.name for writer in self.index.clients.writers_of(topic))

    def reader_names(self, topic: str) -> tuple[str, ...]:
        readers = self.index.clients.readers_of(topic)
        return (*(reader.name for reader in readers), *(group.name for group in self.index.share_groups_of(topic)))


class Versions:
    """The versions before and after, and the live facts."""

    def __init__(
        self,
        before: Topology,
        after: Topology,
        live: Live | None = None,
        history: SchemaHistory = lambda _: None,
    ) -> None:
        self.old = Version(before)
        self.new = Version(after)
        self.live = live
        self._history = history

    @cached_property
    def renamed(self) -> Renamed:
        """Topics and groups that come back under another name: each old one with the new one."""
        old, new = self.old.topology, self.new.topology
        if not _both_ways(old.topics, new.topics) and not _both_ways(old.consumer_groups, new.consumer_groups):
            return (), ()
        return tuple(renamed_topics(self.compared)), tuple(renamed_groups(self.compared))

    @cached_property
    def compared(self) -> Changes:
        """The two versions as the rules about changes see them."""
        return Changes(self.old.topology, self.new.topology, self.new.index, self._history)

    def size_now(self, topic: Topic) -> Size | None:
        """What one replica holds on disk now: as the cluster reports it, or by the declaration before the change."""
        found = self.live.topics.get(topic.name) if self.live is not None else None
        if found is not None and found.size is not None:
            return Size(found.size, "live", is_live=True)
        record = topic.throughput.record_size if topic.throughput is not None else None
        # Records in remote storage have offsets, too.
        is_local = not self.old.storage.is_tiered(topic)
        if is_local and found is not None and found.records is not None and record is not None:
            return Size(found.records * record, "live records times the declared record size", is_live=True)
        return _declared(self.old.disk_bytes(topic))

    def held_now(self, topic: Topic) -> Size | None:
        """All that the topic holds, counted once. What remote storage has is known by the declaration only."""
        if self.old.storage.is_tiered(topic):
            return _declared(self.old.retained_bytes(topic))
        return self.size_now(topic)

    def live_users(self, topic: str) -> tuple[str, ...]:
        return self.live.readers_of(topic) if self.live is not None else ()


def _both_ways(old: Mapping[str, object], new: Mapping[str, object]) -> bool:
    """Whether names come and others go."""
    return bool(old.keys() - new.keys()) and bool(new.keys() - old.keys())


def _declared(count: float | None) -> Size | None:
    return Size(count, "by the declared throughput and retention") if count is not None else None
