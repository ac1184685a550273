"""The expression of a partitioner may compute, and nothing else: what reaches Spark was looked at token by token."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path

import pytest

from kafka_topology.topology.language.expressions import FUNCTIONS, ImpureExpression, pure_sql

LANGUAGE = Path(__file__).parents[4] / "docs" / "language.md"


@pytest.mark.parametrize(
    ("expression", "sql"),
    [
        ("crc32(key) % partitions", "crc32 ( key ) % partitions"),
        ("CASE WHEN key_text LIKE 'a%' THEN NULL ELSE 1 END", "CASE WHEN key_text LIKE 'a%' THEN NULL ELSE 1 END"),
        ("1 -- all in one\n+ 2", "1 + 2"),
        ("1 -- \\\n+ 2", "1 + 2"),  # Spark would take the second line for a part of the comment
        ("key_text::int", "key_text :: int"),
        ("try_cast(key_text AS decimal(10, 0)) div 2", "try_cast ( key_text AS decimal ( 10 , 0 ) ) div 2"),
        ("if(timestamp < timestamp '2026-01-01', 0, 1)", "if ( timestamp < timestamp '2026-01-01' , 0 , 1 )"),
        ("concat(key, X'00ff', 'it\\'s (reflect(1))')", r"concat ( key , X'00ff' , 'it\'s (reflect(1))' )"),
        ("aggregate(array(0L), .5e1D, (acc, i) -> i)", "aggregate ( array ( 0L ) , .5e1D , ( acc , i ) -> i )"),
    ],
)
def test_what_computes_is_allowed(expression: str, sql: str) -> None:
    assert pure_sql(expression) == sql


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("reflect('java.lang.System', 'getenv', 'HOME')", "it calls `reflect`"),
        ("JAVA_METHOD('java.lang.System', 'load', '/tmp/x.so')", "it calls `JAVA_METHOD`"),
        ("try_reflect ('a', 'b')", "it calls `try_reflect`"),
        ("system.builtin.reflect('a', 'b')", "`.` is not allowed"),
        ("(SELECT count(*) FROM x)", "`SELECT` is not allowed"),
        ("(FROM x)", "`FROM` is not allowed"),
        ("(TABLE x)", "`TABLE` is not allowed"),
        ("(MAP 1 USING 'touch /tmp/x')", "`MAP` is not allowed"),
        ("input_file_name()", "it calls `input_file_name`"),
        ("current_user", "`current_user` is not allowed"),
        ("transform(array(1), user -> user)", "`user` is not allowed as a variable"),
        ("transform(array(1), (x, current_date) -> 1)", "`current_date` is not allowed as a variable"),
        ("transform(array(1), x -> x('a'))", "it calls `x`"),
        ("length('${env:HOME}')", "`${` is not allowed"),
        ("length(${env:HOME})", "`$` is not allowed"),
        ('"reflect"(1)', "write text in single quotes"),
        ("`reflect`(1)", "without it"),
        ("1 /* reflect(1) */", "write comments as `-- …`"),
        ("r'\\d' || 'a'", "`r` is not allowed"),
        ("'\\' || reflect('a') || '", "`a` is not allowed"),
        ("row_number() over (order by key)", "it calls `row_number`"),
        ("raise_error(key_text)", "it calls `raise_error`"),
        ("rand()", "it calls `rand`"),
        ("my_udf(key)", "it calls `my_udf`"),
        ("from_xml(key_text, 'a int', map('rowValidationXSDPath', '/etc/passwd'))", "it calls `from_xml`"),
        ("crc23(key)", "did you mean `crc32`?"),
        ("value", "it may name `key`, `key_text`, `partitions`, `timestamp`"),
        ("_metadata", "`_metadata` is not allowed"),
        (":name", "`:` is not allowed"),
        ("1reflect(1)", "`1` is not allowed"),
        ("1;1", "`;` is not allowed"),
        ("\x1b[31m", "`U+001B` is not allowed"),
        ("k\N{LATIN SMALL LETTER E WITH ACUTE}y", "is not allowed"),
        (" \n-- nothing", "it is empty"),
        ("(" * 61 + "1" + ")" * 61, "nested deeper than 60"),
        ("1 + " * 2500 + "1", "at most 10,000 are allowed"),
    ],
)
def test_what_reaches_further_is_not(expression: str, said: str) -> None:
    with pytest.raises(ImpureExpression) as refused:
        pure_sql(expression)
    assert said in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("part", ["'", "(", "->", "a->", "(a,", ")->", "1", "x", "\\", "--", "-", "'\\'", "(a,b)->"])
def test_no_text_takes_long(part: str) -> None:
    started = time.process_time()
    with suppress(ImpureExpression):
        pure_sql((part * 10_000)[:10_000])
    assert time.process_time() - started < 1


def test_the_docs_name_every_function() -> None:
    assert set(re.findall(r"`([a-z0-9_]+)`", LANGUAGE.read_text(encoding="utf-8"))) >= FUNCTIONS
