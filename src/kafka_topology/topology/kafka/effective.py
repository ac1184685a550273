"""The effective value of a setting, and the layer that set it: resource, profile, environment, cluster or Kafka."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.declared import ConsumerGroup, Producer, StreamsApplication, Topic, Topology
from ..model.places import Layer, Place
from ..model.units import kafka_integer, kafka_true
from .catalogue import BrokerKey, Catalogue, ConfigKey, catalogue
from .clients.libraries import Library, given, given_name, library_of, side_of


@dataclass(frozen=True, slots=True)
class Setting:
    """One effective setting. `key` is None if this Kafka version does not know the name."""

    name: str
    value: str
    place: Place
    key: ConfigKey | None
    default_of: str = "Kafka"  # whose default it is, if nobody declares it

    @property
    def number(self) -> int | None:
        return kafka_integer(self.value)

    @property
    def is_true(self) -> bool:
        return kafka_true(self.value)

    @property
    def items(self) -> tuple[str, ...]:
        return tuple(item.strip() for item in self.value.split(",") if item.strip())

    @property
    def is_declared(self) -> bool:
        return self.place.layer is not Layer.KAFKA


class EffectiveSettings:
    """Looks up settings layer by layer, down to Kafka's default for the declared version."""

    def __init__(self, topology: Topology, *, defaults_known: bool = True) -> None:
        """`defaults_known=False`: brokers may have any default, so a setting that nobody set has no value."""
        self._cluster = topology.cluster
        self._defaults_known = defaults_known
        self.catalogue: Catalogue = catalogue(topology.cluster.kafka)

    def topic(self, topic: Topic, name: str) -> Setting | None:
        """None if neither the file nor Kafka has a value."""
        key = self.catalogue.topic.get(name)
        declared = topic.config.get(name)
        if declared is not None:
            return Setting(name, declared, topic.place("config", name), key)
        for broker_key in key.broker_keys if key is not None else ():
            inherited = self._cluster.defaults.get(broker_key.name)
            if inherited is not None:
                at = self._cluster.place("defaults", broker_key.name).location
                return Setting(name, _as_topic_value(inherited, broker_key), Place(Layer.CLUSTER, at), key)
        return self._default(topic.place("config", name), name, key) if self._defaults_known else None

    def producer(self, producer: Producer, name: str) -> Setting | None:
        return self._of_library(producer, name, self.catalogue.producer.get(name))

    def consumer(self, group: ConsumerGroup, name: str) -> Setting | None:
        return self._of_library(group, name, self.catalogue.consumer.get(name))

    def group(self, group: ConsumerGroup, name: str) -> Setting | None:
        """A setting that the brokers keep for the group: its own, or Kafka's default."""
        key = self.catalogue.group.get(name)
        declared = group.group_config.get(name)
        place = group.place("groupConfig", name)
        return Setting(name, declared, place, key) if declared is not None else self._default(place, name, key)

    def streams(self, application: StreamsApplication, name: str) -> Setting | None:
        return self._client(application, name, self.catalogue.streams.get(name))

    def internal_replication(self, application: StreamsApplication) -> Setting | None:
        """Replicas of the internal topics; -1 means `default.replication.factor` of the brokers.

        The application runs with its config. `internalTopics.replication` stands for the same setting if the config
        does not have it; KT540 reports two that differ.
        """
        internal = application.internal_topics
        name = "replication.factor"
        if internal is None or internal.replication is None or name in application.config:
            return self.streams(application, name)
        place = application.place("internalTopics", "replication")
        key = self.catalogue.streams.get(name)
        return Setting("internalTopics.replication", str(internal.replication), place, key)

    def broker(self, name: str) -> Setting | None:
        key = self.catalogue.broker.get(name)
        declared = self._cluster.defaults.get(name)
        place = self._cluster.place("defaults", name)
        if declared is not None:
            return Setting(name, declared, Place(Layer.CLUSTER, place.location), key)
        return self._default(place, name, key)

    def _of_library(self, client: Producer | ConsumerGroup, name: str, key: ConfigKey | None) -> Setting | None:
        """A setting of a client by Java's name, in Java's terms, whatever its library calls it."""
        library = library_of(client)
        if library is None:
            return self._client(client, name, key)
        declared = given(client)
        if name in declared:
            return Setting(name, declared[name], client.place("config", given_name(client, name)), key)
        default = library_default(library, client, name, key)
        if default is None or not self._defaults_known:
            return None
        return Setting(name, default, Place(Layer.KAFKA, client.place("config").location), key, library.title)

    def _client(
        self, client: Producer | ConsumerGroup | StreamsApplication, name: str, key: ConfigKey | None
    ) -> Setting | None:
        declared = client.config.get(name)
        place = client.place("config", name)
        return Setting(name, declared, place, key) if declared is not None else self._default(place, name, key)

    def _default(self, place: Place, name: str, key: ConfigKey | None) -> Setting | None:
        if key is None or key.default is None or not self._defaults_known:
            return None
        return Setting(name, key.default, Place(Layer.KAFKA, place.location), key)


def library_default(library: Library, client: Producer | ConsumerGroup, name: str, key: ConfigKey | None) -> str | None:
    """The value without a setting; None if the library has no such thing."""
    known = given(client)
    if isinstance(client, Producer) and client.transactional_id is not None:
        known = {"transactional.id": client.transactional_id, **known}
    default = library.default(side_of(client), name, known)
    if default is None and library.has_java_names and key is not None:
        return key.default
    return default


def _as_topic_value(inherited: str, broker_key: BrokerKey) -> str:
    return broker_key.topic_value(inherited) if kafka_integer(inherited) is not None else inherited
