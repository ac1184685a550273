"""Each key is in one partition, at least as long as the partition count stays."""

from __future__ import annotations

from dataclasses import replace

from kafka_topology.topology.kafka.partitioners import KEYLESS_PARTITIONERS, HashPartitioner
from kafka_topology.topology.model.words import agreeing, counted

from ..conditions.record import Condition, KeyQuestion, NoPlaceInTable, Undetermined
from ..conditions.tables import ExpressionTable
from ..planning.check import About, Check, Explanation, Fault, Found, NotChecked, RowTests, Seen, Verdict
from ..planning.placing import PLACEMENT, eras_of, placement_tests, ties_no_key
from ..planning.subject import Subject
from ..results.report import Position


class SinglePartition(Check):
    """If every record is where its key belongs, no key is in two partitions, and no second query is needed."""

    about = About(
        id="single-partition",
        order=20,
        summary="All records of a key lie in one partition.",
        why="The order of a key's records is lost when they lie in several.",
        needs="`key` with a partitioner that ties keys to partitions",
        violation="a key with records in two partitions within one era; it counts keys",
        declared_at=("key", "partitioner"),
        counts="key",
        estimated=False,
        metrics={
            "splitKeys": "keys with records in more than one partition within one era of `key.history`",
            "distinctKeys": "all keys; both numbers are there only if a second query had to read the keys",
        },
    )

    def tests(self, subject: Subject) -> RowTests | NotChecked | None:
        key = subject.key
        if key is None or not subject.is_keyed:
            return None
        if key.partitioner.name in KEYLESS_PARTITIONERS:
            return NotChecked(ties_no_key(key.partitioner.name))
        return RowTests(_placed(subject).rows, bound=subject.unseen)

    def asks(self, subject: Subject, seen: Seen) -> KeyQuestion | None:
        placed = _placed(subject)
        if not seen.records or subject.partitions == 1 or _is_proven(placed, seen):
            return None
        return KeyQuestion(eras_of(subject), _open_to(placed))

    def verdict(self, subject: Subject, seen: Seen) -> Verdict:  # noqa: ARG002 - the base class's signature
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
                expected="one partition for all its records",
            ),
            out_of=places.keys,
        )

    def explain(self, subject: Subject, found: Found) -> Explanation:
        assert subject.key is not None  # noqa: S101 - only what was tested is explained
        keys = found.seen.keys.keys if found.seen.keys is not None else 0
        name = subject.key.partitioner.name
        return Explanation(
            f"{found.violations:,} of {counted(keys, 'key')} {agreeing(found.violations, 'lies', 'lie')} in several"
            " partitions, so records of a key have no order:"
            " two producers place them differently, or partitions were added without `key.history`",
            f"give every producer partitioner {name}; consumers must not rely on order for keys already split",
        )


CHECK = SinglePartition()


def _placed(subject: Subject) -> RowTests:
    """The tests of placement, not as violations. Without any, placement cannot be judged."""
    tests = placement_tests(subject)
    if PLACEMENT in subject.refused or isinstance(tests, NotChecked):
        return RowTests(())
    # A key that placement cannot judge is still one key.
    rows = (row if row.meaning == "exempt" else replace(row, meaning="counted") for row in tests.rows)
    return RowTests(tuple(rows), bound=tests.bound)


def _is_proven(placed: RowTests, seen: Seen) -> bool:
    """A key that the partitioner ties nowhere is none of this check's; any other doubt is worth a query."""
    doubtful = (row for row in placed.rows if row.meaning != "exempt")
    return bool(placed.rows) and placed.bound is None and not any(seen.counts[row.name] for row in doubtful)


def _open_to(placed: RowTests) -> HashPartitioner | ExpressionTable | None:
    return next((who for row in placed.rows if (who := _tied_nowhere(row.condition)) is not None), None)


def _tied_nowhere(condition: Condition) -> HashPartitioner | ExpressionTable | None:
    """What leaves the partition of such a key open. A table does not: a key that it cannot place is still one key."""
    match condition:
        case Undetermined(partitioner):
            return partitioner
        case NoPlaceInTable(ExpressionTable() as table):
            return table
    return None
