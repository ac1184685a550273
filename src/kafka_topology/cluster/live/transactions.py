"""Open transactions as leaders and coordinators know them, and which of them nobody will end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

# Brokers look for expired transactions every ten seconds, and clocks differ a little.
GRACE: Final = timedelta(minutes=1)
LONGEST_UNKNOWN: Final = timedelta(minutes=15)  # the longest timeout that brokers allow by default


@dataclass(frozen=True, slots=True)
class OpenTransaction:
    """A transaction that is open on a partition, as the leader knows it, and as its coordinator does.

    `last_write` is the timestamp of its last record there, by the producer's clock. What follows is None if the
    coordinator does not know the transaction, or if the principal may not describe its transactional id.
    """

    producer_id: int
    first_offset: int
    last_write: datetime | None = None
    transactional_id: str | None = None
    started: datetime | None = None
    timeout: timedelta | None = None
    epoch: int | None = None  # of the producer, as the leader knows it


def age_of(transaction: OpenTransaction, now: datetime) -> timedelta | None:
    """Since when it is open; if the coordinator does not say, since its last record at least. None if both are open."""
    since = transaction.started or transaction.last_write
    return None if since is None else max(now - since, timedelta())


def is_hanging(transaction: OpenTransaction, now: datetime, longest: timedelta = LONGEST_UNKNOWN) -> bool:
    """Open for longer than any broker lets it: nobody will end it. `longest` counts if its timeout is unknown."""
    age = age_of(transaction, now)
    limit = longest if transaction.timeout is None else transaction.timeout + GRACE
    return age is not None and age > limit
