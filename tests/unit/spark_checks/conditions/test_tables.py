"""Declared tables: how keys of each type are compared with them."""

from __future__ import annotations

import pytest

from kafka_topology.spark_checks.conditions.tables import (
    ExpressionTable,
    KeySpan,
    ListTable,
    RangeTable,
    UnusableTable,
    comparable,
    has_expression,
    partitions_named,
    table_of,
)
from kafka_topology.topology.model.declared import Key, KeyRange, Partitioner

RANGES = Partitioner("range", ranges=(KeyRange(0, None, "9"), KeyRange(1, "9", "100"), KeyRange(2, "100")))


def test_numbers_are_compared_as_numbers_and_text_by_its_bytes() -> None:
    numbers, texts = table_of(Key("int", partitioner=RANGES)), table_of(Key("string", partitioner=RANGES))
    assert isinstance(numbers, RangeTable)
    assert isinstance(texts, RangeTable)
    assert [numbers.partition(key) for key in (-5, 8, 9, 99, 100)] == [0, 0, 1, 1, 2]
    # "100" is before "9", so the second range holds nothing and the first one that holds a key counts.
    assert [texts.partition(key) for key in (b"", b"100", b"8", b"9", b"\xff")] == [0, 0, 0, 2, 2]
    assert partitions_named(numbers) == (0, 1, 2)


def test_a_key_in_no_range_has_no_partition() -> None:
    table = RangeTable("bytes", (KeySpan(1, b"a", b"c"),))
    assert [table.partition(key) for key in (b"Z", b"a", b"bzz", b"c")] == [None, 1, 1, None]


def test_lists() -> None:
    table = table_of(Key("long", partitioner=Partitioner("list", keys={"007": 3, "-1": 4})))
    assert table == ListTable("numbers", ((7, 3), (-1, 4)))
    assert [table.partition(key) for key in (7, -1, 8)] == [3, 4, None]


def test_bytes_may_be_written_in_hexadecimal_digits() -> None:
    table = table_of(Key("bytes", partitioner=Partitioner("list", keys={"0x00ff": 1, "text": 2})))
    assert table == ListTable("bytes", ((b"\x00\xff", 1), (b"text", 2)))


def test_a_partitioner_without_a_table_has_none() -> None:
    assert table_of(Key("string")) is None
    assert table_of(Key("string", partitioner=Partitioner("explicit"))) is None
    custom = Key("string", partitioner=Partitioner("custom", expression="1"))
    assert table_of(custom) == ExpressionTable("1")


def test_an_expression_that_does_more_than_compute_is_no_table_of_any_session() -> None:
    custom = Key("string", partitioner=Partitioner("custom", expression="length('${env:HOME}') -- ?"))
    with pytest.raises(UnusableTable, match=r"the expression is not run: `\$\{` is not allowed in it"):
        table_of(custom)
    assert not has_expression(custom)
    assert table_of(custom, any_expression=True) == ExpressionTable("length('${env:HOME}') -- ?")
    assert has_expression(custom, any_expression=True)


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("int", "abc", "no number"),
        ("long", "9223372036854775808", "no key of type long"),
        ("bytes", "0xabc", "not whole bytes"),
    ],
)
def test_what_no_key_can_be_is_refused(kind: str, text: str, said: str) -> None:
    with pytest.raises(UnusableTable, match=said):
        table_of(Key(kind, partitioner=Partitioner("list", keys={text: 0})))


def test_keys_as_tables_compare_them() -> None:
    assert comparable(b"abc", "bytes") == b"abc"
    assert comparable(b"\xff\xff\xff\xff", "numbers") == -1
    assert comparable(b"\x00" * 7 + b"\x05", "numbers") == 5
    assert comparable(b"5", "numbers") is None
    assert comparable(b'"a"', "texts") is None
