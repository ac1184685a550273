"""Which values of a client's settings keep the delivery that it declares.

One answer for both who ask: the rules report a value that breaks the promise, and `kafka-topology clients` replaces it.
Values are text, as files declare them and Kafka reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from ...model.declared import Delivery, Producer, Start, StreamsApplication
from ...model.units import kafka_integer, kafka_true
from .libraries import given

MOST_IN_FLIGHT = 5
"""A broker remembers this many batches of a producer; with more requests in flight, nothing keeps their order."""


def means_all(acks: str) -> bool:
    return acks.strip().lower() in ("all", "-1")


def acks_keep(delivery: Delivery, acks: str) -> bool:
    """Only `all` in-sync replicas keep every acknowledged record."""
    return delivery == "at-most-once" or means_all(acks)


def retries_keep(delivery: Delivery, retries: str) -> bool:
    """Without retries, a record is lost whenever its leader moves."""
    return delivery == "at-most-once" or kafka_integer(retries) != 0


def contradicts_idempotence(config: Mapping[str, str]) -> Iterator[str]:
    """The settings with which a producer that turns on idempotence by name does not start."""
    if not means_all(config.get("acks", "all")):
        yield "acks"
    if kafka_integer(config.get("retries", "1")) == 0:
        yield "retries"


def delivery_timeout_fits(timeout: int, linger: int, request: int) -> bool:
    """Whether one attempt fits: a Java producer does not start otherwise. Retries need more."""
    return timeout >= linger + request


def transactional_id_fits(declared: str, configured: str) -> bool:
    """Whether access to the declared id, or to all ids that start with it, is access to the client's."""
    return configured == declared or (declared.endswith("-") and configured.startswith(declared))


def writes_in_transactions(client: Producer | StreamsApplication) -> bool:
    """A producer with a transactional id can send nothing outside a transaction, whatever it promises."""
    if isinstance(client, Producer):
        return client.delivery == "exactly-once" or client.transactional_id is not None or _has_transactional_id(client)
    return client.delivery == "exactly-once" or is_exactly_once(client.config.get("processing.guarantee", ""))


def _has_transactional_id(producer: Producer) -> bool:
    return given(producer).get("transactional.id") is not None


def is_exactly_once(guarantee: str) -> bool:
    return guarantee.startswith("exactly_once")


def guarantee_keeps(delivery: Delivery, guarantee: str) -> bool:
    """Transactions also keep a weaker promise."""
    return delivery != "exactly-once" or is_exactly_once(guarantee)


def auto_commit_breaks(delivery: Delivery, auto_commit: str) -> bool:
    """Offsets outside the transaction are never exactly-once. At least once depends on the application's loop.

    At most once needs a commit before the records are processed. Auto-commit commits at a later poll: after a crash,
    records that were processed already are delivered again.
    """
    return delivery != "at-least-once" and kafka_true(auto_commit)


def needs_committed(delivery: Delivery, *, in_transactions: bool) -> bool:
    """Whether a reader must not see aborted records; `in_transactions` is about the writers of its topics."""
    return delivery == "exactly-once" or (in_transactions and delivery == "at-least-once")


def reset_contradicts(start: Start | datetime | None, reset: str) -> bool:
    """Whether a group that wants all records skips some: those of a new partition, or after lost offsets."""
    return start == "earliest" and reset == "latest"
