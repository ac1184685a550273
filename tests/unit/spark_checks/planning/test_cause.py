"""Misplaced records are explained only when chance is not the simpler explanation."""

from __future__ import annotations

import json
import random
import struct
import uuid
from collections.abc import Callable

import pytest

from kafka_topology.spark_checks.conditions.record import Era, Misplaced, MisplacedByTable
from kafka_topology.spark_checks.conditions.tables import ExpressionTable, KeySpan, ListTable, RangeTable
from kafka_topology.spark_checks.planning.cause import expected_partition, likely_cause
from kafka_topology.spark_checks.results.evidence import Evidence
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS

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
def test_another_partitioner_is_named(partitioner: str, named: str) -> None:
    cause = likely_cause(TEST, misplaced_by(partitioner, 12), partitions=12)
    assert named in cause.cause
    assert "explains 200 of 200" in cause.cause
    assert "murmur2" in cause.fix


@pytest.mark.parametrize("earlier", [5, 6, 8])
def test_an_earlier_partition_count_is_named(earlier: int) -> None:
    cause = likely_cause(TEST, misplaced_by("murmur2", earlier), partitions=12)
    assert f"{earlier} partitions explain 200 of 200" in cause.cause
    assert f"{{partitions: {earlier}, until:" in cause.fix


def test_two_records_prove_nothing() -> None:
    cause = likely_cause(TEST, misplaced_by("librdkafka-consistent", 12, count=2), partitions=12)
    assert "sets the partition itself" in cause.cause


def test_random_places_are_not_explained() -> None:
    chance = random.Random(1)  # noqa: S311 - repeatable
    evidence = [Evidence(0, chance.randrange(12), i, 0, chance.randbytes(16), 16) for i in range(100)]
    assert "no known partitioner" in likely_cause(TEST, evidence, partitions=12).cause


def test_the_expected_partition_follows_the_partition_count_of_the_time() -> None:
    test = Misplaced(MURMUR2, (Era(6, until_ms=1000), Era(12)))
    old, new = (Evidence(0, 0, 0, at, b"foobar", 6) for at in (999, 1000))
    assert expected_partition(test, old) == MURMUR2.partition(b"foobar", 6)
    assert expected_partition(test, new) == MURMUR2.partition(b"foobar", 12) == 6


def test_a_key_too_long_to_fetch_has_no_expected_partition() -> None:
    assert expected_partition(TEST, Evidence(0, 0, 0, 0, None, 5000)) is None


def some_uuid(number: int) -> uuid.UUID:
    return uuid.UUID(int=random.Random(number).getrandbits(128))  # noqa: S311


def digits(number: int) -> bytes:
    return str(number * 37).encode()


@pytest.mark.parametrize(
    ("sent", "hashed", "named"),
    [
        (digits, lambda n: struct.pack(">i", n * 37), "a 4-byte number instead of its digits"),
        (digits, lambda n: struct.pack(">q", n * 37), "an 8-byte number instead of its digits"),
        (lambda n: struct.pack(">i", n * 37), digits, "the digits of the number instead of its 4 bytes"),
        (lambda n: struct.pack(">q", n * 37), digits, "the digits of the number instead of its 8 bytes"),
        (lambda n: b"k%d" % n, lambda n: b'"k%d"' % n, "JSON text in quotes"),
        (lambda n: json.dumps(f"k{n}").encode(), lambda n: b"k%d" % n, "plain text instead of JSON text in quotes"),
        (lambda n: b"\0\0\0\0\7k%d" % n, lambda n: b"k%d" % n, "the bytes after the schema-id frame"),
        (lambda n: str(some_uuid(n)).encode(), lambda n: some_uuid(n).bytes, "the 16 bytes of the UUID"),
        (lambda n: some_uuid(n).bytes, lambda n: str(some_uuid(n)).encode(), "the text of the UUID"),
        (lambda n: str(some_uuid(n)).upper().encode(), lambda n: str(some_uuid(n)).encode(), "the UUID in lower case"),
        (lambda n: str(some_uuid(n)).encode(), lambda n: str(some_uuid(n)).upper().encode(), "the UUID in upper case"),
        (lambda n: str(some_uuid(n)).encode(), lambda n: some_uuid(n).hex.encode(), "the UUID without dashes"),
        (lambda n: b"k%d" % n + struct.pack(">q", n * 60_000), lambda n: b"k%d" % n, "without the time window"),
        (lambda n: b"k%d" % n + b"\0" * 12, lambda n: b"k%d" % n, "last 12 bytes"),
        (lambda n: b"k%d" % n + b"\1" * 16, lambda n: b"k%d" % n, "without the session window"),
    ],
)
@pytest.mark.parametrize("by", ["murmur2", "librdkafka-consistent"])
def test_another_serializer_is_named(
    sent: Callable[[int], bytes], hashed: Callable[[int], bytes], named: str, by: str
) -> None:
    evidence = []
    for number in range(1, 150):
        partition = HASH_PARTITIONERS[by].partition(hashed(number), 12)
        assert isinstance(partition, int)
        if partition != MURMUR2.partition(sent(number), 12):
            evidence.append(Evidence(0, partition, number, 0, sent(number), len(sent(number))))
    cause = likely_cause(TEST, evidence, partitions=12)
    assert cause.cause.startswith("another serializer: hashed as ")
    assert named in cause.cause
    assert f"{len(evidence)} of {len(evidence)}" in cause.cause
    assert ("murmur2 (" if by == "murmur2" else "crc32 (") in cause.cause


def test_where_a_table_expects_a_key() -> None:
    ranges = MisplacedByTable(RangeTable("numbers", (KeySpan(3, None, 100), KeySpan(4, 100))))
    listed = MisplacedByTable(ListTable("bytes", ((b"eu", 1),)))
    computed = MisplacedByTable(ExpressionTable("1"))
    assert expected_partition(ranges, Evidence(0, 0, 0, 0, struct.pack(">i", 99), 4)) == 3
    assert expected_partition(ranges, Evidence(0, 0, 0, 0, struct.pack(">q", 100), 8)) == 4
    assert expected_partition(ranges, Evidence(0, 0, 0, 0, b"100", 3)) is None
    assert expected_partition(listed, Evidence(0, 0, 0, 0, b"eu", 2)) == 1
    assert expected_partition(computed, Evidence(0, 0, 0, 0, b"eu", 2)) is None
    assert expected_partition(listed, Evidence(0, 0, 0, 0, None, None)) is None


def test_a_hash_instead_of_the_table_is_named() -> None:
    listed = MisplacedByTable(ListTable("bytes", tuple((b"k%d" % n, 0) for n in range(99))))
    evidence = [
        Evidence(0, HASH_PARTITIONERS["murmur2"].partition(b"k%d" % n, 12), n, 0, b"k%d" % n, 3) for n in range(99)
    ]  # type: ignore[arg-type]
    cause = likely_cause(listed, evidence, partitions=12)
    assert "murmur2 (Java's default" in cause.cause
    assert "the declared table" in cause.fix


@pytest.mark.parametrize(
    ("declared", "others"),
    [
        ("librdkafka-murmur2", "librdkafka-murmur2-random or murmur2"),
        ("librdkafka-consistent", "librdkafka-consistent-random or sarama-consistent-crc"),
        ("librdkafka-fnv1a", "librdkafka-fnv1a-random or sarama-hash"),
    ],
)
def test_null_keys_in_many_partitions_come_from_the_partitioner_that_spreads_them(declared: str, others: str) -> None:
    partitioner = HASH_PARTITIONERS[declared]
    right = partitioner.partition(None, 12)
    evidence = [Evidence(0, number, number, 0, None, None) for number in range(12) if number != right]
    cause = likely_cause(Misplaced(partitioner, (Era(12),)), evidence, partitions=12)
    assert cause.cause == (
        f"null keys: {declared} puts all of them into partition {right}, and a producer that uses {others}, which"
        " differ in that, puts them into any partition"
    )
    assert f"declare {others.split(' ', maxsplit=1)[0]}" in cause.fix


def test_null_keys_in_one_other_partition_were_hashed_otherwise() -> None:
    declared, other = HASH_PARTITIONERS["librdkafka-murmur2"], HASH_PARTITIONERS["librdkafka-consistent"]
    place = other.partition(None, 12)
    assert isinstance(place, int)
    assert place != declared.partition(None, 12)
    evidence = [Evidence(0, place, number, 0, None, None) for number in range(50)]
    cause = likely_cause(Misplaced(declared, (Era(12),)), evidence, partitions=12)
    assert f"librdkafka-consistent would put them into partition {place}" in str(cause.cause)
    assert "any partition" not in str(cause.cause)


def test_a_key_too_long_to_fetch_is_no_null_key() -> None:
    evidence = [Evidence(0, number, number, 0, None, 5000) for number in range(12)]
    test = Misplaced(HASH_PARTITIONERS["librdkafka-murmur2"], (Era(12),))
    assert "null keys" not in str(likely_cause(test, evidence, partitions=12).cause)


def test_records_of_today_with_timestamps_of_an_earlier_era() -> None:
    test = Misplaced(MURMUR2, (Era(4, 1_000), Era(12)))
    keys = [b"key-%d" % number for number in range(60)]
    placed = [
        (key, MURMUR2.partition(key, 12)) for key in keys if MURMUR2.partition(key, 4) != MURMUR2.partition(key, 12)
    ]
    evidence = [Evidence(0, int(str(place)), at, 500, key, len(key)) for at, (key, place) in enumerate(placed)]
    cause = likely_cause(test, evidence, partitions=12)
    assert f"today's 12 partitions explain {len(evidence)} of {len(evidence)}" in str(cause.cause)
    assert "`until` under `key.history`" in str(cause.fix)


def test_null_and_empty_keys_together() -> None:
    declared = HASH_PARTITIONERS["librdkafka-consistent"]
    right = declared.partition(None, 12)
    keys: list[bytes | None] = [None, b""]
    evidence = [
        Evidence(0, number, number, 0, keys[number % 2], None if number % 2 == 0 else 0)
        for number in range(12)
        if number != right
    ]
    cause = likely_cause(Misplaced(declared, (Era(12),)), evidence, partitions=12)
    assert str(cause.cause).startswith(
        f"null and empty keys: librdkafka-consistent puts all of them into partition {right}"
    )
    assert "librdkafka-consistent-random" in str(cause.cause)
