"""Placement that the topology spells out: key ranges, a list of keys, or an expression, in the order of the keys' kind.

Pure: the Spark columns for the same tables are in `table_columns.py` and are tested against this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kafka_topology.topology.language.expressions import ImpureExpression, pure_sql
from kafka_topology.topology.model.declared import Key, KeyType, Partitioner

# How keys are compared with what a table says: by their bytes, as signed numbers, or by the text they hold.
Order = Literal["bytes", "numbers", "texts"]
_ORDERS: Mapping[KeyType, Order] = {"int": "numbers", "long": "numbers", "json": "texts", "avro": "texts"}
NUMBER_BYTES: Mapping[KeyType, int] = {"int": 4, "long": 8}
_HEX = "0x"

Bound = bytes | int


class UnusableTable(Exception):
    """What is wrong with a declared table, for people."""


@dataclass(frozen=True, slots=True)
class KeySpan:
    """Keys from `start` (inclusive) to `end` (exclusive); None is open."""

    partition: int
    start: Bound | None = None
    end: Bound | None = None


@dataclass(frozen=True, slots=True)
class RangeTable:
    """The first span that holds a key says its partition."""

    order: Order
    spans: tuple[KeySpan, ...]

    def partition(self, key: Bound) -> int | None:
        for span in self.spans:
            if (span.start is None or not _less(key, span.start)) and (span.end is None or _less(key, span.end)):
                return span.partition
        return None


@dataclass(frozen=True, slots=True)
class ListTable:
    order: Order
    keys: tuple[tuple[Bound, int], ...]

    def partition(self, key: Bound) -> int | None:
        return dict(self.keys).get(key)


@dataclass(frozen=True, slots=True)
class ExpressionTable:
    """Spark SQL over `key`, `key_text`, `partitions` and `timestamp`; null leaves the partition open.

    Spark runs it as it is: make one from a declaration with `table_of`, which looks at the text first.
    """

    expression: str


Table = RangeTable | ListTable | ExpressionTable


def table_of(key: Key, *, any_expression: bool = False) -> Table | None:
    """The table of a declared partitioner; None when it has none. Raises `UnusableTable`.

    With `any_expression`, an expression may do whatever Spark can; else it only computes.
    """
    declared: Partitioner = key.partitioner
    order = _ORDERS.get(key.type, "bytes")

    def bound(text: str | None) -> Bound | None:
        return None if text is None else _bound(text, key.type, order)

    if declared.ranges:
        spans = (KeySpan(each.partition, bound(each.start), bound(each.end)) for each in declared.ranges)
        return RangeTable(order, tuple(spans))
    if declared.keys:
        return ListTable(order, tuple((_bound(text, key.type, order), at) for text, at in declared.keys.items()))
    if declared.expression is None:
        return None
    return ExpressionTable(declared.expression if any_expression else _harmless(declared.expression))


def has_expression(key: Key, *, any_expression: bool = False) -> bool:
    """Whether an expression that Spark may run says where keys belong."""
    try:
        return isinstance(table_of(key, any_expression=any_expression), ExpressionTable)
    except UnusableTable:
        return False


def _harmless(expression: str) -> str:
    try:
        return pure_sql(expression)
    except ImpureExpression as error:
        raise UnusableTable(f"the expression is not run: {error}") from None


def partitions_named(table: Table) -> tuple[int, ...]:
    match table:
        case RangeTable(_, spans):
            return tuple(span.partition for span in spans)
        case ListTable(_, keys):
            return tuple(partition for _, partition in keys)
        case ExpressionTable():
            return ()


def comparable(key: bytes, order: Order) -> Bound | None:
    """A key's bytes as a table compares them; None when they are no such key, or only Spark can decode it."""
    if order == "bytes":
        return key
    if order == "numbers" and len(key) in NUMBER_BYTES.values():
        return int.from_bytes(key, "big", signed=True)
    return None


def _bound(text: str, key_type: KeyType, order: Order) -> Bound:
    if order == "numbers":
        try:
            number = int(text)
        except ValueError:
            raise UnusableTable(f"the table has `{text}`, which is no number, and keys are {key_type}") from None
        if number.bit_length() > 63:
            raise UnusableTable(f"the table has {text}, which no key of type {key_type} can be")
        return number
    if key_type == "bytes" and text.startswith(_HEX):
        try:
            return bytes.fromhex(text.removeprefix(_HEX))
        except ValueError:
            raise UnusableTable(f"the table has `{text}`, which are not whole bytes in hexadecimal digits") from None
    return text.encode()


def _less(left: Bound, right: Bound) -> bool:
    """Both are of the table's kind, which the types cannot express."""
    if isinstance(left, int) and isinstance(right, int):
        return left < right
    return isinstance(left, bytes) and isinstance(right, bytes) and left < right
