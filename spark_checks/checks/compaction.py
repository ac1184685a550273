"""Compaction keeps up, and no record was written twice."""

from __future__ import annotations

from typing import Final

from ..conditions import FirstOfKey, NullKey, RowTest, SameAsBefore, SupersedesOverdue
from ..report import Number
from .base import Explanation, Found, NotChecked, RowCheck, RowTests, Seen, Subject, Verdict

GRACE_MS: Final = 10 * 60 * 1000  # the cleaner comes by every few seconds, and then has work to do
_UNLIMITED_MS: Final = 1 << 62
_FIRST, _NULL, _DUPLICATE, _OVERDUE = "first of its key", "null key", "duplicate", "superseded and not removed in time"


class Compaction(RowCheck):
    """Duplicates are told for every keyed topic; they are violations where every writer promises exactly once."""

    id = "compaction"

    def tests(self, subject: Subject) -> RowTests | NotChecked | None:
        if not subject.is_keyed:
            return NotChecked("compaction needs keys, the topology declares none") if _compacted(subject) else None
        duplicate = RowTest(_DUPLICATE, SameAsBefore(), "violation" if subject.exactly_once else "counted")
        rows = [duplicate]
        if _compacted(subject):
            rows += [RowTest(_FIRST, FirstOfKey(), "counted"), RowTest(_NULL, NullKey(), "counted")]
            lag_ms = _longest_lag_ms(subject)
            if lag_ms is not None:
                rows.append(RowTest(_OVERDUE, SupersedesOverdue(subject.now_ms - lag_ms - GRACE_MS)))
        return RowTests(tuple(rows), bound=subject.unseen)

    def verdict(self, subject: Subject, seen: Seen) -> Verdict:
        duplicates = seen.counts[_DUPLICATE]
        metrics: dict[str, Number] = {"duplicates": duplicates}
        notes = []
        if duplicates and not subject.exactly_once:
            notes.append(f"{duplicates:,} with the key, value and timestamp of the one before")
        if _compacted(subject):
            distinct = seen.counts[_FIRST]
            superseded = seen.records - seen.counts[_NULL] - distinct
            share = superseded / seen.records if seen.records else 0.0
            metrics |= {"distinctKeys": distinct, "superseded": superseded, "debt": round(share, 4)}
            notes.append(f"{superseded:,} of {seen.records:,} records superseded ({share:.0%})")
        return Verdict(metrics, notes=tuple(notes))

    def explain(self, subject: Subject, found: Found) -> Explanation:
        if found.seen.counts.get(_OVERDUE):
            lag = subject.settings["max.compaction.lag.ms"]
            return Explanation(
                f"compaction is later than max.compaction.lag.ms ({lag}): the log cleaner is behind or has stopped,"
                " or nothing was written since, as only a new record closes the active segment",
                "look at the brokers' log cleaner (max-dirty-percent, uncleanable-partitions-count), and at segment.ms",
            )
        return Explanation(
            "a producer that retries without idempotence, or one that writes outside its transaction",
            "set enable.idempotence and a transactional.id in every producer, or declare `delivery: at-least-once`",
        )


def _compacted(subject: Subject) -> bool:
    return "compact" in [part.strip() for part in subject.settings.get("cleanup.policy", "").split(",")]


def _longest_lag_ms(subject: Subject) -> int | None:
    lag = subject.settings.get("max.compaction.lag.ms", "")
    return int(lag) if lag.isdigit() and int(lag) < _UNLIMITED_MS else None
