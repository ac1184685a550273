"""Records that an open transaction hides: a reader of committed records stops at the first open transaction."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from kafka_topology.cluster.live.topics import OpenTransaction
from kafka_topology.topology.model.words import counted

from .ranges import Pinned, Range

# Brokers look for expired transactions every ten seconds, and clocks differ a little.
GRACE: Final = timedelta(minutes=1)
LONGEST_UNKNOWN: Final = timedelta(minutes=15)  # the longest timeout that brokers allow by default


@dataclass(frozen=True, slots=True)
class Hidden:
    """The offsets of a partition from its last stable offset to its end, when the check began.

    `transactions` are open there, the oldest first; `unknown` says why nobody knows them.
    """

    offsets: Range
    seen_at: datetime
    transactions: tuple[OpenTransaction, ...] = ()
    unknown: str | None = None

    @property
    def hanging(self) -> tuple[OpenTransaction, ...]:
        return tuple(each for each in self.transactions if is_hanging(each, self.seen_at))


def age_of(transaction: OpenTransaction, now: datetime) -> timedelta | None:
    """Since when it is open; if the coordinator does not say, since its last record at least. None if both are open."""
    since = transaction.started or transaction.last_write
    return None if since is None else max(now - since, timedelta())


def is_hanging(transaction: OpenTransaction, now: datetime) -> bool:
    """Open for longer than any broker lets it: nobody will end it."""
    age = age_of(transaction, now)
    limit = LONGEST_UNKNOWN if transaction.timeout is None else transaction.timeout + GRACE
    return age is not None and age > limit


def with_hidden(pinned: Pinned, hidden: Collection[Hidden]) -> Pinned:
    """The same ranges, and that the topic holds more."""
    if not hidden:
        return pinned
    offsets = sum(each.offsets.offsets for each in hidden)
    partitions = sorted(each.offsets.partition for each in hidden)
    where = f"partition {partitions[0]}" if len(partitions) == 1 else f"{len(partitions):,} partitions"
    said = f"open transactions hide {counted(offsets, 'offset')} at the end of {where}"
    return replace(
        pinned,
        hidden=tuple(hidden),
        partial="; ".join(filter(None, (pinned.partial, said))),
        whole=None if pinned.whole is None else with_hidden(pinned.whole, hidden),
    )
