"""All clients of a topology: writers, readers, their settings, and which of them use a topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from kafka_topology.topology.kafka.catalogue import Scope
from kafka_topology.topology.kafka.effective import EffectiveSettings
from kafka_topology.topology.model.declared import ConsumerGroup, Producer, StreamsApplication, Topology
from kafka_topology.topology.model.places import Place

from .client_roles import Reader, Writer

AnyClient = TypeVar("AnyClient", "Writer", "Reader")


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """The settings that one role declares, and their scope in Kafka's catalogue."""

    name: str
    declared: Producer | ConsumerGroup | StreamsApplication
    field: str
    values: Mapping[str, str]
    scope: Scope

    def place(self, key: str) -> Place:
        return self.declared.place(self.field, key)

    def name_place(self, key: str) -> Place:
        return self.declared.name_place(self.field, key)


class Clients:
    """All writers and readers of a topology, and which of them use a topic."""

    def __init__(self, topology: Topology, settings: EffectiveSettings) -> None:
        self._topology = topology
        self._settings = settings

    @cached_property
    def writers(self) -> tuple[Writer, ...]:
        topology, settings = self._topology, self._settings
        return (
            *(Writer(producer.name, producer.topics, producer, settings) for producer in topology.producers.values()),
            *(Writer(app.application_id, app.writes, app, settings) for app in topology.streams.values() if app.writes),
        )

    @cached_property
    def readers(self) -> tuple[Reader, ...]:
        topology, settings = self._topology, self._settings
        return (
            *(
                Reader(group.name, group.topics or tuple(group.assign), group, settings)
                for group in topology.consumer_groups.values()
            ),
            *(Reader(app.application_id, app.reads, app, settings) for app in topology.streams.values()),
        )

    @property
    def all(self) -> tuple[Writer | Reader, ...]:
        return (*self.writers, *self.readers)

    @cached_property
    def groups(self) -> tuple[Reader, ...]:
        """Readers that are consumer groups or standalone consumers."""
        return tuple(reader for reader in self.readers if isinstance(reader.declared, ConsumerGroup))

    @cached_property
    def configs(self) -> tuple[ClientConfig, ...]:
        topology = self._topology
        return (
            *(ClientConfig(p.name, p, "config", p.config, "producer") for p in topology.producers.values()),
            *(ClientConfig(g.name, g, "config", g.config, "consumer") for g in topology.consumer_groups.values()),
            *(
                ClientConfig(g.name, g, "groupConfig", g.group_config, "group")
                for g in topology.consumer_groups.values()
                if g.group_config
            ),
            *(ClientConfig(a.application_id, a, "config", a.config, "streams") for a in topology.streams.values()),
        )

    def writers_of(self, topic: str) -> Sequence[Writer]:
        return self._writers_by_topic.get(topic, ())

    def readers_of(self, topic: str) -> Sequence[Reader]:
        return self._readers_by_topic.get(topic, ())

    @cached_property
    def _writers_by_topic(self) -> Mapping[str, list[Writer]]:
        return _by_topic(self.writers)

    @cached_property
    def _readers_by_topic(self) -> Mapping[str, list[Reader]]:
        return _by_topic(self.readers)


def _by_topic(clients: Iterable[AnyClient]) -> dict[str, list[AnyClient]]:
    found: dict[str, list[AnyClient]] = {}
    for client in clients:
        for topic in dict.fromkeys(client.topics):
            found.setdefault(topic, []).append(client)
    return found
