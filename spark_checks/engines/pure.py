"""The engine that needs nothing but Spark: conditions as columns, so it runs on any session, Spark Connect included."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812 - the name everybody knows

from ..conditions.record import Condition, FirstOfKey, KeyQuestion, Misplaced, MisplacedByTable, Stateful
from ..conditions.tables import ExpressionTable
from ..results.evidence import LONGEST_FETCHED_KEY, Evidence
from ..results.scan import HOT_KEY_RECORDS, HOT_KEYS, NOTHING, Group, HotKey, Tally, Wanted
from .columns.conditions import Hashes, expected_partition, mask, partitions_at_the_time, undetermined
from .columns.fields import with_fields
from .columns.history import remembering, stateful_mask
from .columns.tables import declared_partition, has_no_place

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


class PureEngine:
    def __init__(self, hashes: Hashes) -> None:
        self._hashes = hashes

    def tally(
        self, frame: DataFrame, conditions: Sequence[Condition], *, hot_keys: bool, wanted: Wanted = NOTHING
    ) -> Tally:
        lengths = (F.coalesce(F.octet_length(name), F.lit(0)).cast("bigint") for name in ("key", "value"))
        rows = (
            _masked(frame, conditions, self._hashes, {"bytes": sum(lengths, F.lit(0).cast("bigint"))})
            .groupBy("partition", "mask")
            .agg(F.count("*"), F.min("offset"), F.max("offset"), F.sum("bytes"))
            .collect()
        )
        groups = tuple(Group(*row) for row in rows)
        heated = _possibly_hot(groups, conditions) if hot_keys else set()
        return Tally(
            groups,
            _hot_keys(frame, heated) if heated else (),
            self._evidence(frame, conditions, groups, wanted),
        )

    def records(
        self,
        frame: DataFrame,
        conditions: Sequence[Condition],
        placed: Misplaced | MisplacedByTable | None = None,
    ) -> DataFrame:
        """A row for each record for which one of the conditions holds, and which do as a mask.

        Columns: partition, offset, timestamp_ms, key (null if it is too long), key_length, mask, expected_partition.
        """
        length = F.octet_length("key")
        shown = {
            "timestamp_ms": F.unix_millis("timestamp"),
            "key": F.when(length <= LONGEST_FETCHED_KEY, F.col("key")),
            "key_length": length,
            "expected_partition": placed_column(placed, self._hashes),
        }
        kept = {f"shown_{name}": column for name, column in shown.items()}
        return (
            _masked(frame, conditions, self._hashes, kept)
            .where("mask != 0")
            .select(
                "partition",
                "offset",
                *(F.col(f"shown_{name}").alias(name) for name in ("timestamp_ms", "key", "key_length")),
                "mask",
                F.col("shown_expected_partition").alias("expected_partition"),
            )
        )

    def keys(self, frame: DataFrame, question: KeyQuestion, views: ExitStack | None = None) -> DataFrame:  # noqa: ARG002
        """A row for each record with a key that is tied to a partition: see `key_places.by_key`."""
        keyed = F.col("key").isNotNull() & ~left_out(question)
        if question.open_to is not None and not isinstance(question.open_to, ExpressionTable):
            keyed = keyed & ~undetermined(question.open_to)
        length = F.octet_length("key")
        return frame.where(keyed).select(
            F.col("key").alias("id"),
            F.when(length <= LONGEST_FETCHED_KEY, F.col("key")).alias("key"),
            length.alias("key_length"),
            partitions_at_the_time(question.eras).alias("era"),
            "partition",
            F.col("offset").alias("first"),
            F.unix_millis("timestamp").alias("first_ms"),
            F.col("offset").alias("last"),
        )

    def _evidence(
        self, frame: DataFrame, conditions: Sequence[Condition], groups: Collection[Group], wanted: Wanted
    ) -> tuple[Evidence, ...]:
        """A second scan, only where there is something to see."""
        held = [bit for bit in range(len(conditions)) if any((group.mask & wanted.bits) >> bit & 1 for group in groups)]
        if not held or not wanted.most:
            return ()
        tests = F.array(*(F.when(_has("mask", place), F.lit(bit)) for place, bit in enumerate(held)))
        by_offset = Window.partitionBy("test", "partition").orderBy("offset")
        rows = (
            self.records(frame, [conditions[bit] for bit in held])
            .select(
                F.explode(F.array_compact(tests)).alias("test"),
                "partition",
                "offset",
                "timestamp_ms",
                "key",
                "key_length",
            )
            .withColumn("rank", F.row_number().over(by_offset))
            .where(F.col("rank") <= wanted.most)
            .drop("rank")
            .collect()
        )
        found = (
            Evidence(test, part, offset, at, None if key is None else bytes(key), length)
            for test, part, offset, at, key, length in rows
        )
        return tuple(sorted(found, key=lambda each: (each.test, each.partition, each.offset)))


def placed_column(placed: Misplaced | MisplacedByTable | None, hashes: Hashes) -> Column:
    """The partition that the record belongs to, null where that is open."""
    match placed:
        case Misplaced(partitioner, eras):
            return expected_partition(partitioner, eras, hashes).cast("int")
        case MisplacedByTable(table):
            return declared_partition(table).try_cast("int")
        case None:
            return F.lit(None).cast("int")


def left_out(question: KeyQuestion) -> Column:
    """Whether an expression ties the key to no partition."""
    if isinstance(question.open_to, ExpressionTable):
        return has_no_place(question.open_to)
    return F.lit(False)


def _has(name: str, bit: int) -> Column:
    return F.col(name).bitwiseAND(F.lit(1 << bit).cast("bigint")) != 0


def _masked(frame: DataFrame, conditions: Sequence[Condition], hashes: Hashes, kept: Mapping[str, Column]) -> DataFrame:
    """Partition, offset and mask of each record, and the columns that are to be kept."""
    frame = with_fields(frame, conditions)
    own = [column.alias(name) for name, column in kept.items()]
    alone = mask(conditions, hashes).alias("mask")
    needing_history = [condition for condition in conditions if isinstance(condition, Stateful)]
    if not needing_history:
        return frame.select("partition", "offset", *own, alone)
    # Windows sort records, so values are left behind before them.
    slim = frame.select("partition", "offset", *own, alone, *remembering(needing_history))
    return slim.select("partition", "offset", *kept, F.col("mask").bitwiseOR(stateful_mask(conditions)).alias("mask"))


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
