"""The client settings that each role needs for its declared delivery, each with its reason.

A declared setting stays unless it breaks that promise, by `promises`. Then the needed value replaces it, and the reason
says so; the rules report it, too. Needs that no setting can express become notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...model.declared import ConsumerGroup, Delivery, Producer, ShareGroup, StreamsApplication, Topology
from ...model.units import format_duration, kafka_integer, kafka_true
from ..catalogue import catalogue
from ..partitioners import OPAQUE_PARTITIONERS, TABLES
from ..share_groups import REFUSED_BY_SHARE_CONSUMERS
from .assignors import COOPERATIVE, assignor_class, change_over
from .libraries import given, given_as, library_of, side_of
from .model import Client, Property, Settings
from .polling import time_between_polls
from .producer_timeouts import delivery_timeout, longest_transaction, one_attempt, transactions
from .promises import (
    MOST_IN_FLIGHT,
    acks_keep,
    auto_commit_breaks,
    contradicts_idempotence,
    needs_committed,
    reset_contradicts,
    retries_keep,
    writes_in_transactions,
)
from .streams import IN_FLIGHT, MOST_RETRIES, UNLIMITED_RETRIES, streams_settings

# Settings of the classic group protocol. With the protocol of Kafka 4 the brokers decide them.
CLASSIC_ONLY = ("session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy")
SESSION_TIMEOUT = 45_000
HEARTBEAT = 3_000


_COMMITS: Mapping[Delivery, str] = {
    "at-most-once": "at most once: commit before the records are processed",
    "at-least-once": "at least once: commit after the records are processed",
    "exactly-once": "exactly once: offsets are committed in the transaction",
}


def client_settings(topology: Topology) -> tuple[Client, ...]:
    """All producers, then groups, share groups and streams applications, in the order of the files."""
    transactional = _transactional_writers(topology)
    return (
        *(_completed(_producer(each, topology), each) for each in topology.producers.values()),
        *(_completed(_consumer(each, topology, transactional), each) for each in topology.consumer_groups.values()),
        *(_completed(_share_consumer(each, topology), each) for each in topology.share_groups.values()),
        *(
            _completed(
                streams_settings(each, transactional, topology.cluster.kafka, longest_transaction(topology)), each
            )
            for each in topology.streams.values()
        ),
    )


def _completed(client: Client, declared: Producer | ConsumerGroup | ShareGroup | StreamsApplication) -> Client:
    """With the declared library, and with what follows from more than one principal."""
    notes = client.notes
    if len(declared.principals) > 1:
        principals = " or ".join(declared.principals)
        notes = (*notes, f"principal: it may log in as {principals} until its credentials are rotated")
    library = library_of(declared)
    if library is None or library.has_java_names:
        return replace(client, notes=notes, library=library)
    known = library.settings(side_of(declared))
    own = tuple(
        Property(name, known[name].plain(value) if name in known else value, "declared", is_needed=False)
        for name, value in declared.config.items()
        if (name not in known or known[name].java is None) and name != library.partitioner_setting
    )
    return replace(client, notes=notes, library=library, own=own)


def _is_kafka_4(topology: Topology) -> bool:
    return int(topology.cluster.kafka.split(".")[0]) >= 4


def _anything(_: str) -> bool:
    return True


def _producer(producer: Producer, topology: Topology) -> Client:
    settings = Settings(given(producer), catalogue(topology.cluster.kafka).producer, given_as(producer))
    library = library_of(producer)
    attempt = one_attempt(settings, library, is_kafka_4=_is_kafka_4(topology))
    in_flight: int | None = MOST_IN_FLIGHT if library is None else library.idempotent_in_flight
    if library is not None and library.chooses_in_flight:
        in_flight = None
    if producer.delivery == "at-most-once":
        _at_most_once(settings, in_flight)
        if "delivery.timeout.ms" in settings.declared:
            delivery_timeout(settings, producer, attempt)
    else:
        _safe_producer(settings, producer, in_flight)
        delivery_timeout(settings, producer, attempt)
    if producer.delivery != "at-most-once" and writes_in_transactions(producer):
        transactions(settings, producer, attempt, longest_transaction(topology))
    partitioner = _partitioner(producer, topology, settings)
    return Client("producer", producer.name, settings.all(), partitioner, tuple(settings.notes))


def _at_most_once(settings: Settings, in_flight: int | None) -> None:
    """A declared idempotence stays, and then needs all acknowledgements and retries: no record is written twice."""
    config = settings.declared
    wanted = "true" if "transactional.id" in config else None  # a producer with an id does not start without it
    if kafka_true(config.get("enable.idempotence", wanted)) and not [*contradicts_idempotence(config)]:
        settings.need("enable.idempotence", "true", "at most once: a retry does not write a record twice", kafka_true)
        settings.need("acks", "all", "idempotence requires it", _anything)
        settings.need("retries", MOST_RETRIES, "idempotence requires retries", _anything)
        if IN_FLIGHT in config:
            _in_flight(settings, in_flight)
        return
    settings.need("acks", "1", "at most once: a record may be lost, so one acknowledgement is enough", _anything)
    why = "at most once: idempotence requires acks=all and retries"
    settings.need("enable.idempotence", "false", why, lambda value: not kafka_true(value))
    settings.need("retries", "0", "at most once: a retry could write a record twice", _anything)


def _in_flight(settings: Settings, most: int | None) -> None:
    """`most` is how many requests an idempotent producer of its library may have; None if the library decides it."""
    if most is None:
        declared = settings.declared.get(IN_FLIGHT)
        if declared == "1":
            return  # it takes what it would do anyway
        settings.declared = {name: value for name, value in settings.declared.items() if name != IN_FLIGHT}
        if declared is not None:
            settings.notes.append(f"{IN_FLIGHT}={declared}: left out; with idempotence the library decides it")
        return
    settings.need(
        IN_FLIGHT,
        str(most),
        f"idempotence keeps order up to {most} requests"
        if most > 1
        else "its idempotence allows one request at a time",
        lambda value: (kafka_integer(value) or 0) <= most,
    )


def _safe_producer(settings: Settings, producer: Producer, in_flight: int | None) -> None:
    promise = producer.delivery.replace("-", " ")
    settings.need(
        "acks",
        "all",
        f"{promise}: acknowledged only after every in-sync replica has the record",
        lambda acks: acks_keep(producer.delivery, acks),
    )
    settings.need("enable.idempotence", "true", f"{promise}: a retry must not write a record twice", kafka_true)
    _in_flight(settings, in_flight)
    settings.need(
        "retries",
        MOST_RETRIES,
        UNLIMITED_RETRIES,
        lambda value: retries_keep(producer.delivery, value),
    )


def _partitioner(producer: Producer, topology: Topology, settings: Settings) -> str | None:
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
    known = catalogue(topology.cluster.kafka).consumer
    settings = Settings(_without_classic(given(group)), known, given_as(group))
    for name in given(group).keys() - settings.declared.keys():
        settings.notes.append(f"{name}: left out; with group.protocol=consumer the brokers decide it")
    settings.need("group.id", group.name, "the group whose offsets it commits")
    _commits(settings, group)
    _isolation(settings, group, transactional)
    _start(settings, group)
    if group.assign:
        parts = "; ".join(f"{topic} {', '.join(map(str, numbers))}" for topic, numbers in group.assign.items())
        settings.notes.append(f"assign: it assigns its partitions itself and does not notice new ones: {parts}")
    else:
        _membership(settings, group, topology)
        time_between_polls(settings, group)
    _name_classes(settings)
    racks = topology.cluster.racks
    if len(racks) > 1 and "client.rack" not in settings.declared:
        selects = "replica.selector.class" in topology.cluster.defaults
        settings.notes.append(
            f"client.rack: set it to the rack of each instance ({', '.join(racks)}), to read from the nearest replica"
            + ("" if selects else "; the brokers need a replica.selector.class for that, and cluster.defaults has none")
        )
    return Client("consumer", group.name, settings.all(), None, tuple(settings.notes))


def _commits(settings: Settings, group: ConsumerGroup) -> None:
    library, name = library_of(group), "enable.auto.commit"
    if (
        library is not None
        and library.commits_how is not None
        and group.delivery != "at-most-once"
        and not group.assign
    ):
        settings.notes.append(f"{group.delivery.replace('-', ' ')}: {library.commits_how}")
    is_kept = library is not None and library.commits_only_processed(group.config)
    if group.delivery == "at-least-once" and is_kept:
        settings.need(
            name, "true", "at least once: it commits only what the application marked as processed", _anything
        )
        return
    settings.need(name, "false", _COMMITS[group.delivery], lambda value: not auto_commit_breaks(group.delivery, value))
    if group.delivery == "at-least-once" and not is_kept and kafka_true(settings.declared.get(name)):
        settings.notes.append(f"{name}: at least once only if each poll is processed before the next one")


def _without_classic(declared: Mapping[str, str]) -> Mapping[str, str]:
    """Both clients refuse settings of the classic protocol together with the new one."""
    if declared.get("group.protocol", "").lower() != "consumer":
        return declared
    return {name: value for name, value in declared.items() if name not in CLASSIC_ONLY}


def _isolation(settings: Settings, group: ConsumerGroup, transactional: Mapping[str, str]) -> None:
    if group.delivery == "exactly-once":
        settings.need("isolation.level", "read_committed", "exactly once: the group must not see aborted records")
        return
    for topic in (*group.topics, *group.assign):
        writer = transactional.get(topic)
        if writer is not None and needs_committed(group.delivery, in_transactions=True):
            why = f"{writer} writes {topic} in transactions, and the group must not see aborted records"
            settings.need("isolation.level", "read_committed", why)
            return


def _transactional_writers(topology: Topology) -> Mapping[str, str]:
    """By topic, the first role that writes it in transactions."""
    found: dict[str, str] = {}
    for producer in topology.producers.values():
        if writes_in_transactions(producer):
            for topic in producer.topics:
                found.setdefault(topic, f"producer {producer.name}")
    for application in topology.streams.values():
        if writes_in_transactions(application):
            for topic in application.writes:
                found.setdefault(topic, f"streams {application.application_id}")
    return found


def _start(settings: Settings, group: ConsumerGroup) -> None:
    if isinstance(group.start, str):
        settings.need(
            "auto.offset.reset",
            group.start,
            f"start: a new group begins at the {group.start} record",
            lambda value: not reset_contradicts(group.start, value),
        )
    elif group.start is not None:
        why = "start is a time: its offsets are committed beforehand; without them the client must stop, not guess"
        settings.need("auto.offset.reset", "none", why, _anything)
    else:
        settings.notes.append("auto.offset.reset: the topology does not declare where a new group starts")


def _membership(settings: Settings, group: ConsumerGroup, topology: Topology) -> None:
    if group.instances:
        settings.need(
            "group.instance.id",
            group.instances[0],
            f"static membership: one per instance, so a restart moves no partition: {', '.join(group.instances)}",
            lambda value: value in group.instances,
        )
    if "group.protocol" in settings.declared:
        return
    library = library_of(group)
    if library is not None and not library.can_say("consumer", "partition.assignment.strategy", COOPERATIVE):
        return  # it has none
    classic = [name for name in CLASSIC_ONLY if name in settings.declared]
    has_protocol = library is None or library.own_name("consumer", "group.protocol") is not None
    if _is_kafka_4(topology) and has_protocol and not classic:
        settings.need("group.protocol", "consumer", "Kafka 4: a rebalance stops only the partitions that move")
    else:
        _heartbeat(settings)
        switch = change_over(offered=False, mixes=library is None or library.mixes_assignors)
        why = f"a rebalance stops only the partitions that move; switch an eager group over: {switch}"
        settings.need("partition.assignment.strategy", COOPERATIVE, why, _anything)


def _name_classes(settings: Settings) -> None:
    """The Java client takes classes, and stops at the short names of librdkafka."""
    name = "partition.assignment.strategy"
    declared = settings.declared.get(name)
    if declared is None:
        return
    given_names = [each.strip() for each in declared.split(",")]
    classes = ",".join(assignor_class(each) or each for each in given_names)
    if classes != ",".join(given_names):
        why = f"the class of the assignor: the Java client does not start with {declared}"
        settings.found[name] = Property(name, classes, why, replaced=declared)


def _heartbeat(settings: Settings) -> None:
    """Clients refuse a heartbeat that is not below the session's timeout, also if it is the default."""
    session = settings.number("session.timeout.ms", SESSION_TIMEOUT)
    if settings.number("heartbeat.interval.ms", HEARTBEAT) >= session:
        why = "three heartbeats fit into session.timeout.ms, which must be longer than one"
        settings.need("heartbeat.interval.ms", str(max(1, session // 3)), why)


def _share_consumer(group: ShareGroup, topology: Topology) -> Client:
    taken = {name: value for name, value in group.config.items() if name not in REFUSED_BY_SHARE_CONSUMERS}
    settings = Settings(taken, catalogue(topology.cluster.kafka).consumer)
    refused = [name for name in group.config if name in REFUSED_BY_SHARE_CONSUMERS]
    settings.notes += [f"{name}: left out; a share consumer does not start with it" for name in refused]
    settings.need("group.id", group.name, "the share group that it joins")
    settings.need(
        "share.acknowledgement.mode",
        "explicit",
        "at least once: acknowledge each record after it is processed, release it to have it delivered again",
        _anything,
    )
    limit = topology.cluster.defaults.get("group.share.delivery.count.limit", "5")
    settings.notes.append(
        f"group.share.delivery.count.limit: a record is delivered at most {limit} times; after that the group skips it"
    )
    lock = group.group_config.get("share.record.lock.duration.ms")
    shown = format_duration(int(lock)) if lock is not None and kafka_integer(lock) is not None else "30s"
    settings.notes.append(
        f"share.record.lock.duration.ms: process each record within {shown}, or it is delivered to another consumer"
    )
    return Client("share-consumer", group.name, settings.all(), None, tuple(settings.notes))
