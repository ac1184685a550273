"""Where the key of a record belongs, as tests. Placement reports what they find; other checks build on the answers."""

from __future__ import annotations

from typing import Final

from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS, KEYLESS_PARTITIONERS

from ..conditions.record import (
    Era,
    Misplaced,
    MisplacedByTable,
    NoPlaceInTable,
    NotInTable,
    NullKey,
    RowTest,
    Undetermined,
)
from ..conditions.tables import ExpressionTable, Table, UnusableTable, partitions_named, table_of
from .check import NotChecked, RowTests
from .subject import Subject

PLACEMENT: Final = "placement"  # the check that Spark refuses when an expression does not work
MISPLACED: Final = "misplaced"
NOT_IN_TABLE: Final = "not in the table"
_UNDETERMINED: Final = "undetermined"


def placement_tests(subject: Subject) -> RowTests | NotChecked:
    """The first test is the one for misplaced records."""
    key = subject.key
    if key is None or key.type == "none":
        return NotChecked("the topology declares no key, so no partition follows from one")
    try:
        table = table_of(key, any_expression=subject.any_expression)
    except UnusableTable as error:
        return NotChecked(str(error), unable=True)
    if table is not None:
        return _by_table(subject, table)
    name = key.partitioner.name
    if name in KEYLESS_PARTITIONERS:
        return NotChecked(ties_no_key(name))
    partitioner = HASH_PARTITIONERS.get(name)
    if partitioner is None:
        return NotChecked(
            f"partitioner {name} does not say where a key belongs: declare {{range: …}}, {{list: …}} or"
            f" {{expression: …}}, or one of {', '.join(HASH_PARTITIONERS)}"
        )
    return RowTests(
        (
            RowTest(MISPLACED, Misplaced(partitioner, eras_of(subject))),
            RowTest(_UNDETERMINED, Undetermined(partitioner), "exempt"),
        ),
        notes=_notes(subject),
    )


def ties_no_key(partitioner: str) -> str:
    return f"partitioner {partitioner} ties no key to a partition"


def eras_of(subject: Subject) -> tuple[Era, ...]:
    """Earlier partition counts, oldest first, then the live one."""
    assert subject.key is not None  # noqa: S101 - asked for keyed topics only
    past = sorted(subject.key.history, key=lambda era: era.until)
    until = (Era(era.partitions, int(era.until.timestamp() * 1000)) for era in past)
    return (*until, Era(subject.partitions))


def _by_table(subject: Subject, table: Table) -> RowTests:
    # An expression that gives null leaves the key's partition open. A range or a list is about all keys: one that is
    # not of the declared type cannot be looked up.
    by_expression = isinstance(table, ExpressionTable)
    no_place = RowTest(_UNDETERMINED, NoPlaceInTable(table), "exempt" if by_expression else "unjudged")
    rows = [RowTest(MISPLACED, MisplacedByTable(table)), no_place, RowTest("null key", NullKey(), "exempt")]
    if not by_expression:
        rows.append(RowTest(NOT_IN_TABLE, NotInTable(table), expected="a key that the declared table places"))
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
