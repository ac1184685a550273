"""Random keys on every path: the same partition as librdkafka's own functions say. `make keys` tries a million."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from partitioner_oracles import CASES_SCHEMA, COUNTS, ORACLES, random_keys, write_cases
from pyspark.sql import functions as F  # noqa: N812

from kafka_topology.spark_checks.conditions.record import Era
from kafka_topology.spark_checks.engines.columns.conditions import Hashes, expected_partition
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes, CompiledHashes
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS, HashPartitioner

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

KEYS = int(os.environ.get("KAFKA_TOPOLOGY_RANDOM_KEYS", "50000"))


class Computed:
    """Hashes that are columns of the frame: portable SQL takes long, and one is reduced to several partition counts."""

    def murmur2(self, key: Column) -> Column:  # noqa: ARG002
        return F.col("murmur2")

    def crc32(self, key: Column) -> Column:  # noqa: ARG002
        return F.col("crc32")

    def fnv1a(self, key: Column) -> Column:  # noqa: ARG002
        return F.col("fnv1a")


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cases(tmp_path_factory.mktemp("random-keys"), KEYS)


def wrong(spark: SparkSession, cases: Path, hashes: Hashes, names: list[str]) -> dict[str, int]:
    """How many keys each partitioner puts elsewhere than the oracle, all in one job."""
    keyed = F.unhex(F.coalesce("hex", F.lit(""))).alias("key")
    kinds = {HASH_PARTITIONERS[name].hash.value for name in names}
    frame = spark.read.csv(str(cases), schema=CASES_SCHEMA).select("*", keyed).repartition(4)
    hashed = frame.withColumns({kind: getattr(hashes, kind)(F.col("key")) for kind in sorted(kinds)})
    places = [
        F.count_if(_differs(HASH_PARTITIONERS[name], partitions)).alias(f"{name} over {partitions}")
        for name in names
        for partitions in COUNTS
    ]
    row = hashed.agg(F.count("*").alias("keys"), *places).collect()[0]
    return {name: count for name, count in row.asDict().items() if count}


def _differs(partitioner: HashPartitioner, partitions: int) -> Column:
    placed = expected_partition(partitioner, (Era(partitions),), Computed())
    oracle = F.col(f"{partitioner.hash.value}_{partitions}")
    return ~placed.eqNullSafe(F.when(_tied(partitioner), oracle))


def _tied(partitioner: HashPartitioner) -> Column:
    return F.length("key") > 0 if partitioner.empty_anywhere else F.lit(True)


def test_random_keys_by_the_quick_hashes(spark: SparkSession, cases: Path) -> None:
    names = [name for name, each in HASH_PARTITIONERS.items() if each.hash.value != "fnv1a"]
    assert wrong(spark, cases, CompiledHashes(spark), names) == {"keys": KEYS}


def test_random_keys_by_portable_sql(spark: SparkSession, cases: Path) -> None:
    assert wrong(spark, cases, BuiltInHashes(), ["murmur2", "librdkafka-fnv1a"]) == {"keys": KEYS}


def test_random_keys_by_the_reference() -> None:
    named = {"murmur2": "murmur2", "crc32": "librdkafka-consistent", "fnv1a": "librdkafka-fnv1a"}
    for kind, oracle in ORACLES.items():
        partitioner = HASH_PARTITIONERS[named[kind]]
        for key in random_keys(KEYS):
            value = partitioner.spread(key)
            assert value is not None
            assert all(value % count == oracle(key, count) for count in COUNTS), (kind, key)
