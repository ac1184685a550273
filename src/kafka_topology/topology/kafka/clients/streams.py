"""The settings that a streams application needs for its declared delivery and size, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.declared import Delivery, StreamsApplication
from ...model.units import format_duration, kafka_integer, kafka_true
from ..catalogue import catalogue
from .model import Client, Settings
from .promises import (
    MOST_IN_FLIGHT,
    acks_keep,
    guarantee_keeps,
    is_exactly_once,
    means_all,
    needs_committed,
    writes_in_transactions,
)
from .streams_clients import ignored, refused_members, refused_protocols, set_as

COMMIT_INTERVAL, TRANSACTION_TIMEOUT = "commit.interval.ms", "producer.transaction.timeout.ms"
IN_FLIGHT, MOST_RETRIES = "max.in.flight.requests.per.connection", "2147483647"
UNLIMITED_RETRIES = "a number of retries can be used up before the partition has a new leader"
_TIMEOUT_MS = 10_000  # of Kafka Streams with exactly-once
_GUARANTEES: Mapping[Delivery, tuple[str, str]] = {
    "at-least-once": ("at_least_once", "at least once: no transactions needed"),
    "exactly-once": ("exactly_once_v2", "exactly once: transactions from input to output"),
}


def streams_settings(
    application: StreamsApplication, transactional: Mapping[str, str], kafka: str, longest: int
) -> Client:
    """`transactional`: by topic, who writes it in transactions. `kafka` is the version of the brokers.

    `longest` is their transaction.max.timeout.ms.
    """
    settings = Settings(application.config, catalogue(kafka).streams)
    _leave_out(settings, application)
    own = f"{application.application_id}-"
    why = f"names its group, its internal topics ({own}…) and its state"
    settings.need("application.id", application.application_id, why)
    _guarantee(settings, application.delivery)
    _producer(settings, application)
    _transaction(settings, application, longest)
    if late_commit(application, longest) is not None:
        settings.need(
            COMMIT_INTERVAL,
            "100",
            "Kafka Streams does not start if it commits less often than its transactions may last",
            lambda _declared: False,
        )
    _isolation(settings, application, transactional)
    _sizes(settings, application)
    if application.delivery == "at-most-once":
        settings.notes.append("processing.guarantee: Kafka Streams cannot promise at most once; this is at least once")
    return Client("streams", application.application_id, settings.all(), None, tuple(settings.notes))


def _leave_out(settings: Settings, application: StreamsApplication) -> None:
    """What Kafka Streams ignores, and static members, with which it does not start under the streams protocol."""
    for name in refused_members(application):
        settings.notes.append(f"{name}: left out; an application with group.protocol=streams does not start with it")
    for name in refused_protocols(application):
        settings.notes.append(f"{name}: left out; Kafka Streams does not start with it")
    for each in ignored(application):
        instead = "" if each.of_group is None else f"; set {each.of_group} of the group on the brokers"
        settings.notes.append(f"{each.name}: left out; Kafka Streams ignores it: {each.why}{instead}")
    refused = (*refused_members(application), *refused_protocols(application))
    left_out = {*refused, *(each.name for each in ignored(application))}
    settings.declared = {name: value for name, value in settings.declared.items() if name not in left_out}


def _guarantee(settings: Settings, delivery: Delivery) -> None:
    name = "processing.guarantee"
    promise: Delivery = "exactly-once" if delivery == "exactly-once" else "at-least-once"
    needed, reason = _GUARANTEES[promise]
    if promise != "exactly-once" and is_exactly_once(settings.declared.get(name, "")):
        needed, reason = _GUARANTEES["exactly-once"]
        reason = f"{reason}, which is more than the declared delivery needs"
    settings.need(name, needed, reason, lambda value: guarantee_keeps(delivery, value))


def _producer(settings: Settings, application: StreamsApplication) -> None:
    """The settings of its producer, under the names that the file uses."""
    config, delivery = settings.declared, application.delivery
    exactly_once = writes_in_transactions(application)
    idempotence = config.get(_name(config, "enable.idempotence"))
    is_idempotent = exactly_once or kafka_true(idempotence)
    acks, retries, in_flight = _name(config, "acks"), _name(config, "retries"), _name(config, IN_FLIGHT)
    if is_idempotent and acks in config:
        settings.need(acks, "all", "its producer is idempotent, and does not start with less", means_all)
    elif delivery != "exactly-once" and not (acks in config and delivery == "at-most-once"):
        why = "acknowledged only after every in-sync replica has the record"
        settings.need(acks, "all", why, lambda value: acks_keep(delivery, value))
    if retries in config and (is_idempotent or delivery != "at-most-once"):
        why = UNLIMITED_RETRIES
        settings.need(retries, MOST_RETRIES, why, lambda value: kafka_integer(value) != 0)
    if in_flight in config and (exactly_once or idempotence is None or kafka_true(idempotence)):
        why = f"idempotence keeps order up to {MOST_IN_FLIGHT} requests"
        settings.need(in_flight, str(MOST_IN_FLIGHT), why, lambda value: (kafka_integer(value) or 0) <= MOST_IN_FLIGHT)


def _name(config: Mapping[str, str], name: str) -> str:
    """As the file calls it, or with its prefix."""
    return set_as(config, "producer", name) or f"producer.{name}"


def _transaction(settings: Settings, application: StreamsApplication, longest: int) -> None:
    """The broker refuses a transaction that may last longer than it allows, and the application stops."""
    if not writes_in_transactions(application):
        return
    name = _name(settings.declared, "transaction.timeout.ms")
    if settings.number(name, _TIMEOUT_MS) > longest:
        why = f"above transaction.max.timeout.ms ({format_duration(longest)}), the broker refuses its producers"
        settings.need(name, str(longest), why, lambda _declared: False)


def late_commit(application: StreamsApplication, longest: int | None = None) -> tuple[int, int] | None:
    """Commit interval and transaction timeout, in milliseconds, with which Kafka Streams does not start.

    A timeout above `longest` is lowered to that.
    """
    commit = kafka_integer(application.config.get(COMMIT_INTERVAL, ""))
    if commit is None or not writes_in_transactions(application):
        return None  # 100 ms, which always fits
    declared = application.config.get(TRANSACTION_TIMEOUT)  # it looks at no other name
    timeout = _TIMEOUT_MS if declared is None else kafka_integer(declared)
    if timeout is not None and longest is not None:
        timeout = min(timeout, longest)
    return None if timeout is None or timeout >= commit else (commit, timeout)


def _isolation(settings: Settings, application: StreamsApplication, transactional: Mapping[str, str]) -> None:
    """With exactly-once, Kafka Streams reads committed records by itself."""
    topic = next((name for name in application.reads if name in transactional), None)
    if topic is None or writes_in_transactions(application):
        return
    if needs_committed(application.delivery, in_transactions=True):
        own = "main.consumer.isolation.level"
        why = f"{transactional[topic]} writes {topic} in transactions, and the application must not see aborted records"
        settings.need(own if own in application.config else "consumer.isolation.level", "read_committed", why)


def _sizes(settings: Settings, application: StreamsApplication) -> None:
    if application.threads is not None:
        settings.need("num.stream.threads", str(application.threads), "threads: of each instance")
    internal = application.internal_topics
    if internal is not None and internal.replication is not None:
        why = "internalTopics: replicas of each internal topic"
        settings.need("replication.factor", str(internal.replication), why)
