"""Records that an open transaction hides: a reader of committed records stops at the first open transaction."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from kafka_topology.cluster.live.transactions import OpenTransaction, is_hanging
from kafka_topology.topology.model.words import counted

from .ranges import Pinned, Range


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
