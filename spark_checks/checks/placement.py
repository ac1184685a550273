"""Each record is in the partition that its key belongs to."""

from __future__ import annotations

from collections import Counter

from ..conditions.record import Misplaced, MisplacedByTable
from ..planning.cause import likely_cause
from ..planning.check import About, Check, Explanation, Found, NotChecked, RowTests
from ..planning.placing import MISPLACED, NOT_IN_TABLE, PLACEMENT, placement_tests
from ..planning.subject import Subject


class Placement(Check):
    about = About(
        id=PLACEMENT,
        order=10,
        summary="Each record is in the partition that its key belongs to.",
        why="Readers that join or aggregate by key look for it in one partition only.",
        needs="`key` with a partitioner whose place can be computed",
        violation=(
            "a record in another partition than its key belongs to, by the partition count of its time (`key.history`)"
        ),
        declared_at=("key", "partitioner"),
    )

    def tests(self, subject: Subject) -> RowTests | NotChecked:
        return placement_tests(subject)

    def explain(self, subject: Subject, found: Found) -> Explanation:
        tests = self.tests(subject)
        assert isinstance(tests, RowTests)  # noqa: S101 - only what was tested is explained
        misplaced = tests.rows[0].condition
        assert isinstance(misplaced, Misplaced | MisplacedByTable)  # noqa: S101
        faults = Counter(test.name for test, _ in found.evidence)
        if faults[NOT_IN_TABLE] and not faults[MISPLACED]:
            return Explanation(
                "keys that the declared table does not name",
                "add them to `key.partitioner`, or stop the producer that writes them",
            )
        return likely_cause(
            misplaced,
            [record for test, record in found.evidence if test.name == MISPLACED],
            partitions=subject.partitions,
        )


CHECK = Placement()
