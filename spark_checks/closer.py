"""Second, narrow queries: the records themselves, once the scan has told where to look."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812

from .columns import Hashes, condition
from .conditions import Condition
from .evidence import LONGEST_FETCHED_KEY, Evidence

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def evidence(
    frame: DataFrame, wanted: Mapping[int, Condition], hashes: Hashes, per_partition: int
) -> tuple[Evidence, ...]:
    """The first few records of each partition for which a condition about one record holds, in no order."""
    held = F.array(*(F.when(condition(each, hashes), F.lit(bit)) for bit, each in wanted.items()))
    by_offset = Window.partitionBy("test", "partition").orderBy("offset")
    rows = (
        frame.select(F.explode(F.array_compact(held)).alias("test"), *_fetched())
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
    rows = reduce(lambda left, right: left.union(right), (frame.select(*_fetched()) for frame in frames)).collect()
    found: list[Evidence] = []
    for row in rows:
        mask = masks.get((row[0], row[1]), 0)
        found.extend(_evidence(bit, row) for bit in range(mask.bit_length()) if mask >> bit & 1)
    return tuple(found)


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
