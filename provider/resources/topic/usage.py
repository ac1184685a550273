"""Whether a topic to delete is in use: who reads it, who wrote to it, and what it holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from kafka_topology.cluster.live.topics import TopicContents, Writer

# A producer that wrote more recently than this counts as running.
RECENT: Final = timedelta(hours=1)


_EMPTY: Final = TopicContents(0)


@dataclass(frozen=True, slots=True)
class Usage:
    """`writers` is None if the brokers cannot list them. `grown` is the number of offsets added between two reads."""

    readers: tuple[str, ...] = ()
    contents: TopicContents = _EMPTY
    writers: tuple[Writer, ...] | None = ()
    grown: int = 0


def why_in_use(topic: str, usage: Usage, now: datetime) -> str | None:
    """Why the topic is not deleted; None if it is empty and no use of it is known."""
    forced = "declare 'deletion: force' and apply that before deleting."
    if usage.readers:
        return f"{topic} is being read by {', '.join(usage.readers)}: stop those consumers first, or {forced}"
    contents = usage.contents
    if contents.offsets:
        last = f", the last written at {_when(contents.last_write)}" if contents.last_write else ""
        return (
            f"{topic} is not empty: it holds up to {contents.offsets} records{last}. Wait until "
            f"retention has emptied it, or {forced}"
        )
    if usage.grown:
        return (
            f"{topic} is being written: {usage.grown} records came while it was checked, though it is empty. Stop its "
            f"producers first, or {forced}"
        )
    writer = _latest(usage.writers or (), now)
    if writer is None:
        return None
    who = f"producer {writer.producer_id} to partition {writer.partition}"
    if writer.in_transaction:
        return f"{topic} is being written by {who} in an open transaction. Stop that producer first, or {forced}"
    return (
        f"{topic} is empty and was just written, by {who} at {_when(writer.last_write)}. Stop its producers and wait "
        f"until {RECENT.total_seconds() / 60:g} minutes have passed since, or {forced}"
    )


def _latest(writers: tuple[Writer, ...], now: datetime) -> Writer | None:
    open_ones = [writer for writer in writers if writer.in_transaction]
    recent = [writer for writer in writers if writer.last_write is not None and now - writer.last_write < RECENT]
    return max((open_ones or recent), key=lambda writer: _when(writer.last_write), default=None)


def _when(moment: datetime | None) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds") if moment is not None else "an unknown time"
