"""Misplaced records are explained only when chance is not the simpler explanation."""

from __future__ import annotations

import random

import pytest

from kafka_topology.spark_checks.cause import expected_partition, likely_cause
from kafka_topology.spark_checks.conditions import Era, Misplaced
from kafka_topology.spark_checks.evidence import Evidence
from kafka_topology.spark_checks.partitioners import HASH_PARTITIONERS

MURMUR2 = HASH_PARTITIONERS["murmur2"]
TEST = Misplaced(MURMUR2, (Era(12),))


def misplaced_by(partitioner: str, partitions: int, count: int = 200) -> list[Evidence]:
    """What a producer with this partitioner puts into the wrong one of 12 partitions."""
    chance = random.Random(5)  # noqa: S311 - repeatable
    found: list[Evidence] = []
    while len(found) < count:
        key = chance.randbytes(16)
        partition = HASH_PARTITIONERS[partitioner].partition(key, partitions)
        assert isinstance(partition, int)
        if partition != MURMUR2.partition(key, 12):
            found.append(Evidence(0, partition, len(found), 0, key, len(key)))
    return found


@pytest.mark.parametrize(
    ("partitioner", "named"),
    [
        ("librdkafka-consistent-random", "crc32 (librdkafka's default"),
        ("librdkafka-fnv1a", "fnv1a (librdkafka fnv1a"),
        ("sarama-reference-hash", "sarama's reference"),
    ],
)
def test_another_partitioner_is_named_with_its_share(partitioner: str, named: str) -> None:
    cause = likely_cause(TEST, misplaced_by(partitioner, 12), violations=1100, records=5000)
    assert named in cause.text
    assert "explains 200 of 200" in cause.text
    assert "about 1200 of the 5000 records" in cause.text
    assert "murmur2" in cause.remediation


@pytest.mark.parametrize("earlier", [5, 6, 8])
def test_an_earlier_partition_count_is_named(earlier: int) -> None:
    cause = likely_cause(TEST, misplaced_by("murmur2", earlier), violations=200, records=5000)
    assert f"{earlier} partitions explain 200 of 200" in cause.text
    assert f"{{partitions: {earlier}, until:" in cause.remediation


def test_two_records_prove_nothing() -> None:
    cause = likely_cause(TEST, misplaced_by("librdkafka-consistent", 12, count=2), violations=2, records=5000)
    assert "sets the partition itself" in cause.text


def test_random_places_are_not_explained() -> None:
    chance = random.Random(1)  # noqa: S311 - repeatable
    evidence = [Evidence(0, chance.randrange(12), i, 0, chance.randbytes(16), 16) for i in range(100)]
    assert "no known partitioner" in likely_cause(TEST, evidence, violations=100, records=100).text


def test_the_expected_partition_follows_the_partition_count_of_the_time() -> None:
    test = Misplaced(MURMUR2, (Era(6, until_ms=1000), Era(12)))
    old, new = (Evidence(0, 0, 0, at, b"foobar", 6) for at in (999, 1000))
    assert expected_partition(test, old) == MURMUR2.partition(b"foobar", 6)
    assert expected_partition(test, new) == MURMUR2.partition(b"foobar", 12) == 6


def test_a_key_too_long_to_fetch_has_no_expected_partition() -> None:
    assert expected_partition(TEST, Evidence(0, 0, 0, 0, None, 5000)) is None
