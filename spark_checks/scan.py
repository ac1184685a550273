"""The one scan of a topic: all conditions as a bit mask, grouped by partition and mask, in a single action."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812

from .columns import Hashes, mask
from .conditions import RowTest
from .evidence import LONGEST_FETCHED_KEY, Evidence
from .offsets import Range

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

HOT_KEYS = 10  # named of each partition, at most
HOT_KEY_RECORDS = 100  # a key with fewer is not hot


@dataclass(frozen=True, slots=True)
class Group:
    """Records of one partition that gave the same answers to all tests."""

    partition: int
    mask: int
    records: int
    first: int
    last: int
    bytes: int


@dataclass(frozen=True, slots=True)
class HotKey:
    """A key with many records in one partition."""

    partition: int
    key: bytes
    records: int


@dataclass(frozen=True, slots=True)
class Tally:
    """The answers of a whole topic: small, whatever the topic's size."""

    groups: tuple[Group, ...]
    hot_keys: tuple[HotKey, ...] = ()

    @property
    def records(self) -> int:
        return sum(group.records for group in self.groups)

    def records_in(self, partition: int) -> int:
        return sum(group.records for group in self.groups if group.partition == partition)

    def where(self, bits: int) -> tuple[Group, ...]:
        """Groups in which at least one of these tests holds, by partition and first offset."""
        held = (group for group in self.groups if group.mask & bits)
        return tuple(sorted(held, key=lambda group: (group.partition, group.first)))


def tally(frame: DataFrame, tests: Sequence[RowTest], hashes: Hashes) -> Tally:
    size = sum((F.coalesce(F.octet_length(part), F.lit(0)) for part in ("key", "value")), F.lit(0).cast("bigint"))
    rows = (
        frame.select("partition", "offset", mask(tests, hashes).alias("mask"), size.alias("bytes"))
        .groupBy("partition", "mask")
        .agg(F.count("*"), F.min("offset"), F.max("offset"), F.sum("bytes"))
        .collect()
    )
    return Tally(tuple(Group(*row) for row in rows))


def faulty_ranges(found: Iterable[Group]) -> tuple[Range, ...]:
    """The offsets between which the faults lie, so that the second query reads no more than that."""
    spans: dict[int, tuple[int, int]] = {}
    for group in found:
        first, last = spans.get(group.partition, (group.first, group.last))
        spans[group.partition] = min(first, group.first), max(last, group.last)
    return tuple(Range(part, first, last + 1) for part, (first, last) in sorted(spans.items()))


def evidence(frame: DataFrame, tests: Sequence[RowTest], hashes: Hashes, per_partition: int) -> tuple[Evidence, ...]:
    """The first few records of each violated test in each partition, in no order."""
    wanted = [index for index, test in enumerate(tests) if test.meaning == "violation"]
    held = F.array(*(F.when(F.col("mask").bitwiseAND(F.lit(1 << i)) > 0, F.lit(i)) for i in wanted))
    length = F.length("key")
    by_offset = Window.partitionBy("test", "partition").orderBy("offset")
    rows = (
        frame.withColumn("mask", mask(tests, hashes))
        .where(F.col("mask").bitwiseAND(F.lit(sum(1 << index for index in wanted))) > 0)
        .select(
            F.explode(F.array_compact(held)).alias("test"),
            "partition",
            "offset",
            F.unix_millis("timestamp").alias("timestamp_ms"),
            F.when(length <= LONGEST_FETCHED_KEY, F.col("key")).alias("key"),
            length.alias("key_length"),
        )
        .withColumn("rank", F.row_number().over(by_offset))
        .where(F.col("rank") <= per_partition)
        .drop("rank")
        .collect()
    )
    return tuple(
        Evidence(row[0], row[1], row[2], row[3], None if row[4] is None else bytes(row[4]), row[5]) for row in rows
    )
