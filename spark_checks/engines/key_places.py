"""Which keys lie in several partitions: rows of places, from either engine, joined to one row for each key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812

from ..conditions.record import KeyQuestion
from ..results.evidence import KeyPlaces, SplitKey

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_BUCKETS = 64


def by_key(places: DataFrame) -> DataFrame:
    """A row for each key: its first and last place, all its partitions, and whether it is split within an era.

    `places` has rows of id, key, key_length, era, partition, first, first_ms and last. A key may have several for one
    era and partition. The id distinguishes keys; a key that is too long to be shown is null.
    """
    joined = places.groupBy("id", "key", "key_length", "era", "partition").agg(
        F.min_by("first_ms", "first").alias("first_ms"), F.min("first").alias("first"), F.max("last").alias("last")
    )
    lies = F.collect_list(F.struct("partition", "first", "first_ms", "last", "era")).alias("lies")
    return (
        joined.groupBy("id", "key", "key_length")
        .agg(lies)
        .select(
            "id",
            "key",
            "key_length",
            F.array_min("lies").alias("begins"),
            F.array_max(F.transform("lies", lambda each: F.struct(each["partition"], each["last"]))).alias("ends"),
            F.array_sort(F.array_distinct("lies.partition")).alias("partitions"),
            (F.size("lies") > F.size(F.array_distinct("lies.era"))).alias("split"),
        )
    )


def key_places(places: DataFrame, question: KeyQuestion, examples: int) -> KeyPlaces:
    """How many keys there are, and which of them lie in several partitions of one era. One action, a few rows."""
    split = F.col("split")
    first = F.struct("begins.partition", "begins.first")
    example = F.struct(first.alias("first"), "key", "key_length", "partitions")
    # The first of each bucket: a few examples without sorting or gathering all split keys. Ids differ between engines.
    rows = (
        by_key(places)
        .groupBy(F.pmod(F.xxhash64("key", "key_length"), F.lit(max(_BUCKETS, examples))))
        .agg(
            F.count("*"),
            F.count_if(split),
            F.min(F.when(split, first)),
            F.max(F.when(split, F.col("ends"))),
            F.min_by(F.when(split, example), F.when(split, first)),
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
