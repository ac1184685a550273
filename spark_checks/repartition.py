"""What another partition count would do to the keys of live topics: how many move, and how evenly they then lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812

from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS, HashPartitioner

from ..topology.model.declared import Topic, Topology
from .conditions.record import Era
from .engines.columns.conditions import Hashes, expected_partition
from .engines.columns.hashes import best_hashes
from .engines.compiled import records_read
from .reading.interrupting import interruptibly
from .reading.progress import Listener, watched
from .reading.ranges import Pinned, Unreadable
from .reading.reader import Reader
from .reading.spark_errors import in_one_line, spark_failures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class PartitionLoad:
    """What lies, or would lie, in one partition."""

    partition: int
    records: int
    keys: int


@dataclass(frozen=True, slots=True)
class Moves:
    """Keys and records whose key would belong to another partition. Records already written stay where they are.

    `unplaced` are records that may go to any partition, before and after. `partial` says what was not read, if
    anything.
    """

    topic: str
    live: int
    partitions: int
    keys: int
    moved_keys: int
    records: int
    moved_records: int
    unplaced: int
    before: tuple[PartitionLoad, ...]
    after: tuple[PartitionLoad, ...]
    partial: str | None = None

    @property
    def skew_before(self) -> float | None:
        return _skew(self.before, self.live)

    @property
    def skew_after(self) -> float | None:
        return _skew(self.after, self.partitions)

    def to_json(self) -> dict[str, Any]:
        return {
            "topic": self.topic,
            "livePartitions": self.live,
            "partitions": self.partitions,
            "keys": self.keys,
            "movedKeys": self.moved_keys,
            "records": self.records,
            "movedRecords": self.moved_records,
            "unplacedRecords": self.unplaced,
            "skewBefore": self.skew_before,
            "skewAfter": self.skew_after,
            "partial": self.partial,
            "after": [{"partition": part.partition, "records": part.records, "keys": part.keys} for part in self.after],
        }


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """A topic without an answer, and why. `refused`: Kafka cannot do what was asked for."""

    topic: str
    reason: str
    refused: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"topic": self.topic, "reason": self.reason}


def repartition(
    spark: SparkSession,
    topology: Topology,
    partitions: int,
    *,
    reader: Reader,
    topics: Sequence[str],
    progress: Listener | None = None,
) -> tuple[Moves | NoAnswer, ...]:
    pinned = interruptibly(spark, lambda: reader.pin(topics))
    hashes = interruptibly(spark, lambda: best_hashes(spark))

    def moves(part: Pinned, plan: HashPartitioner) -> Moves:
        with watched(spark, part, progress, records_read):
            return _moves(reader.read(spark, part), part, plan, partitions, hashes)

    answers: list[Moves | NoAnswer] = []
    for name in topics:
        part = pinned[name]
        plan = planned(topology.topics[name], part, partitions)
        if isinstance(plan, NoAnswer) or isinstance(part, Unreadable):
            answers.append(plan if isinstance(plan, NoAnswer) else NoAnswer(name, "it cannot be read"))
            continue
        try:
            answers.append(interruptibly(spark, partial(moves, part, plan)))
        except spark_failures() as error:
            answers.append(NoAnswer(name, f"Spark could not read topic {name}: {in_one_line(error)}"))
    return tuple(answers)


def planned(topic: Topic, pinned: Pinned | Unreadable, partitions: int) -> HashPartitioner | NoAnswer:
    """How keys are placed, where that follows from a partition count and there is something to compute."""
    if isinstance(pinned, Unreadable):
        return NoAnswer(topic.name, pinned.reason)
    if topic.key is None or topic.key.type == "none":
        return NoAnswer(topic.name, "the topology declares no key, so nothing moves")
    if partitions < pinned.partitions:
        return NoAnswer(
            topic.name,
            f"it has {pinned.partitions} partitions, and Kafka cannot take any away:"
            f" {partitions} would need a new topic",
            refused=True,
        )
    if partitions == pinned.partitions:
        return NoAnswer(topic.name, f"it has {partitions} partitions already")
    partitioner = HASH_PARTITIONERS.get(topic.key.partitioner.name)
    if partitioner is None:
        name = topic.key.partitioner.name
        return NoAnswer(topic.name, f"with partitioner {name} no partition follows from the number of partitions")
    if not pinned.filled:
        return NoAnswer(topic.name, pinned.partial or "it holds no records")
    return partitioner


def _moves(frame: DataFrame, pinned: Pinned, partitioner: HashPartitioner, partitions: int, hashes: Hashes) -> Moves:
    by_key = frame.groupBy("key").agg(F.count("*").alias("records"))
    old = expected_partition(partitioner, (Era(pinned.partitions),), hashes)
    new = expected_partition(partitioner, (Era(partitions),), hashes)
    # Each key once among the partitions of now and once among those of then: few rows, whatever the keys.
    sides = F.array(*(F.struct(F.lit(side).alias("side"), F.col(side).alias("place")) for side in ("old", "new")))
    rows = (
        by_key.select("records", old.alias("old"), new.alias("new"))
        .withColumn("moved", F.coalesce(F.col("old") != F.col("new"), F.lit(False)).cast("int"))
        .select("records", "moved", F.explode(sides).alias("at"))
        .groupBy("at.side", "at.place")
        .agg(F.count("*"), F.sum("records"), F.sum("moved"), F.sum(F.col("records") * F.col("moved")))
        .collect()
    )
    loads: dict[str, list[PartitionLoad]] = {"old": [], "new": []}
    unplaced = moved_keys = moved_records = 0
    for side, place, keys, records, moved, moved_of in rows:
        if place is not None:
            loads[side].append(PartitionLoad(place, records, keys))
        elif side == "old":
            unplaced += records
        if side == "old":
            moved_keys += moved
            moved_records += moved_of
    before, after = (_complete(loads["old"], pinned.partitions), _complete(loads["new"], partitions))
    return Moves(
        pinned.topic,
        pinned.partitions,
        partitions,
        keys=sum(load.keys for load in before),
        moved_keys=moved_keys,
        records=unplaced + sum(load.records for load in before),
        moved_records=moved_records,
        unplaced=unplaced,
        before=before,
        after=after,
        partial=pinned.partial,
    )


def _complete(loads: Sequence[PartitionLoad], partitions: int) -> tuple[PartitionLoad, ...]:
    found = {load.partition: load for load in loads}
    return tuple(found.get(number, PartitionLoad(number, 0, 0)) for number in range(partitions))


def _skew(loads: Sequence[PartitionLoad], partitions: int) -> float | None:
    """The fullest partition in relation to the average one; None without records."""
    records = sum(load.records for load in loads)
    return round(max(load.records for load in loads) * partitions / records, 3) if records else None
