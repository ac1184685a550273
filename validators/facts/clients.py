"""All clients of a topology: writers, readers, their settings, and which of them use a topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from kafka_topology.topology.kafka.catalogue import Scope
from kafka_topology.topology.kafka.clients.libraries import Library, library_of, side_of
from kafka_topology.topology.kafka.effective import EffectiveSettings
from kafka_topology.topology.kafka.share_groups import possible_share_groups
from kafka_topology.topology.model.declared import ConsumerGroup, Producer, ShareGroup, StreamsApplication, Topology
from kafka_topology.topology.model.places import Place

from .client_roles import Reader, Writer

AnyClient = TypeVar("AnyClient", "Writer", "Reader", "Sharer")
AnyDeclared = TypeVar("AnyDeclared", Producer, ConsumerGroup)


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """The settings that one role declares, and their scope in Kafka's catalogue."""

    name: str
    declared: Producer | ConsumerGroup | ShareGroup | StreamsApplication
    field: str
    values: Mapping[str, str]
    scope: Scope

    def place(self, key: str) -> Place:
        return self.declared.place(self.field, key)

    def name_place(self, key: str) -> Place:
        return self.declared.name_place(self.field, key)

    def in_java(self) -> Iterator[tuple[str, str, str]]:
        """Each setting as the file names it, with the name and value that the Java client has for it.

        What Java does not have keeps its name and value.
        """
        library = library_of(self.declared)
        known = library.settings(side_of(self.declared)) if library is not None else {}
        for name, value in self.values.items():
            own = known.get(name)
            java = own.java if own is not None else None
            yield (name, name, value) if own is None or java is None else (name, java, own.to_java(value))


@dataclass(frozen=True, slots=True)
class Sharer:
    """A share group. It reads topics like a `Reader`, but has neither a session nor partitions of its own."""

    name: str
    topics: tuple[str, ...]
    declared: ShareGroup

    def topic_place(self, topic: str) -> Place:
        return self.declared.place("topics", self.topics.index(topic))


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
    def senders(self) -> tuple[Writer, ...]:
        """All that have a producer: also streams applications that write only the topics of their own state."""
        apps = (app for app in self._topology.streams.values() if not app.writes)
        return (*self.writers, *(Writer(app.application_id, (), app, self._settings) for app in apps))

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

    @cached_property
    def sharers(self) -> tuple[Sharer, ...]:
        return tuple(Sharer(group.name, group.topics, group) for group in self._topology.share_groups.values())

    @property
    def all(self) -> tuple[Writer | Reader | Sharer, ...]:
        """Everybody who uses a topic."""
        return (*self.writers, *self.readers, *self.sharers)

    @cached_property
    def groups(self) -> tuple[Reader, ...]:
        """Readers that are consumer groups or standalone consumers."""
        return tuple(reader for reader in self.readers if isinstance(reader.declared, ConsumerGroup))

    @cached_property
    def configs(self) -> tuple[ClientConfig, ...]:
        """Those with the names of the Java client and of Kafka; `library_configs` has the others."""
        topology = self._topology
        return (
            *(ClientConfig(p.name, p, "config", p.config, "producer") for p in _with_java_names(topology.producers)),
            *(
                ClientConfig(g.name, g, "config", g.config, "consumer")
                for g in _with_java_names(topology.consumer_groups)
            ),
            *(
                ClientConfig(g.name, g, "groupConfig", g.group_config, "group")
                for g in topology.consumer_groups.values()
                if g.group_config
            ),
            *(
                ClientConfig(g.name, g, "groupConfig", g.group_config, "group")
                for g in possible_share_groups(topology).values()
            ),
            *(ClientConfig(g.name, g, "config", g.config, "consumer") for g in topology.share_groups.values()),
            *(ClientConfig(a.application_id, a, "config", a.config, "streams") for a in topology.streams.values()),
        )

    @cached_property
    def library_configs(self) -> tuple[tuple[ClientConfig, Library], ...]:
        """The settings of clients whose library has names of its own."""
        topology = self._topology
        clients: list[Producer | ConsumerGroup] = [*topology.producers.values(), *topology.consumer_groups.values()]
        return tuple(
            (ClientConfig(client.name, client, "config", client.config, side_of(client)), library)
            for client in clients
            if (library := library_of(client)) is not None and not library.has_java_names
        )

    def writers_of(self, topic: str) -> Sequence[Writer]:
        return self._writers_by_topic.get(topic, ())

    def readers_of(self, topic: str) -> Sequence[Reader]:
        return self._readers_by_topic.get(topic, ())

    @property
    def every_config(self) -> tuple[ClientConfig, ...]:
        """The settings of all clients, under whatever names."""
        return (*self.configs, *(config for config, _ in self.library_configs))

    def sharers_of(self, topic: str) -> Sequence[Sharer]:
        return self._sharers_by_topic.get(topic, ())

    def users_of(self, topic: str) -> Sequence[Writer | Reader | Sharer]:
        return (*self.writers_of(topic), *self.readers_of(topic), *self.sharers_of(topic))

    @cached_property
    def _writers_by_topic(self) -> Mapping[str, list[Writer]]:
        return _by_topic(self.writers)

    @cached_property
    def _readers_by_topic(self) -> Mapping[str, list[Reader]]:
        return _by_topic(self.readers)

    @cached_property
    def _sharers_by_topic(self) -> Mapping[str, list[Sharer]]:
        return _by_topic(self.sharers)


def _with_java_names(clients: Mapping[str, AnyDeclared]) -> Iterator[AnyDeclared]:
    for client in clients.values():
        library = library_of(client)
        if library is None or library.has_java_names:
            yield client


def _by_topic(clients: Iterable[AnyClient]) -> dict[str, list[AnyClient]]:
    found: dict[str, list[AnyClient]] = {}
    for client in clients:
        for topic in dict.fromkeys(client.topics):
            found.setdefault(topic, []).append(client)
    return found
