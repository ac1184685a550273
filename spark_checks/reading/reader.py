"""Records as a DataFrame with the Kafka source's columns: key, value, partition, offset, timestamp, timestampType.

And headers, where they are asked for: an array of (key string, value binary).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from kafka_topology.topology.model.words import agreeing, counted, listed

from .client_config import for_java
from .halves import by_halves
from .offsets import DEFAULT_TIMEOUT_S, Offsets
from .ranges import Pinned, Range, Unreadable, assign_json, ending_json, starting_json
from .selection import EVERYTHING, Selection
from .source import hide_secrets, kafka_source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Kafka's defaults suit many small consumers; a scan wants few, large fetches (1.5 to 1.8 times the records/s).
TUNED = {
    "kafka.max.poll.records": "20000",
    "kafka.fetch.max.bytes": str(16 << 20),
    "kafka.max.partition.fetch.bytes": str(4 << 20),
    "kafka.receive.buffer.bytes": str(1 << 20),
    # At the end of a partition the consumer has asked for more, and the connector's next question waits behind that
    # for half a second, by Kafka's default. Pinned ranges have nothing to wait for.
    "kafka.fetch.max.wait.ms": "10",
    "kafka.retry.backoff.ms": "10",  # of each consumer, one for each partition, until it knows the cluster
}
# What is fetched behind the end of a block is thrown away.
SMALL_FETCHES = TUNED | {"kafka.max.poll.records": "2000", "kafka.max.partition.fetch.bytes": str(64 << 10)}


class Reader(Protocol):
    """Where records come from. `pin` fixes the ranges, `read` gives exactly those."""

    def pin(self, topics: Sequence[str]) -> Mapping[str, Pinned | Unreadable]: ...

    def read(self, spark: SparkSession, pinned: Pinned, *, headers: bool = False) -> DataFrame: ...

    def first_kept(self, pinned: Pinned) -> Mapping[int, int]:
        """The first offset each partition still holds after the scan. Raises `TopicReplaced` for another topic."""
        ...

    def refuse_other(self, pinned: Pinned) -> None:
        """Raises `TopicReplaced` if the topic is not the one that was pinned any more."""


class KafkaReader:
    """Spark's Kafka source on pinned offsets. Pins each topic once, so you can ask before Spark starts."""

    def __init__(
        self,
        client: Mapping[str, str],
        timeout_s: float = DEFAULT_TIMEOUT_S,
        selection: Selection = EVERYTHING,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        """`clock` is what the age of open transactions is measured with, by default the time of this machine."""
        self._java = for_java(client)
        self._selection = selection
        self._offsets = Offsets(client, timeout_s, clock or (lambda: datetime.now(UTC)))
        self._pinned: dict[str, Pinned | Unreadable] = {}

    def pin(self, topics: Sequence[str]) -> Mapping[str, Pinned | Unreadable]:
        missing = [topic for topic in topics if topic not in self._pinned]
        if missing:
            self._pinned.update(self._offsets.pin(missing, self._selection))
        return {topic: self._pinned[topic] for topic in topics}

    def read(self, spark: SparkSession, pinned: Pinned, *, headers: bool = False) -> DataFrame:
        return self._read(spark, pinned, TUNED, headers=headers)

    def _read(
        self, spark: SparkSession, pinned: Pinned, tuned: Mapping[str, str], *, headers: bool = False
    ) -> DataFrame:
        # Assigned partitions, not a subscribed topic: a partition added meanwhile would fail the scan.
        options = {f"kafka.{name}": value for name, value in self._java.items()} | dict(tuned)
        options |= {
            "failOnDataLoss": "false",  # retention goes on while we read; the gap is reported
            "kafka.isolation.level": "read_committed",  # aborted records were never written, for a reader
            "includeHeaders": str(headers).lower(),  # they cost time, so only where something is declared of them
        }
        source = kafka_source(spark)
        hide_secrets(spark)
        frames = [
            spark.read.format(source)
            .options(
                **options,
                assign=assign_json(pinned.topic, parts),
                startingOffsets=starting_json(pinned.topic, parts),
                endingOffsets=ending_json(pinned.topic, parts),
            )
            .load()
            for parts in pinned.reads
        ]
        return by_halves(lambda left, right: left.union(right), frames)

    def read_around(self, spark: SparkSession, pinned: Pinned) -> DataFrame:
        """A sample's blocks and all between them, for an engine that seeks: fetches are as small as blocks."""
        return self._read(spark, pinned.spanning(), SMALL_FETCHES)

    def first_kept(self, pinned: Pinned) -> Mapping[int, int]:
        return self._offsets.first_kept(pinned)

    def refuse_other(self, pinned: Pinned) -> None:
        self._offsets.refuse_other(pinned)

    def why_silent(self, pinned: Pinned) -> str | None:
        """Why no record came of the topic, if the cluster knows."""
        found = self._offsets.leaderless(pinned)
        if not found:
            return None
        which = f"partition {found[0]} has" if len(found) == 1 else f"partitions {listed(list(map(str, found)))} have"
        return f"{which} no leader: the brokers that hold {agreeing(len(found), 'it', 'them')} do not answer"


def with_columns(frame: DataFrame, types: Mapping[str, str]) -> DataFrame:
    """The frame, with nulls in those of the columns that it does not have."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415

    missing = {name: F.lit(None).cast(kind) for name, kind in types.items() if name not in frame.columns}
    return frame.withColumns(missing) if missing else frame


_NEEDED = ("partition", "offset")
_GIVEN = {
    "partition": ("tinyint", "smallint", "int", "bigint"),
    "offset": ("tinyint", "smallint", "int", "bigint"),
    "key": ("binary",),
    "value": ("string", "binary"),
}


class FrameReader:
    """Records from any DataFrame with the Kafka source's columns: a table, a file, a test.

    It needs `partition` and `offset`. A check that needs another column which is not there is not checked.
    """

    def __init__(self, frames: Mapping[str, DataFrame], partitions: Mapping[str, int]) -> None:
        self._frames = frames
        self._partitions = partitions

    def pin(self, topics: Sequence[str]) -> Mapping[str, Pinned | Unreadable]:
        return {topic: self._pin(topic) for topic in topics}

    def read(self, spark: SparkSession, pinned: Pinned, *, headers: bool = False) -> DataFrame:  # noqa: ARG002
        """`spark` and `headers` are not used: the frame has its session and its columns."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415

        frame = self._frames[pinned.topic]
        inside = [
            (F.col("partition") == part.partition) & (F.col("offset") >= part.start) & (F.col("offset") < part.end)
            for part in pinned.filled
        ]
        return frame.where(by_halves(lambda left, right: left | right, [F.lit(False), *inside]))

    def first_kept(self, pinned: Pinned) -> Mapping[int, int]:
        return {part.partition: part.start for part in pinned.ranges}

    def refuse_other(self, pinned: Pinned) -> None:
        """A frame stays what it is."""

    def _pin(self, topic: str) -> Pinned | Unreadable:
        from pyspark.sql import functions as F  # noqa: N812, PLC0415

        if topic not in self._frames:
            return Unreadable(topic, f"no records of topic {topic} were given")
        frame, count = self._frames[topic], self._partitions[topic]
        kinds = dict(frame.dtypes)
        for name, expected in _GIVEN.items():
            if name in _NEEDED and name not in kinds:
                return Unreadable(topic, f"the records of topic {topic} were given without a column `{name}`")
            if name in kinds and kinds[name] not in expected:
                said = f"column `{name}` of the records of topic {topic} is {kinds[name]}"
                return Unreadable(topic, f"{said}; expected {' or '.join(expected)}")
        wrong = F.count_if(F.col("partition").isNull() | F.col("offset").isNull() | (F.col("partition") < 0))
        rows = frame.groupBy("partition").agg(F.min("offset"), F.max("offset"), F.count("*"), wrong).collect()
        if nowhere := sum(row[4] for row in rows):
            return Unreadable(topic, f"{counted(nowhere, 'record')} of topic {topic} without a partition or an offset")
        if (most := max((row[0] for row in rows), default=-1)) >= count:
            said = f"a record of partition {most} was given, but the topic with {counted(count, 'partition')}"
            return Unreadable(topic, f"{said}: give the number of partitions that it has")
        found = {row[0]: Range(row[0], row[1], row[2] + 1) for row in rows}
        for row in rows:
            if row[3] > (offsets := found[row[0]].offsets):
                said = f"{row[3]:,} records were given of {counted(offsets, 'offset')} of partition {row[0]}"
                return Unreadable(topic, f"{said}: some were given twice")
        return Pinned(topic, tuple(found.get(part, Range(part, 0, 0)) for part in range(count)))
