"""Conditions about the records before, as Spark's window functions over each partition and each of its keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812

from ...conditions.record import (
    Behind,
    Condition,
    FirstOfKey,
    Older,
    Repeated,
    SameAsBefore,
    Scope,
    Stateful,
    SupersededOverdue,
)
from ...reading.halves import by_halves
from .fields import number_columns

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.window import WindowSpec

_TIME = "timestamp_ms"
_LENGTH = "value_length"
_HASH = "value_hash"


def remembering(conditions: Iterable[Stateful]) -> list[Column]:
    """What the windows need of a record, so that its value need not be kept."""
    kept: dict[str, Column] = {"key": F.col("key")}
    for condition in conditions:
        match condition:
            case Behind(field) | Repeated(field):
                kept |= {name: F.col(name) for name in number_columns(field)}
            case Older() | SupersededOverdue():
                kept[_TIME] = F.unix_millis("timestamp")
            case SameAsBefore():
                kept[_TIME] = F.unix_millis("timestamp")
                kept[_LENGTH] = F.octet_length("value")
                kept[_HASH] = F.xxhash64("value")
            case FirstOfKey():
                pass
    return [column.alias(name) for name, column in kept.items()]


def stateful_mask(conditions: Sequence[Condition]) -> Column:
    """The bits of the conditions about the records before; the other bits are 0."""
    bits = [
        F.when(_holds(condition), F.lit(1 << bit)).otherwise(F.lit(0)).cast("bigint")
        for bit, condition in enumerate(conditions)
        if isinstance(condition, Stateful)
    ]
    return by_halves(lambda left, right: left.bitwiseOR(right), bits)


def _holds(condition: Stateful) -> Column:
    keyed = F.col("key").isNotNull()
    match condition:
        case FirstOfKey():
            return keyed & _before("offset").isNull()
        case Behind(field, scope):
            return _in_scope(scope) & _any(F.col(name) < _largest_before(name, scope) for name in number_columns(field))
        case Repeated(field, scope):
            return _in_scope(scope) & _any(
                F.col(name) == _largest_before(name, scope) for name in number_columns(field)
            )
        case Older(scope):
            return _in_scope(scope) & (F.col(_TIME) < _largest_before(_TIME, scope))
        case SameAsBefore():
            same_value = _before(_LENGTH).eqNullSafe(F.col(_LENGTH)) & (_before(_HASH) == F.col(_HASH))
            return keyed & (_before(_TIME) == F.col(_TIME)) & same_value
        case SupersededOverdue(before_ms):
            return keyed & F.coalesce(F.lead(_TIME).over(_by("key")) < before_ms, F.lit(False))


def _any(conditions: Iterable[Column]) -> Column:
    return by_halves(lambda left, right: left | right, [F.coalesce(each, F.lit(False)) for each in conditions])


def _in_scope(scope: Scope) -> Column:
    return F.col("key").isNotNull() if scope == "key" else F.lit(True)


def _by(scope: Scope) -> WindowSpec:
    parts = ("partition", "key") if scope == "key" else ("partition",)
    return Window.partitionBy(*parts).orderBy("offset")


def _before(name: str) -> Column:
    """Of the latest record before with the same key; null where there is none."""
    return F.lag(name).over(_by("key"))


def _largest_before(name: str, scope: Scope) -> Column:
    return F.max(name).over(_by(scope).rowsBetween(Window.unboundedPreceding, -1))
