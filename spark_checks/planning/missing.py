"""Checks that need a column which the records were given without. Kafka has them all; a table may not."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from ..conditions.record import (
    Behind,
    Condition,
    DecodedDiffersFromField,
    DiffersFromField,
    EmptyKey,
    FirstOfKey,
    Framed,
    HeaderMissing,
    HeadersTooLarge,
    InFuture,
    IsMoment,
    Judged,
    Misplaced,
    MisplacedByTable,
    NoNumber,
    NoPlaceInTable,
    NotInTable,
    NotOfFormat,
    NotOfType,
    NotTimestampType,
    NullKey,
    NullValue,
    Older,
    OutsideShare,
    Repeated,
    SameAsBefore,
    SupersededOverdue,
    Tombstone,
    Undetermined,
    Unframed,
    WithinShare,
)
from ..conditions.tables import ExpressionTable
from .check import Check
from .plan import Plan, Planned

# Of the Kafka source, with their types. Without `partition` and `offset` nothing can be read.
OPTIONAL: Final = {"key": "binary", "value": "binary", "timestamp": "timestamp", "timestampType": "int"}


def without_columns(asked: Plan, missing: Collection[str]) -> dict[str, str]:
    """The checks that need one of the missing columns, each with the reason."""
    found = {each.check.id: sorted(_needed(each) & set(missing)) for each in asked.planned}
    return {
        check: f"the records were given without a column {' and '.join(f'`{name}`' for name in names)}"
        for check, names in found.items()
        if names
    }


def _needed(planned: Planned) -> frozenset[str]:
    needed = frozenset[str]().union(*(columns_of(row.condition) for row in planned.tests.rows))
    # A second query compares all keys, with the partition count of their time.
    return needed | {"key", "timestamp"} if type(planned.check).asks is not Check.asks else needed


def columns_of(condition: Condition) -> frozenset[str]:
    """What the condition reads of a record. All columns, if it is not known here."""
    match condition:
        case Misplaced(eras=eras):
            return _KEY | _TIMESTAMP if len(eras) > 1 else _KEY
        case MisplacedByTable(table) | NotInTable(table) | NoPlaceInTable(table):
            return _KEY | _TIMESTAMP if isinstance(table, ExpressionTable) else _KEY
        case Behind(scope=scope) | Repeated(scope=scope):
            return _VALUE | _KEY if scope == "key" else _VALUE
        case Older(scope):
            return _TIMESTAMP | _KEY if scope == "key" else _TIMESTAMP
        case Judged(part):
            return frozenset({part})
        case OutsideShare():
            return frozenset()
        case WithinShare(condition=inner):
            return columns_of(inner)
    return _BY_TYPE.get(type(condition), frozenset(OPTIONAL))


_KEY: Final = frozenset({"key"})
_VALUE: Final = frozenset({"value"})
_TIMESTAMP: Final = frozenset({"timestamp"})
_BY_TYPE: Final[dict[type, frozenset[str]]] = {
    Undetermined: _KEY,
    NullKey: _KEY,
    EmptyKey: _KEY,
    NotOfType: _KEY,
    FirstOfKey: _KEY,
    Tombstone: _KEY | _VALUE,
    DiffersFromField: _KEY | _VALUE,
    DecodedDiffersFromField: _KEY | _VALUE,
    NotOfFormat: _VALUE,
    Framed: _VALUE,
    Unframed: _VALUE,
    NoNumber: _VALUE,
    IsMoment: _VALUE,
    NullValue: _VALUE,
    SameAsBefore: _KEY | _VALUE | _TIMESTAMP,
    SupersededOverdue: _KEY | _TIMESTAMP,
    InFuture: _TIMESTAMP,
    NotTimestampType: frozenset({"timestampType"}),
    HeaderMissing: frozenset({"headers"}),
    HeadersTooLarge: frozenset({"headers"}),
}
