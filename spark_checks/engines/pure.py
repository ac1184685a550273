"""The engine that needs nothing but Spark: conditions as columns, so it runs on any session, Spark Connect included."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812 - the name everybody knows

from ..conditions.record import Condition, FirstOfKey, Stateful
from ..results.evidence import LONGEST_FETCHED_KEY
from ..results.scan import HOT_KEY_RECORDS, HOT_KEYS, NOWHERE, Group, HotKey, Located, Tally
from .columns.conditions import Hashes, mask
from .columns.fields import with_fields
from .columns.history import remembering, stateful_mask

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class PureEngine:
    def __init__(self, hashes: Hashes) -> None:
        self._hashes = hashes

    def tally(
        self, frame: DataFrame, conditions: Sequence[Condition], *, hot_keys: bool, located: Located = NOWHERE
    ) -> Tally:
        records = masked(frame, conditions, self._hashes)
        rows = (
            records.groupBy("partition", "mask")
            .agg(F.count("*"), F.min("offset"), F.max("offset"), F.sum("bytes"))
            .collect()
        )
        groups = _with_places(tuple(Group(*row) for row in rows), records, located)
        heated = _possibly_hot(groups, conditions) if hot_keys else set()
        return Tally(groups, _hot_keys(frame, heated) if heated else ())


def masked(frame: DataFrame, conditions: Sequence[Condition], hashes: Hashes) -> DataFrame:
    """Partition, offset, bytes and mask of each record."""
    frame = with_fields(frame, conditions)
    lengths = (F.coalesce(F.octet_length(name), F.lit(0)).cast("bigint") for name in ("key", "value"))
    place = (F.col("partition"), F.col("offset"), sum(lengths, F.lit(0).cast("bigint")).alias("bytes"))
    alone = mask(conditions, hashes).alias("mask")
    needing_history = [condition for condition in conditions if isinstance(condition, Stateful)]
    if not needing_history:
        return frame.select(*place, alone)
    # Windows sort records, so values are left behind before them.
    slim = frame.select(*place, alone, *remembering(needing_history))
    return slim.select("partition", "offset", "bytes", F.col("mask").bitwiseOR(stateful_mask(conditions)).alias("mask"))


def _with_places(groups: tuple[Group, ...], records: DataFrame, located: Located) -> tuple[Group, ...]:
    """A second scan, only where there is something to locate."""
    if not located.most or not any(group.mask & located.bits for group in groups):
        return groups
    by_offset = Window.partitionBy("partition", "mask").orderBy("offset")
    rows = (
        records.where(F.col("mask").bitwiseAND(F.lit(located.bits).cast("bigint")) != 0)
        .select("partition", "mask", "offset", F.row_number().over(by_offset).alias("rank"))
        .where(F.col("rank") <= located.most)
        .collect()
    )
    places: dict[tuple[int, int], list[int]] = {}
    for partition, mask_, offset, _ in rows:
        places.setdefault((partition, mask_), []).append(offset)
    return tuple(replace(each, places=tuple(sorted(places.get((each.partition, each.mask), ())))) for each in groups)


def _possibly_hot(groups: Collection[Group], conditions: Sequence[Condition]) -> set[int]:
    """Partitions that may hold a hot key. Where nearly every record has a key of its own, no second scan is needed."""
    spare: dict[int, int] = {}  # records that are not the first of their key
    first = sum(1 << bit for bit, condition in enumerate(conditions) if isinstance(condition, FirstOfKey))
    for group in groups:
        others = 0 if group.mask & first else group.records
        spare[group.partition] = spare.get(group.partition, 0) + others
    return {partition for partition, records in spare.items() if records + 1 >= HOT_KEY_RECORDS}


def _hot_keys(frame: DataFrame, partitions: Collection[int]) -> tuple[HotKey, ...]:
    by_heat = Window.partitionBy("partition").orderBy(F.desc("records"), "key")
    rows = (
        frame.where(F.col("key").isNotNull() & F.col("partition").isin(*partitions))
        .groupBy("partition", "key")
        .agg(F.count("*").alias("records"))
        .where(F.col("records") >= HOT_KEY_RECORDS)
        .withColumn("rank", F.row_number().over(by_heat))
        .where(F.col("rank") <= HOT_KEYS)
        .orderBy("partition", "rank")
        .select("partition", F.substring("key", 1, LONGEST_FETCHED_KEY), "records")
        .collect()
    )
    return tuple(HotKey(row[0], bytes(row[1]), row[2]) for row in rows)
