"""Conditions about the records before, by Spark's windows, against a plain walk over the same records."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.columns import number
from kafka_topology.spark_checks.conditions import (
    Behind,
    Condition,
    FirstOfKey,
    InFuture,
    NoNumber,
    NotTimestampType,
    NumberField,
    Older,
    Repeated,
    SameAsBefore,
    SupersedesOverdue,
)
from kafka_topology.spark_checks.hashes import BuiltInHashes
from kafka_topology.spark_checks.pure import PureEngine
from kafka_topology.spark_checks.reader import FrameReader
from kafka_topology.spark_checks.scan import HOT_KEY_RECORDS, HOT_KEYS, Group, HotKey, Overflow, Tally
from kafka_topology.topology.model import Key, Topology, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the session's zone is UTC
COLUMNS = "key binary, value binary, partition int, offset long, timestamp timestamp, timestampType int"
NUMBER = NumberField(("n",))
CONDITIONS: tuple[Condition, ...] = (
    FirstOfKey(),
    Behind(NUMBER, "key"),
    Repeated(NUMBER, "key"),
    Behind(NUMBER, "partition"),
    Repeated(NUMBER, "partition"),
    Older("key"),
    Older("partition"),
    SameAsBefore(),
    SupersedesOverdue(5),
    NoNumber(NUMBER),
    InFuture(6),
    NotTimestampType(0),
)


@dataclass(frozen=True)
class Row:
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    at_ms: int
    type: int

    @property
    def number(self) -> int | None:
        found = json.loads(self.value).get("n") if self.value else None
        return found if isinstance(found, int) else None


def some_rows(count: int) -> list[Row]:
    """Few keys, values and moments, so that everything happens often. Offsets have gaps."""
    chance = random.Random(23)  # noqa: S311 - repeatable
    values = [None, b"", b"{}", b'{"n": "x"}', *(json.dumps({"n": n}).encode() for n in range(-1, 4))]
    rows = []
    offset = 0
    for _ in range(count):
        offset += chance.randrange(1, 4)
        key = chance.choice([None, b"", b"a", b"b", b"c"])
        row = Row(chance.randrange(3), offset, key, chance.choice(values), chance.randrange(9), chance.randrange(2))
        rows.append(row)
    return rows


def walked(rows: Sequence[Row]) -> Tally:
    groups: dict[tuple[int, int], Group] = {}
    for row in sorted(rows, key=lambda row: row.offset):
        before = [each for each in rows if each.partition == row.partition and each.offset < row.offset]
        same_key = [each for each in before if row.key is not None and each.key == row.key]
        mask = sum(1 << bit for bit, condition in enumerate(CONDITIONS) if holds(condition, row, before, same_key))
        size = len(row.key or b"") + len(row.value or b"")
        so_far = groups.get((row.partition, mask), Group(row.partition, mask, 0, row.offset, row.offset, 0))
        groups[row.partition, mask] = Group(
            row.partition, mask, so_far.records + 1, so_far.first, row.offset, so_far.bytes + size
        )
    counts = Counter((row.partition, row.key) for row in rows if row.key is not None)
    hot = [HotKey(part, key, records) for (part, key), records in counts.items() if records >= HOT_KEY_RECORDS]
    hot.sort(key=lambda each: (each.partition, -each.records, each.key))
    assert max(Counter(each.partition for each in hot).values()) <= HOT_KEYS
    return Tally(tuple(groups.values()), tuple(hot))


def holds(condition: Condition, row: Row, before: Sequence[Row], same_key: Sequence[Row]) -> bool:  # noqa: C901
    latest = max(same_key, key=lambda each: each.offset, default=None)

    def largest(of: Callable[[Row], int | None], scope: str) -> int | None:
        found = [of(each) for each in (same_key if scope == "key" else before)]
        return max((each for each in found if each is not None), default=None)

    match condition:
        case FirstOfKey():
            return row.key is not None and latest is None
        case Behind(_, scope):
            most = largest(lambda each: each.number, scope)
            return row.number is not None and most is not None and row.number < most
        case Repeated(_, scope):
            return row.number is not None and row.number == largest(lambda each: each.number, scope)
        case Older(scope):
            return row.at_ms < (largest(lambda each: each.at_ms, scope) or 0)
        case SameAsBefore():
            return latest is not None and (latest.value, latest.at_ms) == (row.value, row.at_ms)
        case SupersedesOverdue(before_ms):
            return latest is not None and row.at_ms < before_ms
        case NoNumber():
            return row.number is None
        case InFuture(after_ms):
            return row.at_ms > after_ms
        case NotTimestampType(kind):
            return row.type != kind
    raise AssertionError(condition)


def frame_of(spark: SparkSession, rows: Sequence[Row]) -> DataFrame:
    held = [
        (row.key, row.value, row.partition, row.offset, EPOCH + timedelta(milliseconds=row.at_ms), row.type)
        for row in rows
    ]
    return spark.createDataFrame(held, COLUMNS)


def test_windows_say_what_a_walk_over_the_records_says(spark: SparkSession) -> None:
    rows = some_rows(2_000)
    random.Random(5).shuffle(shuffled := list(rows))  # noqa: S311 - repeatable
    found = PureEngine(BuiltInHashes()).tally(frame_of(spark, shuffled), CONDITIONS, hot_keys=True)
    expected = walked(rows)
    assert set(found.groups) == set(expected.groups)
    assert found.hot_keys == expected.hot_keys
    assert len(found.hot_keys) > 3
    # Every condition happened, and every one did not.
    for bit in range(len(CONDITIONS)):
        assert len({group.mask >> bit & 1 for group in found.groups}) == 2


def test_numbers_and_moments(spark: SparkSession) -> None:
    noon = int(datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()) * 1_000_000
    texts: dict[str, tuple[int | None, int | None]] = {  # as a number, as a time
        "0": (0, 0),
        "-17": (-17, -17),
        '"42"': (42, 42),
        "999999999999999999": (999999999999999999, 999999999999999999),
        "1234567890123456789": (None, None),
        "1.5": (None, None),
        '"+1"': (None, None),
        '"1\\n"': (None, None),
        '"2026-03-01"': (None, noon - 12 * 3_600_000_000),
        '"2026-03-01T12:00:00"': (None, noon),
        '"2026-03-01 12:00:00.25"': (None, noon + 250_000),
        '"2026-03-01T12:00:00Z"': (None, noon),
        '"2026-03-01T14:00:00+02:00"': (None, noon),
        '"2026-03-01T10:30:00-0130"': (None, noon),
        '"2026-02-30"': (None, None),
        '"12:00:00"': (None, None),
        '"2026"': (2026, 2026),
        "null": (None, None),
        "{}": (None, None),
    }
    frame = spark.createDataFrame([(text, f'{{"n": {text}}}'.encode()) for text in texts], "text string, value binary")
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")  # must not matter
    try:
        rows = frame.select("text", number(NUMBER), number(NumberField(("n",), time=True))).collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone or "UTC")
    assert {row[0]: (row[1], row[2]) for row in rows} == texts


class GivesUp:
    """An engine whose memory is always full."""

    def tally(self, frame: DataFrame, conditions: Sequence[Condition], *, hot_keys: bool) -> Overflow:  # noqa: ARG002
        return Overflow("more keys than fit into memory")


def test_an_engine_that_gives_up_is_replaced_and_that_is_told(
    spark: SparkSession, declare: Callable[..., Topology]
) -> None:
    topology = declare("t", 3, key=Key("string"), ordering="per-key", value=Value("json", sequence="n"))
    reader = FrameReader({"t": frame_of(spark, some_rows(300))}, {"t": 3})
    (plain,) = check(spark, topology, reader=reader).topics
    (replaced,) = check(spark, topology, reader=reader, engine=GivesUp()).topics
    assert replaced.notes == ("read twice: more keys than fit into memory",)
    assert replaced.results == plain.results
    assert plain.notes == ()
    assert plain.violations > 0
