"""The settings that a streams application needs for its declared delivery and size, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.declared import Delivery, StreamsApplication
from ...model.units import kafka_integer
from ..catalogue import catalogue
from .model import Client, Settings
from .promises import acks_keep, guarantee_keeps, needs_committed, writes_in_transactions

COMMIT_INTERVAL, TRANSACTION_TIMEOUT = "commit.interval.ms", "producer.transaction.timeout.ms"
_TIMEOUT_MS = 10_000  # of Kafka Streams with exactly-once
_GUARANTEES: Mapping[Delivery, tuple[str, str]] = {
    "at-least-once": ("at_least_once", "at least once: no transactions needed"),
    "exactly-once": ("exactly_once_v2", "exactly once: transactions from input to output"),
}


def streams_settings(application: StreamsApplication, transactional: Mapping[str, str], kafka: str) -> Client:
    """`transactional`: by topic, who writes it in transactions. `kafka` is the version of the brokers."""
    settings = Settings(application.config, catalogue(kafka).streams)
    own = f"{application.application_id}-"
    why = f"names its group, its internal topics ({own}…) and its state"
    settings.need("application.id", application.application_id, why)
    delivery = application.delivery
    needed, guarantee_reason = _GUARANTEES["exactly-once" if delivery == "exactly-once" else "at-least-once"]
    settings.need("processing.guarantee", needed, guarantee_reason, lambda value: guarantee_keeps(delivery, value))
    if delivery != "exactly-once" or "producer.acks" in application.config:
        settings.need(
            "producer.acks",
            "all",
            "acknowledged only after every in-sync replica has the record",
            lambda acks: not application.writes or acks_keep(delivery, acks),
        )
    if late_commit(application) is not None:
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


def late_commit(application: StreamsApplication) -> tuple[int, int] | None:
    """Commit interval and transaction timeout, in milliseconds, with which Kafka Streams does not start."""
    commit = kafka_integer(application.config.get(COMMIT_INTERVAL, ""))
    if commit is None or not writes_in_transactions(application):
        return None  # 100 ms, which always fits
    declared = application.config.get(TRANSACTION_TIMEOUT, application.config.get("transaction.timeout.ms"))
    timeout = _TIMEOUT_MS if declared is None else kafka_integer(declared)
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
