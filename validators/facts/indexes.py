"""What many rules ask of one topology, computed once: writers and readers of a topic, and fast effective values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from kafka_topology.topology.kafka.effective import EffectiveSettings
from kafka_topology.topology.model.declared import (
    ConsumerGroup,
    Producer,
    ShareGroup,
    StreamsApplication,
    Topic,
    Topology,
)
from kafka_topology.topology.model.units import kafka_integer

from .clients import Clients

Key = TypeVar("Key")
Value = TypeVar("Value")


class Index:
    """Lookups in a topology, each built at its first use."""

    def __init__(self, topology: Topology, settings: EffectiveSettings) -> None:
        self._topology = topology
        self._settings = settings

    def producers_of(self, topic: str) -> Sequence[Producer]:
        return self._producers.get(topic, ())

    def groups_of(self, topic: str) -> Sequence[ConsumerGroup]:
        """Groups that subscribe to the topic or assign its partitions themselves."""
        return self._groups.get(topic, ())

    def share_groups_of(self, topic: str) -> Sequence[ShareGroup]:
        return self._share_groups.get(topic, ())

    def streams_reading(self, topic: str) -> Sequence[StreamsApplication]:
        return self._streams_reading.get(topic, ())

    def streams_writing(self, topic: str) -> Sequence[StreamsApplication]:
        return self._streams_writing.get(topic, ())

    def writers_of(self, topic: str) -> tuple[Producer | StreamsApplication, ...]:
        return (*self.producers_of(topic), *self.streams_writing(topic))

    @cached_property
    def clients(self) -> Clients:
        """Plain clients and Kafka Streams in the same form, with their effective settings."""
        return Clients(self._topology, self._settings)

    @cached_property
    def topics_by_owner(self) -> Mapping[str | None, Sequence[Topic]]:
        return _grouped((topic.owner, topic) for topic in self._topology.topics.values())

    @cached_property
    def topics_setting(self) -> Mapping[str, Sequence[Topic]]:
        """The topics that have a setting, from themselves, a profile or an environment, by the setting's name."""
        return _grouped((name, topic) for topic in self._topology.topics.values() for name in topic.config)

    def topic_text(self, name: str) -> Callable[[Topic], str | None]:
        """A fast lookup of one setting's effective value for many topics.

        `EffectiveSettings.topic` also finds the place, which is slower: call it only for the topics with a problem.
        """
        inherited = self._inherited(name)
        return lambda topic: topic.config.get(name, inherited)

    def topic_number(self, name: str) -> Callable[[Topic], int | None]:
        """Like `topic_text`, for a setting that is a whole number."""
        inherited = self._inherited(name)
        known: dict[str | None, int | None] = {None: None}

        def number(topic: Topic) -> int | None:
            text = topic.config.get(name, inherited)
            if text not in known:
                known[text] = kafka_integer(text or "")
            return known[text]

        return number

    def topic_items(self, name: str) -> Callable[[Topic], frozenset[str]]:
        """Like `topic_text`, for a setting that is a list, such as `cleanup.policy`."""
        inherited = self._inherited(name)
        known: dict[str | None, frozenset[str]] = {None: frozenset()}

        def items(topic: Topic) -> frozenset[str]:
            text = topic.config.get(name, inherited)
            if text not in known:
                known[text] = frozenset(item.strip() for item in (text or "").split(",") if item.strip())
            return known[text]

        return items

    def _inherited(self, name: str) -> str | None:
        """The value for a topic that sets nothing: the cluster's declared default, or Kafka's."""
        setting = self._settings.topic(self._bare_topic, name)
        return setting.value if setting is not None else None

    @cached_property
    def _bare_topic(self) -> Topic:
        return Topic(name="", partitions=1, replication=1, place=self._topology.place)

    @cached_property
    def _producers(self) -> Mapping[str, Sequence[Producer]]:
        return _grouped((topic, each) for each in self._topology.producers.values() for topic in each.topics)

    @cached_property
    def _groups(self) -> Mapping[str, Sequence[ConsumerGroup]]:
        groups = self._topology.consumer_groups.values()
        return _grouped((topic, each) for each in groups for topic in (*each.topics, *each.assign))

    @cached_property
    def _share_groups(self) -> Mapping[str, Sequence[ShareGroup]]:
        return _grouped((topic, each) for each in self._topology.share_groups.values() for topic in each.topics)

    @cached_property
    def _streams_reading(self) -> Mapping[str, Sequence[StreamsApplication]]:
        return _grouped((topic, each) for each in self._topology.streams.values() for topic in each.reads)

    @cached_property
    def _streams_writing(self) -> Mapping[str, Sequence[StreamsApplication]]:
        return _grouped((topic, each) for each in self._topology.streams.values() for topic in each.writes)


def _grouped(pairs: Iterable[tuple[Key, Value]]) -> Mapping[Key, Sequence[Value]]:
    """Values by key, each once, in order."""
    found: defaultdict[Key, dict[int, Value]] = defaultdict(dict)
    for key, value in pairs:
        found[key].setdefault(id(value), value)
    return {key: tuple(values.values()) for key, values in found.items()}
