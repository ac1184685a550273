"""Declared placement as Spark columns: where a table or an expression puts a key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from ...conditions.tables import Bound, ExpressionTable, ListTable, Order, RangeTable, Table

if TYPE_CHECKING:
    from pyspark.sql import Column


def declared_partition(table: Table) -> Column:
    """The partition that the table says, null where it says none."""
    match table:
        case RangeTable(order, spans):
            key = compared_key(order)
            found = [F.when(_within(key, span.start, span.end), F.lit(span.partition)) for span in spans]
            return F.coalesce(*found, F.lit(None).cast("int"))
        case ListTable(order, keys):
            return _listed(compared_key(order), order, keys)
        case ExpressionTable(expression):
            return expression_column(expression)


def expression_column(expression: str) -> Column:
    """Spark refuses a generator (one record, many rows) inside a cast, so no record can be doubled."""
    return F.expr(f"try_cast((\n{expression}\n) AS bigint)")


def compared_key(order: Order) -> Column:
    """The key as the table compares it, null when it is no such key."""
    if order == "bytes":
        return F.col("key")
    if order == "texts":
        return F.col("key_text").cast("binary")
    return F.col("key_text").try_cast("bigint")


def has_no_place(table: Table) -> Column:
    """No partition can be expected: no key, none that can be compared, or an expression that gives null."""
    if isinstance(table, ExpressionTable):
        return F.col("key").isNull() | declared_partition(table).isNull()
    return compared_key(table.order).isNull()


def not_in_table(table: Table) -> Column:
    if isinstance(table, ExpressionTable):
        return F.lit(False)
    return compared_key(table.order).isNotNull() & declared_partition(table).isNull()


def _within(key: Column, start: Bound | None, end: Bound | None) -> Column:
    limits = [key.isNotNull()]
    if start is not None:
        limits.append(key >= F.lit(start))
    if end is not None:
        limits.append(key < F.lit(end))
    return reduce(lambda left, right: left & right, limits)


def _listed(key: Column, order: Order, keys: Sequence[tuple[Bound, int]]) -> Column:
    """Looked up in one literal map: a chain of comparisons would outgrow Spark's generated code."""
    if order == "numbers":
        known = [F.lit(each).cast("bigint") for each, _ in keys]
    else:
        # Hexadecimal digits, because keys need not be text and Spark's maps compare text quickest.
        known, key = [F.hex(F.lit(each)) for each, _ in keys], F.hex(key)
    places = F.map_from_arrays(F.array(*known), F.array(*(F.lit(partition) for _, partition in keys)))
    return F.try_element_at(places, key)
