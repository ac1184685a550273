"""Hashes computed by Spark equal the reference, on every path and for keys of any length and content."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F  # noqa: N812

from kafka_topology.spark_checks.conditions.record import Era
from kafka_topology.spark_checks.engines.columns.conditions import expected_partition
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes, CompiledHashes, best_hashes
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS, Hash, hash_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def some_keys(count: int) -> list[bytes | None]:
    chance = random.Random(11)  # noqa: S311 - repeatable
    # Every length around the four-byte words of murmur2, and bytes that are no text.
    lengths = [*range(40), 255, 4097] + [chance.randrange(64) for _ in range(count)]
    return [None, b"", *(chance.randbytes(length) for length in lengths)]


@pytest.mark.parametrize("kind", Hash)
@pytest.mark.parametrize("path", [BuiltInHashes, CompiledHashes])
def test_hashes_equal_the_reference(spark: SparkSession, kind: Hash, path: type[BuiltInHashes]) -> None:
    hashes = path(spark) if path is CompiledHashes else path()
    keys = some_keys(2_000)
    frame = spark.createDataFrame([(key,) for key in keys], "key binary")
    rows = frame.select("key", getattr(hashes, kind.value)(F.col("key"))).collect()
    assert [row[1] for row in rows] == [None if key is None else hash_of(kind, key) for key in keys]


@pytest.mark.parametrize("name", HASH_PARTITIONERS)
def test_partitions_equal_the_reference(spark: SparkSession, name: str) -> None:
    keys = some_keys(500)
    partitioner = HASH_PARTITIONERS[name]
    frame = spark.createDataFrame([(key,) for key in keys], "key binary")
    rows = frame.select(expected_partition(partitioner, (Era(12),), BuiltInHashes())).collect()
    expected = [partitioner.partition(key, 12) for key in keys]
    assert [row[0] for row in rows] == [place if isinstance(place, int) else None for place in expected]


def test_a_classic_session_gets_the_quick_path(spark: SparkSession) -> None:
    assert isinstance(best_hashes(spark), CompiledHashes)
