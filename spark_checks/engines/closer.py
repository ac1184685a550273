"""Second, narrow queries: the records themselves, after the scan found where to look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812

from ..conditions.record import Condition, KeyQuestion
from ..conditions.tables import ExpressionTable
from ..reading.halves import by_halves
from ..results.evidence import LONGEST_FETCHED_KEY, Evidence, KeyPlaces, SplitKey
from .columns.conditions import Hashes, condition, partitions_at_the_time, undetermined
from .columns.fields import with_fields
from .columns.tables import has_no_place

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_BUCKETS = 64


def evidence(
    frame: DataFrame, wanted: Mapping[int, Condition], hashes: Hashes, per_partition: int
) -> tuple[Evidence, ...]:
    """The first few records of each partition for which a condition about one record holds, in no order."""
    held = F.array(*(F.when(condition(each, hashes), F.lit(bit)) for bit, each in wanted.items()))
    by_offset = Window.partitionBy("test", "partition").orderBy("offset")
    rows = (
        with_fields(frame, wanted.values())
        .select(F.explode(F.array_compact(held)).alias("test"), *_fetched())
        .withColumn("rank", F.row_number().over(by_offset))
        .where(F.col("rank") <= per_partition)
        .drop("rank")
        .collect()
    )
    return tuple(_evidence(row[0], row[1:]) for row in rows)


def records_at(frames: list[DataFrame], masks: Mapping[tuple[int, int], int]) -> tuple[Evidence, ...]:
    """The records at known places, as evidence of each condition in the mask of their place.

    What holds there is known from the scan: a condition about the records before cannot be asked of a part of them.
    """
    rows = by_halves(lambda left, right: left.union(right), [frame.select(*_fetched()) for frame in frames]).collect()
    found: list[Evidence] = []
    for row in rows:
        mask = masks.get((row[0], row[1]), 0)
        found.extend(_evidence(bit, row) for bit in range(mask.bit_length()) if mask >> bit & 1)
    return tuple(found)


def key_places(frame: DataFrame, question: KeyQuestion, examples: int) -> KeyPlaces:
    """How many keys there are, and which of them lie in several partitions of one era. One action, a few rows."""
    keyed = F.col("key").isNotNull()
    if isinstance(question.open_to, ExpressionTable):
        keyed = keyed & ~has_no_place(question.open_to)
    elif question.open_to is not None:
        keyed = keyed & ~undetermined(question.open_to)
    place = F.struct("partition", "offset")
    found = (
        frame.where(keyed)
        .groupBy("key")
        .agg(
            F.collect_set(F.struct(partitions_at_the_time(question.eras).alias("era"), "partition")).alias("places"),
            F.min(place).alias("first"),
            F.max(place).alias("last"),
        )
        .withColumn("split", F.size("places") > F.size(F.array_distinct("places.era")))
    )
    split = F.col("split")
    length = F.octet_length("key")
    example = F.struct(
        "first",
        F.when(length <= LONGEST_FETCHED_KEY, F.col("key")).alias("key"),
        length.alias("key_length"),
        F.array_sort(F.array_distinct("places.partition")).alias("partitions"),
    )
    # The first of each bucket: a few examples without sorting or gathering all split keys.
    rows = (
        found.groupBy(F.pmod(F.xxhash64("key"), F.lit(max(_BUCKETS, examples))))
        .agg(
            F.count("*"),
            F.count_if(split),
            F.min(F.when(split, F.col("first"))),
            F.max(F.when(split, F.col("last"))),
            F.min_by(F.when(split, example), F.when(split, F.col("first"))),
        )
        .collect()
    )
    several = [row for row in rows if row[2]]
    return KeyPlaces(
        keys=sum(row[1] for row in rows),
        split=sum(row[2] for row in rows),
        first=min((tuple(row[3]) for row in several), default=None),
        last=max((tuple(row[4]) for row in several), default=None),
        examples=tuple(_split_key(row[5]) for row in sorted(several, key=lambda row: row[3])[:examples]),
        open_to=question.open_to,
    )


def _split_key(row: Any) -> SplitKey:
    partition, offset = row["first"]
    key = None if row["key"] is None else bytes(row["key"])
    return SplitKey(key, row["key_length"], tuple(row["partitions"]), partition, offset)


def _fetched() -> tuple[Column, ...]:
    length = F.octet_length("key")
    return (
        F.col("partition"),
        F.col("offset"),
        F.unix_millis("timestamp").alias("timestamp_ms"),
        F.when(length <= LONGEST_FETCHED_KEY, F.col("key")).alias("key"),
        length.alias("key_length"),
    )


def _evidence(test: int, fetched: tuple[Any, ...]) -> Evidence:
    partition, offset, timestamp_ms, key, length = fetched
    return Evidence(test, partition, offset, timestamp_ms, None if key is None else bytes(key), length)
