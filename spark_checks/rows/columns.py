"""The columns of the rows, and how each kind of violation fills them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F  # noqa: N812

from .keys import shown_column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

SCHEMA: Final = (
    "run_id string, topic string, date date, partition int, offset bigint, timestamp timestamp, timestamp_ms bigint,"
    " key string, key_length int, check string, faults array<string>, expected string"
)
NAMES: Final = tuple(column.split()[0] for column in SCHEMA.split(", "))
_DAY_MS: Final = 24 * 60 * 60 * 1000
# The years 1 to 9999, which every reader of dates understands. A timestamp in a wrong unit may be far beyond.
_FIRST_MS: Final = -62_135_596_800_000
_LAST_MS: Final = 253_402_300_799_999


def as_rows(found: DataFrame, *, run_id: str, topic: str, reveal: bool) -> DataFrame:
    """`found` has partition, offset, timestamp_ms, key (binary), key_length, check, faults and expected."""
    at = F.col("timestamp_ms")
    usual = at.between(_FIRST_MS, _LAST_MS)
    made = {
        "run_id": F.lit(run_id),
        "topic": F.lit(topic),
        # By arithmetic, because a session may have any time zone.
        "date": F.when(usual, F.date_from_unix_date(F.floor(at / F.lit(_DAY_MS)).cast("int"))),
        "timestamp": F.when(usual, F.timestamp_millis(at)),
        "key": shown_column(F.col("key"), F.col("key_length"), reveal=reveal),
    }
    return found.select(*(_typed(made.get(name, F.col(name)), name) for name in NAMES))


def no_rows(spark: SparkSession) -> DataFrame:
    return spark.range(0).select(*(_typed(F.lit(None), name) for name in NAMES))


def _typed(column: Column, name: str) -> Column:
    return column.cast(_KINDS[name]).alias(name)


_KINDS: Final = dict(column.split(" ", 1) for column in SCHEMA.split(", "))
