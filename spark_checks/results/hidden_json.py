"""What open transactions hide, as JSON."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from kafka_topology.cluster.live.transactions import OpenTransaction, age_of, is_hanging

from ..reading.hidden import Hidden


def hidden_json(hidden: Hidden) -> dict[str, Any]:
    offsets = hidden.offsets
    return {
        "partition": offsets.partition,
        "start": offsets.start,
        "end": offsets.end,
        "transactions": [_transaction(each, hidden.seen_at) for each in hidden.transactions],
        "unknown": hidden.unknown,
    }


def _transaction(found: OpenTransaction, now: datetime) -> dict[str, Any]:
    return {
        "producerId": found.producer_id,
        "transactionalId": found.transactional_id,
        "firstOffset": found.first_offset,
        "started": _moment(found.started),
        "lastWrite": _moment(found.last_write),
        "ageSeconds": _seconds(age_of(found, now)),
        "timeoutSeconds": _seconds(found.timeout),
        "hanging": is_hanging(found, now),
    }


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _seconds(duration: timedelta | None) -> float | None:
    return None if duration is None else round(duration.total_seconds(), 3)
