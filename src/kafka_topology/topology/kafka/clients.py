"""The client settings that each role needs for its declared delivery, each with its reason.

A declared setting stays unless it breaks that promise. Then the needed value replaces it, and the reason says so; the
rules report it, too. Needs that no setting can express become notes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..model.declared import ConsumerGroup, Producer, StreamsApplication, Topology
from ..model.units import format_duration, kafka_integer
from .partitioners import OPAQUE_PARTITIONERS, TABLES

ClientKind = Literal["producer", "consumer", "streams"]

COOPERATIVE = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
# Settings of the classic group protocol. With the protocol of Kafka 4 the brokers decide them.
CLASSIC_ONLY = ("session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy")
MOST_RETRIES = "2147483647"
DELIVERY_TIMEOUT = 120_000
REQUEST_TIMEOUT = 30_000
TRANSACTION_TIMEOUT = 60_000


@dataclass(frozen=True, slots=True)
class Property:
    """One setting. `is_needed` is false if the topology declares it and no promise depends on it."""

    name: str
    value: str
    reason: str
    is_needed: bool = True


@dataclass(frozen=True, slots=True)
class Client:
    """The settings of one role, by the Java client's names. `partitioner` is the language's name, or None."""

    kind: ClientKind
    name: str
    properties: tuple[Property, ...]
    partitioner: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.kind} {self.name}"


Allows = Callable[[str], bool]


@dataclass(slots=True)
class _Settings:
    """Combines what one client needs with what is declared for it."""

    declared: Mapping[str, str]
    found: dict[str, Property] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def need(self, name: str, value: str, reason: str, allows: Allows | None = None) -> None:
        """`allows` accepts declared values that also keep the promise; without it only the needed value does."""
        declared = self.declared.get(name)
        if declared is None or declared == value:
            self.found[name] = Property(name, value, reason)
        elif allows is not None and allows(declared):
            self.found[name] = Property(name, declared, f"declared; {reason}")
        else:
            self.found[name] = Property(name, value, f"{reason}; the declared {declared} breaks this")

    def number(self, name: str, default: int) -> int:
        number = kafka_integer(self.declared.get(name, ""))
        return default if number is None else number

    def all(self) -> tuple[Property, ...]:
        rest = {name: value for name, value in self.declared.items() if name not in self.found}
        return (
            *self.found.values(),
            *(Property(name, value, "declared", is_needed=False) for name, value in rest.items()),
        )


def client_settings(topology: Topology) -> tuple[Client, ...]:
    """All producers, then all groups, then all streams applications, in the order of the files."""
    transactional = _transactional_writers(topology)
    return (
        *(_producer(producer, topology) for producer in topology.producers.values()),
        *(_consumer(group, topology, transactional) for group in topology.consumer_groups.values()),
        *(_streams(application) for application in topology.streams.values()),
    )


def _is_kafka_4(topology: Topology) -> bool:
    return int(topology.cluster.kafka.split(".")[0]) >= 4


def _anything(_: str) -> bool:
    return True


def _between(low: int, high: int) -> Allows:
    def allows(value: str) -> bool:
        number = kafka_integer(value)
        return number is not None and low <= number <= high

    return allows


def _producer(producer: Producer, topology: Topology) -> Client:
    settings = _Settings(producer.config)
    if producer.delivery == "at-most-once":
        settings.need("acks", "1", "at most once: a record may be lost, so one acknowledgement is enough", _anything)
        settings.need("enable.idempotence", "false", "at most once: idempotence requires retries")
        settings.need("retries", "0", "at most once: a retry could write a record twice")
    else:
        _safe_producer(settings, producer, linger=5 if _is_kafka_4(topology) else 0)
    if producer.delivery == "exactly-once":
        _transactions(settings, producer)
    partitioner = _partitioner(producer, topology, settings)
    return Client("producer", producer.name, settings.all(), partitioner, tuple(settings.notes))


def _safe_producer(settings: _Settings, producer: Producer, linger: int) -> None:
    """`linger` is the client's default of linger.ms."""
    promise = producer.delivery.replace("-", " ")
    settings.need(
        "acks",
        "all",
        f"{promise}: acknowledged only after every in-sync replica has the record",
        lambda acks: acks == "-1",
    )
    settings.need("enable.idempotence", "true", f"{promise}: a retry must not write a record twice")
    settings.need(
        "max.in.flight.requests.per.connection", "5", "idempotence keeps order up to 5 requests", _between(1, 5)
    )
    settings.need(
        "retries", MOST_RETRIES, "delivery.timeout.ms bounds the retries, not their number", _between(1, 2**31)
    )
    least = settings.number("linger.ms", linger) + settings.number("request.timeout.ms", REQUEST_TIMEOUT)
    usual = TRANSACTION_TIMEOUT if producer.delivery == "exactly-once" else DELIVERY_TIMEOUT
    settings.need(
        "delivery.timeout.ms",
        str(max(usual, least)),
        f"at least linger.ms + request.timeout.ms ({format_duration(least)}), to leave time for one retry",
        _between(least, 2**31 - 1),
    )


def _transactions(settings: _Settings, producer: Producer) -> None:
    delivery = int(settings.found["delivery.timeout.ms"].value)
    settings.need(
        "transaction.timeout.ms",
        str(max(TRANSACTION_TIMEOUT, delivery)),
        "exactly once: at least delivery.timeout.ms, or the broker aborts records that are still being retried",
        _between(delivery, 2**31 - 1),
    )
    declared = producer.transactional_id or settings.declared.get("transactional.id")
    if declared is None:
        settings.notes.append("transactional.id: exactly once needs one, but none is declared")
    elif declared.endswith("-"):
        settings.need(
            "transactional.id",
            f"{declared}0",
            f"exactly once: one per instance, the same after a restart: {declared}0, {declared}1 and so on",
            lambda value: value.startswith(declared),
        )
    else:
        settings.need(
            "transactional.id", declared, "exactly once: only one running instance, with the same id after a restart"
        )


def _partitioner(producer: Producer, topology: Topology, settings: _Settings) -> str | None:
    if producer.partitioner is not None:
        names = {producer.partitioner}
    else:
        topics = (topology.topics[name] for name in producer.topics if name in topology.topics)
        keys = [topic.key for topic in topics if topic.key is not None and topic.key.type != "none"]
        names = {key.partitioner.name for key in keys}
    if len(names) > 1:
        settings.notes.append(f"partitioner: the topics declare different ones ({', '.join(sorted(names))})")
        return None
    name = next(iter(names), None)
    if name in (*OPAQUE_PARTITIONERS, *TABLES):
        settings.notes.append(f"partitioner: {name}, so the application sets each record's partition itself")
        return None
    return name


def _consumer(group: ConsumerGroup, topology: Topology, transactional: Mapping[str, str]) -> Client:
    settings = _Settings(group.config)
    settings.need("group.id", group.name, "the group whose offsets it commits")
    if group.delivery == "at-most-once":
        settings.need("enable.auto.commit", "false", "at most once: commit before the records are processed", _anything)
    elif group.delivery == "at-least-once":
        settings.need("enable.auto.commit", "false", "at least once: commit after the records are processed")
    else:
        settings.need("enable.auto.commit", "false", "exactly once: offsets are committed in the transaction")
    _isolation(settings, group, transactional)
    _start(settings, group)
    if group.assign:
        parts = "; ".join(f"{topic} {', '.join(map(str, numbers))}" for topic, numbers in group.assign.items())
        settings.notes.append(f"assign: it assigns its partitions itself and does not notice new ones: {parts}")
    else:
        _membership(settings, group, topology)
    racks = topology.cluster.racks
    if len(racks) > 1 and "client.rack" not in group.config:
        settings.notes.append(
            f"client.rack: set it to the rack of each instance ({', '.join(racks)}), to read from the nearest replica"
        )
    return Client("consumer", group.name, settings.all(), None, tuple(settings.notes))


def _isolation(settings: _Settings, group: ConsumerGroup, transactional: Mapping[str, str]) -> None:
    if group.delivery == "exactly-once":
        settings.need("isolation.level", "read_committed", "exactly once: the group must not see aborted records")
        return
    for topic in (*group.topics, *group.assign):
        writer = transactional.get(topic)
        if writer is not None:
            why = f"{writer} writes {topic} in transactions, and the group must not see aborted records"
            settings.need("isolation.level", "read_committed", why)
            return


def _transactional_writers(topology: Topology) -> Mapping[str, str]:
    """By topic, the first role that writes it in transactions."""
    found: dict[str, str] = {}
    for producer in topology.producers.values():
        if producer.delivery == "exactly-once":
            for topic in producer.topics:
                found.setdefault(topic, f"producer {producer.name}")
    for application in topology.streams.values():
        if application.delivery == "exactly-once":
            for topic in application.writes:
                found.setdefault(topic, f"streams {application.application_id}")
    return found


def _start(settings: _Settings, group: ConsumerGroup) -> None:
    if isinstance(group.start, str):
        settings.need("auto.offset.reset", group.start, f"start: a new group begins at the {group.start} record")
    elif group.start is not None:
        why = "start is a time: its offsets are committed beforehand; without them the client must stop, not guess"
        settings.need("auto.offset.reset", "none", why, _anything)
    else:
        settings.notes.append("auto.offset.reset: the topology does not declare where a new group starts")


def _membership(settings: _Settings, group: ConsumerGroup, topology: Topology) -> None:
    if group.instances:
        settings.need(
            "group.instance.id",
            group.instances[0],
            f"static membership: one per instance, so a restart moves no partition: {', '.join(group.instances)}",
            lambda value: value in group.instances,
        )
    if "group.protocol" in group.config:
        return
    classic = [name for name in CLASSIC_ONLY if name in group.config]
    if _is_kafka_4(topology) and not classic:
        settings.need("group.protocol", "consumer", "Kafka 4: a rebalance stops only the partitions that move")
    else:
        why = "a rebalance stops only the partitions that move; switch an eager group over with two rolling restarts"
        settings.need("partition.assignment.strategy", COOPERATIVE, why, _anything)


def _streams(application: StreamsApplication) -> Client:
    settings = _Settings(application.config)
    own = f"{application.application_id}-"
    why = f"names its group, its internal topics ({own}…) and its state"
    settings.need("application.id", application.application_id, why)
    if application.delivery == "exactly-once":
        settings.need("processing.guarantee", "exactly_once_v2", "exactly once: transactions from input to output")
    else:
        settings.need("processing.guarantee", "at_least_once", "at least once: no transactions needed")
        settings.need(
            "producer.acks",
            "all",
            "acknowledged only after every in-sync replica has the record",
            lambda acks: acks == "-1",
        )
    if application.delivery == "at-most-once":
        settings.notes.append("processing.guarantee: Kafka Streams cannot promise at most once; this is at least once")
    return Client("streams", application.application_id, settings.all(), None, tuple(settings.notes))
