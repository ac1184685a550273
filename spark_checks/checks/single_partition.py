"""Each key lies in one partition, at least as long as the partition count stays."""

from __future__ import annotations

from dataclasses import replace

from ..conditions import Condition, KeyQuestion, NoPlaceInTable, Undetermined
from ..partitioners import KEYLESS_PARTITIONERS, HashPartitioner
from ..report import Position
from ..tables import ExpressionTable
from .base import Explanation, Fault, Found, NotChecked, RowTests, Seen, Subject, Verdict, asked_by
from .placement import Placement, eras_of


class SinglePartition:
    """Where every record lies where its key belongs, no key can lie in two places: then no second query is needed."""

    id = "single-partition"

    def tests(self, subject: Subject) -> RowTests | NotChecked | None:
        key = subject.key
        if key is None or not subject.is_keyed:
            return None
        if key.partitioner.name in KEYLESS_PARTITIONERS:
            return NotChecked(f"partitioner {key.partitioner.name} ties no key to a partition")
        return RowTests(_placed(subject).rows, bound=subject.unseen)

    def asks(self, subject: Subject, seen: Seen) -> KeyQuestion | None:
        placed = _placed(subject)
        if not seen.records or subject.partitions == 1 or _is_proven(placed, seen):
            return None
        return KeyQuestion(eras_of(subject), _open_to(placed))

    def verdict(self, subject: Subject, seen: Seen) -> Verdict:  # noqa: ARG002 - the protocol's signature
        places = seen.keys
        if places is None:
            return Verdict()
        metrics = {"splitKeys": places.split, "distinctKeys": places.keys}
        if places.first is None or places.last is None:
            return Verdict(metrics)
        return Verdict(
            metrics,
            Fault(
                "keys in several partitions",
                places.split,
                first=Position(*places.first),
                last=Position(*places.last),
                keys=places.examples,
            ),
        )

    def explain(self, subject: Subject, found: Found) -> Explanation:
        assert subject.key is not None  # noqa: S101 - only what was tested is explained
        keys = found.seen.keys.keys if found.seen.keys is not None else 0
        name = subject.key.partitioner.name
        return Explanation(
            f"{found.violations:,} of {keys:,} keys lie in several partitions, so their records have no order:"
            " two producers place them differently, or partitions were added without `key.history`",
            f"give every producer partitioner {name}; consumers must not rely on order for keys already split",
        )


def _placed(subject: Subject) -> RowTests:
    """The tests of placement, without being violations here. None of them: placement cannot be judged."""
    tests = asked_by(Placement(), subject)
    if not isinstance(tests, RowTests):
        return RowTests(())
    rows = (replace(row, meaning="counted") if row.meaning == "violation" else row for row in tests.rows)
    return RowTests(tuple(rows), bound=tests.bound)


def _is_proven(placed: RowTests, seen: Seen) -> bool:
    """A key that the partitioner ties nowhere is none of this check's; any other doubt is worth a query."""
    doubtful = (row for row in placed.rows if _tied_nowhere(row.condition) is None)
    return bool(placed.rows) and placed.bound is None and not any(seen.counts[row.name] for row in doubtful)


def _open_to(placed: RowTests) -> HashPartitioner | ExpressionTable | None:
    return next((who for row in placed.rows if (who := _tied_nowhere(row.condition)) is not None), None)


def _tied_nowhere(condition: Condition) -> HashPartitioner | ExpressionTable | None:
    """Who lets such a key lie anywhere. A table does not: a key that it cannot place is still one key."""
    match condition:
        case Undetermined(partitioner):
            return partitioner
        case NoPlaceInTable(ExpressionTable() as table):
            return table
    return None
