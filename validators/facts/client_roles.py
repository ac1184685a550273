"""Writers and readers in one form each, for plain clients and Kafka Streams.

A streams application sets its clients' settings with or without a prefix, and changes some of Kafka's defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kafka_topology.topology.kafka.catalogue import ConfigKey
from kafka_topology.topology.kafka.clients.libraries import Side, given, given_name, library_of
from kafka_topology.topology.kafka.clients.promises import means_all, writes_in_transactions
from kafka_topology.topology.kafka.clients.streams_clients import defaults, forced, set_as
from kafka_topology.topology.kafka.effective import EffectiveSettings, Setting, library_default
from kafka_topology.topology.model.declared import ConsumerGroup, Delivery, Producer, StreamsApplication
from kafka_topology.topology.model.places import Layer, Place
from kafka_topology.topology.model.units import kafka_integer, kafka_true


@dataclass(frozen=True, slots=True)
class Writer:
    """A producer, or a streams application with outputs."""

    name: str
    topics: tuple[str, ...]
    declared: Producer | StreamsApplication
    _settings: EffectiveSettings

    @property
    def delivery(self) -> Delivery:
        return self.declared.delivery

    @property
    def is_exactly_once(self) -> bool:
        """It promises exactly-once, or keeps that promise: Kafka Streams by its guarantee."""
        return self.delivery == "exactly-once" or (
            isinstance(self.declared, StreamsApplication) and self.in_transactions
        )

    @property
    def in_transactions(self) -> bool:
        """Whether readers can get records of it that are aborted later."""
        return writes_in_transactions(self.declared)

    @property
    def in_transactions_place(self) -> Place:
        if self.delivery == "exactly-once":
            return self.declared.place("delivery")
        if isinstance(self.declared, StreamsApplication):
            return self.declared.place("config", "processing.guarantee")
        return self.transactional_id_place

    @property
    def transactional_id(self) -> str | None:
        """A streams application creates its own, which start with its application id."""
        if isinstance(self.declared, Producer):
            return self.declared.transactional_id or given(self.declared).get("transactional.id")
        return f"{self.name}-" if self.is_exactly_once else None

    @property
    def transactional_id_place(self) -> Place:
        if isinstance(self.declared, StreamsApplication):
            return self.declared.place("delivery")
        if self.declared.transactional_id is not None:
            return self.declared.place("transactionalId")
        return self.declared.place("config", given_name(self.declared, "transactional.id"))

    def topic_place(self, topic: str) -> Place:
        field = "topics" if isinstance(self.declared, Producer) else "writes"
        return self.declared.place(field, self.topics.index(topic))

    def value(self, name: str) -> str | None:
        """The value of `setting` without its place, which is faster: enough where nothing is wrong."""
        if isinstance(self.declared, Producer):
            return _value(self.declared, name, self._settings.catalogue.producer)
        setting = self.setting(name)
        return setting.value if setting is not None else None

    def number(self, name: str) -> int | None:
        return kafka_integer(self.value(name) or "")

    def setting(self, name: str) -> Setting | None:
        if isinstance(self.declared, Producer):
            return self._settings.producer(self.declared, name)
        return _handed_on(self._settings, self.declared, name, "producer")

    @property
    def acks(self) -> Setting | None:
        return self.setting("acks")

    @property
    def needs_no_replicas(self) -> bool:
        """It may lose records, and does not wait for replicas."""
        return self.delivery == "at-most-once" and not means_all(self.value("acks") or "")

    @property
    def is_idempotent(self) -> bool:
        """Whether idempotence is in effect: unless it is set explicitly, Kafka silently turns it off."""
        if not kafka_true(self.value("enable.idempotence")):
            return False
        return self._is_idempotent_by_name or (means_all(self.value("acks") or "") and self.number("retries") != 0)

    @property
    def _is_idempotent_by_name(self) -> bool:
        """Then it does not turn it off: it does not start with other settings that rule it out."""
        name = "enable.idempotence"
        if isinstance(self.declared, Producer):
            library = library_of(self.declared)
            return name in given(self.declared) or (library is not None and library.keeps_idempotence)
        return self.in_transactions or set_as(self.declared.config, "producer", name) is not None

    def turns_idempotence_off(self) -> Setting | None:
        """The setting that turns off idempotence."""
        if kafka_true(self.value("enable.idempotence")):
            return self.setting("retries") if means_all(self.value("acks") or "") else self.acks
        return self.setting("enable.idempotence")


@dataclass(frozen=True, slots=True)
class Reader:
    """A consumer group, a standalone consumer, or a streams application."""

    name: str
    topics: tuple[str, ...]
    declared: ConsumerGroup | StreamsApplication
    _settings: EffectiveSettings

    @property
    def delivery(self) -> Delivery:
        return self.declared.delivery

    @property
    def group(self) -> ConsumerGroup | None:
        return self.declared if isinstance(self.declared, ConsumerGroup) else None

    @property
    def is_standalone(self) -> bool:
        """It assigns its partitions itself, so it has no session and no rebalance."""
        return isinstance(self.declared, ConsumerGroup) and bool(self.declared.assign)

    def topic_place(self, topic: str) -> Place:
        if isinstance(self.declared, StreamsApplication):
            return self.declared.place("reads", self.topics.index(topic))
        if self.declared.assign:
            return self.declared.place("assign", topic)
        return self.declared.place("topics", self.topics.index(topic))

    @property
    def reads_committed(self) -> bool:
        return (self.value("isolation.level") or "").lower() == "read_committed"

    @property
    def isolation(self) -> Setting | None:
        return self.setting("isolation.level")

    @property
    def protocol(self) -> str:
        """classic, consumer (brokers decide timeouts and assignment), or streams."""
        config = given(self.declared) if isinstance(self.declared, ConsumerGroup) else self.declared.config
        return config.get("group.protocol", "classic").lower()

    def value(self, name: str) -> str | None:
        """The value of `setting` without its place, which is faster: enough where nothing is wrong."""
        if isinstance(self.declared, ConsumerGroup):
            return _value(self.declared, name, self._settings.catalogue.consumer)
        setting = self.setting(name)
        return setting.value if setting is not None else None

    def number(self, name: str) -> int | None:
        return kafka_integer(self.value(name) or "")

    def setting(self, name: str) -> Setting | None:
        if isinstance(self.declared, ConsumerGroup):
            return self._settings.consumer(self.declared, name)
        return _handed_on(self._settings, self.declared, name, "consumer")

    def session_number(self, name: str) -> int | None:
        """The number of `session_setting`."""
        if self.protocol == "classic":
            return self.number(name)
        if self.protocol != "consumer" or not isinstance(self.declared, ConsumerGroup):
            return None
        declared = self.declared.group_config.get(f"consumer.{name}")
        if declared is not None:
            return kafka_integer(declared)
        broker = self._settings.broker(f"group.consumer.{name}")
        return broker.number if broker is not None else None

    def session_setting(self, name: str) -> Setting | None:
        """`session.timeout.ms` or `heartbeat.interval.ms`, from the broker if the broker decides it."""
        if self.protocol == "classic":
            return self.setting(name)
        if self.protocol != "consumer" or not isinstance(self.declared, ConsumerGroup):
            return None
        own = f"consumer.{name}"
        declared = self.declared.group_config.get(own)
        key = self._settings.catalogue.group.get(own)
        if declared is not None:
            return Setting(own, declared, self.declared.place("groupConfig", own), key)
        broker = self._settings.broker(f"group.consumer.{name}")
        if broker is None or broker.is_declared:
            return broker
        return Setting(own, broker.value, Place(Layer.KAFKA, self.declared.location), key)

    @property
    def assignor(self) -> str:
        """The short name of the assignor in effect: range, cooperative-sticky, uniform, or a class."""
        if self.protocol == "consumer":
            chosen = self.value("group.remote.assignor")
            if chosen is not None:
                return _short(chosen)
            offered = self._settings.broker("group.consumer.assignors")
            return _short(offered.items[0]) if offered is not None and offered.items else ""
        return next(iter(self.assignors), "")

    @property
    def assignors(self) -> tuple[str, ...]:
        """The short names of the assignors that the members offer, the preferred one first."""
        strategy = self.value("partition.assignment.strategy") or ""
        return tuple(_short(item.strip()) for item in strategy.split(",") if item.strip())


def _value(client: Producer | ConsumerGroup, name: str, keys: Mapping[str, ConfigKey]) -> str | None:
    declared = given(client).get(name)
    if declared is not None:
        return declared
    key, library = keys.get(name), library_of(client)
    if library is not None:
        return library_default(library, client, name, key)
    return key.default if key is not None else None


_SHORT = {
    "RangeAssignor": "range",
    "RoundRobinAssignor": "roundrobin",
    "StickyAssignor": "sticky",
    "CooperativeStickyAssignor": "cooperative-sticky",
    "UniformAssignor": "uniform",
}


def _short(assignor: str) -> str:
    name = assignor.removeprefix("class ").rsplit(".", 1)[-1]
    return _SHORT.get(name, name)


def _handed_on(settings: EffectiveSettings, application: StreamsApplication, name: str, side: Side) -> Setting | None:
    key = settings.catalogue.scope(side).get(name)
    exactly_once = writes_in_transactions(application)
    always = forced(side, exactly_once=exactly_once).get(name)
    if always is not None:
        return Setting(name, always, Place(Layer.KAFKA, application.location), key)
    own = set_as(application.config, side, name)
    if own is not None:
        return Setting(name, application.config[own], application.place("config", own), key)
    value = defaults(side, exactly_once=exactly_once).get(name, key.default if key is not None else None)
    return Setting(name, value, Place(Layer.KAFKA, application.location), key) if value is not None else None
