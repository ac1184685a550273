"""Each record lies in the partition that its key belongs to."""

from __future__ import annotations

from collections import Counter

from ..cause import likely_cause
from ..conditions import (
    Era,
    Misplaced,
    MisplacedByTable,
    NoPlaceInTable,
    NotInTable,
    RowTest,
    Undetermined,
)
from ..partitioners import HASH_PARTITIONERS, KEYLESS_PARTITIONERS
from ..tables import ExpressionTable, Table, UnusableTable, partitions_named, table_of
from .base import Explanation, Found, NotChecked, RowCheck, RowTests, Subject

NOT_IN_TABLE = "not in the table"


class Placement(RowCheck):
    id = "placement"

    def tests(self, subject: Subject) -> RowTests | NotChecked:
        key = subject.key
        if key is None or key.type == "none":
            return NotChecked("the topology declares no key, so no partition follows from one")
        try:
            table = table_of(key)
        except UnusableTable as error:
            return NotChecked(str(error))
        if table is not None:
            return _by_table(subject, table)
        name = key.partitioner.name
        if name in KEYLESS_PARTITIONERS:
            return NotChecked(f"partitioner {name} ties no key to a partition")
        partitioner = HASH_PARTITIONERS.get(name)
        if partitioner is None:
            return NotChecked(
                f"partitioner {name} does not say where a key belongs: declare {{range: …}}, {{list: …}} or"
                f" {{expression: …}}, or one of {', '.join(HASH_PARTITIONERS)}"
            )
        return RowTests(
            (
                RowTest("misplaced", Misplaced(partitioner, eras_of(subject))),
                RowTest("undetermined", Undetermined(partitioner), "unjudged"),
            ),
            notes=_notes(subject),
        )

    def explain(self, subject: Subject, found: Found) -> Explanation:
        tests = self.tests(subject)
        assert isinstance(tests, RowTests)  # noqa: S101 - only what was tested is explained
        misplaced = tests.rows[0].condition
        assert isinstance(misplaced, Misplaced | MisplacedByTable)  # noqa: S101
        faults = Counter(test.name for test, _ in found.evidence)
        if faults[NOT_IN_TABLE] and not faults["misplaced"]:
            return Explanation(
                "keys that the declared table does not name",
                "add them to `key.partitioner`, or stop the producer that writes them",
            )
        cause = likely_cause(
            misplaced,
            [record for test, record in found.evidence if test.name == "misplaced"],
            partitions=subject.partitions,
            violations=found.violations,
            records=found.records,
        )
        return Explanation(cause.text, cause.remediation)


def eras_of(subject: Subject) -> tuple[Era, ...]:
    """Earlier partition counts, oldest first, then the live one."""
    assert subject.key is not None  # noqa: S101 - asked for keyed topics only
    past = sorted(subject.key.history, key=lambda era: era.until)
    until = (Era(era.partitions, int(era.until.timestamp() * 1000)) for era in past)
    return (*until, Era(subject.partitions))


def _by_table(subject: Subject, table: Table) -> RowTests:
    rows = [RowTest("misplaced", MisplacedByTable(table)), RowTest("undetermined", NoPlaceInTable(table), "unjudged")]
    if not isinstance(table, ExpressionTable):
        rows.append(RowTest(NOT_IN_TABLE, NotInTable(table)))
    beyond = sorted({each for each in partitions_named(table) if each >= subject.partitions})
    notes = _notes(subject)
    if beyond:
        notes += (f"the table names partition {beyond[0]}, the topic has only {subject.partitions}",)
    return RowTests(tuple(rows), notes=notes)


def _notes(subject: Subject) -> tuple[str, ...]:
    declared = subject.topic.partitions
    if declared == subject.partitions:
        return ()
    return (f"the topic has {subject.partitions} partitions, {declared} are declared: judged by the live count",)
