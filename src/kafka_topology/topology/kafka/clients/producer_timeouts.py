"""How long a producer tries to deliver a record, and how long its transactions may take."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...model.declared import Producer, Topology
from ...model.units import format_duration, kafka_integer
from ..catalogue import catalogue
from .libraries import Library
from .model import Settings
from .promises import delivery_timeout_fits, transactional_id_fits, writes_in_transactions

DELIVERY_TIMEOUT = 120_000
REQUEST_TIMEOUT = 30_000
TRANSACTION_TIMEOUT = 60_000
LONGEST_TRANSACTION = 900_000
LARGEST_INT = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Attempt:
    """How long one attempt to write a record takes: `linger` and `request` milliseconds."""

    linger: int
    request: int
    parts: str  # the settings that say so

    @property
    def takes(self) -> str:
        return f"{self.parts} ({format_duration(self.linger + self.request)})"


def one_attempt(settings: Settings, library: Library | None, *, is_kafka_4: bool) -> Attempt:
    """With the defaults of the library; some send a record at once, and have no setting for it."""

    def number(name: str, of_java: int) -> int:
        if library is None or library.has_java_names:
            return settings.number(name, of_java)
        return settings.number(name, int(library.default("producer", name, settings.declared) or 0))

    waits = library is None or library.own_name("producer", "linger.ms") is not None
    parts = "linger.ms + request.timeout.ms" if waits else "request.timeout.ms"
    return Attempt(number("linger.ms", 5 if is_kafka_4 else 0), number("request.timeout.ms", REQUEST_TIMEOUT), parts)


def time_to_deliver(attempt: int, transaction: int | None) -> int:
    """A delivery.timeout.ms with room for retries, within the timeout of a transaction that fits one attempt."""
    enough = min(max(DELIVERY_TIMEOUT, 2 * attempt), LARGEST_INT)
    return enough if transaction is None or transaction < attempt else min(enough, transaction)


def delivery_timeout(settings: Settings, producer: Producer, attempt: Attempt) -> None:
    wait, request = attempt.linger, attempt.request
    in_transactions = writes_in_transactions(producer)
    transaction = settings.number("transaction.timeout.ms", TRANSACTION_TIMEOUT) if in_transactions else None
    settings.need(
        "delivery.timeout.ms",
        str(time_to_deliver(wait + request, transaction)),
        f"one attempt takes up to {attempt.takes}, the rest is for retries",
        lambda value: delivery_timeout_fits(kafka_integer(value) or 0, wait, request),
    )


def longest_transaction(topology: Topology) -> int:
    """What the brokers allow: they refuse a producer that asks for more, for good."""
    name = "transaction.max.timeout.ms"
    key = catalogue(topology.cluster.kafka).broker.get(name)
    declared = topology.cluster.defaults.get(name, key.default if key is not None else None)
    return kafka_integer(declared or "") or LONGEST_TRANSACTION


def transactions(settings: Settings, producer: Producer, attempt: Attempt, longest: int) -> None:
    """`longest` is the brokers' transaction.max.timeout.ms."""
    promise = "exactly once" if producer.delivery == "exactly-once" else "in transactions"
    wait = attempt.linger
    if wait < longest < wait + attempt.request:
        settings.need(
            "request.timeout.ms",
            str(longest - wait),
            f"one attempt must fit into transaction.max.timeout.ms of the brokers ({format_duration(longest)})",
        )
        attempt = replace(attempt, request=longest - wait)
    item = settings.found["delivery.timeout.ms"]
    delivery = kafka_integer(item.value) or 0  # 0: set where it runs
    if delivery > longest:
        why = f"{item.reason}; {delivery} would outlive transaction.max.timeout.ms of the brokers"
        delivery = min(max(longest, wait + attempt.request), LARGEST_INT)
        settings.found[item.name] = replace(item, value=str(delivery), reason=why, replaced=item.value)
    settings.need(
        "transaction.timeout.ms",
        str(min(max(TRANSACTION_TIMEOUT, delivery, settings.number("transaction.timeout.ms", 0)), longest)),
        f"{promise}: when it ends, the broker aborts records that are still being retried; above"
        f" transaction.max.timeout.ms ({format_duration(longest)}), it refuses the producer",
        lambda value: (kafka_integer(value) or 0) <= longest,
    )
    if delivery > longest:
        settings.notes.append(
            f"{attempt.takes} is longer than transaction.max.timeout.ms"
            f" ({format_duration(longest)}): the broker aborts a transaction before one attempt is over"
        )
    declared = producer.transactional_id or settings.declared.get("transactional.id")
    if declared is None:
        settings.notes.append("transactional.id: exactly once needs one, but none is declared")
    elif declared.endswith("-"):
        settings.need(
            "transactional.id",
            f"{declared}0",
            f"{promise}: one per instance, the same after a restart: {declared}0, {declared}1 and so on",
            lambda value: transactional_id_fits(declared, value),
        )
    else:
        settings.need(
            "transactional.id", declared, f"{promise}: only one running instance, with the same id after a restart"
        )
