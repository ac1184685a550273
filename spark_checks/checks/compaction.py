"""Compaction keeps up, and no record was written twice."""

from __future__ import annotations

from typing import Final

from ..conditions.record import FirstOfKey, Meaning, NullKey, RowTest, SameAsBefore, SupersededOverdue
from ..planning.check import About, Check, Explanation, Found, NotChecked, RowTests, Seen, Verdict
from ..planning.subject import Subject
from ..results.report import Number

GRACE_MS: Final = 10 * 60 * 1000  # the log cleaner wakes up every few seconds, and then needs time
_LAG: Final = "max.compaction.lag.ms"
_FIRST, _NULL, _DUPLICATE, _OVERDUE = "first of its key", "null key", "duplicate", "superseded and not removed in time"


class Compaction(Check):
    """Duplicates are counted for every keyed topic; they are violations where every writer promises exactly once."""

    about = About(
        id="compaction",
        order=60,
        summary="A compacted topic holds few records that later ones supersede, and no duplicates.",
        why="Readers replay what is long out of date.",
        needs="a key; for the debt also `cleanup.policy: compact`",
        violation=(
            "a record that was superseded more than `max.compaction.lag.ms` (and ten minutes) ago and is still there;"
            " a duplicate where all producers are exactly-once"
        ),
        declared_at=("config", "cleanup.policy"),
        estimated=False,
        metrics={
            "duplicates": "records with the key, value and timestamp of the previous record with that key",
            "distinctKeys": "keys, counted in each partition; this and the next two for compacted topics only",
            "superseded": "records with a key that a later record of the partition has too",
            "debt": "superseded records as a share of all records, 0 to 1",
        },
        settings=("cleanup.policy", _LAG),
    )

    def tests(self, subject: Subject) -> RowTests | NotChecked | None:
        if not subject.is_keyed:
            return NotChecked("compaction needs keys, the topology declares none") if _compacted(subject) else None
        meaning: Meaning = "violation" if subject.exactly_once else "counted"
        duplicate = RowTest(_DUPLICATE, SameAsBefore(), meaning, "written once, as its producers are exactly-once")
        rows = [duplicate, RowTest(_NULL, NullKey(), "exempt")]
        if _compacted(subject):
            rows.append(RowTest(_FIRST, FirstOfKey(), "counted"))
            lag_ms = subject.limit_ms(_LAG)
            if lag_ms is not None:
                overdue = SupersededOverdue(subject.now_ms - lag_ms - GRACE_MS)
                rows.append(RowTest(_OVERDUE, overdue, expected=f"removed within {_LAG} ({lag_ms})"))
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
            lag = subject.settings[_LAG]
            return Explanation(
                f"compaction is later than {_LAG} ({lag}): the log cleaner is behind or has stopped,"
                " or nothing was written since, as only a new record closes the active segment",
                "look at the brokers' log cleaner (max-dirty-percent, uncleanable-partitions-count), and at segment.ms",
            )
        return Explanation(
            "a producer that retries without idempotence, or one that writes outside its transaction",
            "set enable.idempotence and a transactional.id in every producer, or declare `delivery: at-least-once`",
        )


CHECK = Compaction()


def _compacted(subject: Subject) -> bool:
    return "compact" in [part.strip() for part in subject.settings.get("cleanup.policy", "").split(",")]
