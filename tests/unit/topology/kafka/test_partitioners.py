"""The partitioner reference: published vectors, independent hashes, and where librdkafka really puts keys."""

from __future__ import annotations

import itertools
import random

import confluent_kafka
import pytest

from kafka_topology.topology.kafka.partitioners import (
    ANY,
    HASH_PARTITIONERS,
    KEYLESS_PARTITIONERS,
    OPAQUE_PARTITIONERS,
    PARTITIONERS,
    family,
    fnv1a,
    hash_of,
    murmur2,
    signed,
)

RANDOM_KEYS = 100_000
MOCK_PARTITIONS = 4  # what librdkafka's mock cluster gives a topic


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("21", -973932308),
        ("foobar", -790332482),
        ("abc", 479470107),
        ("a-little-bit-long-string", -985981536),
        ("a-little-bit-longer-string", -1486304829),
        ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
    ],
)
def test_murmur2_is_kafkas(key: str, value: int) -> None:
    assert signed(murmur2(key.encode())) == value


@pytest.mark.parametrize(
    ("key", "partition"),
    [(b"", 681), (b"a", 524), (b"ab", 434), (b"abc", 107), (b"123456789", 566), (b"\x00\x20", 742)],
)
def test_murmur2_over_1000_partitions(key: bytes, partition: int) -> None:
    assert HASH_PARTITIONERS["murmur2"].partition(key, 1000) == partition


@pytest.mark.parametrize(
    ("key", "hashes", "partitions"),
    [
        ("", (0x106E08D9, 0, 0x811C9DC5), (9, 0, 3, 5)),
        ("kafka", (0xD067CF64, 0x5BBC7517, 0x0D33C4E1), (4, 11, 5, 5)),
        ("foobar", (0xD0E47BBE, 0x9EF61F95, 0xBF9CF968), (6, 5, 0, 8)),
        ("hejsan", (0x5EC19395, 0xD077037E, 0xE84E1D86), (1, 6, 2, 6)),
    ],
)
def test_hashes_and_their_partition_of_12(
    key: str, hashes: tuple[int, int, int], partitions: tuple[int, int, int, int]
) -> None:
    data = key.encode()
    assert (murmur2(data), hash_of(HASH_PARTITIONERS["librdkafka-consistent"].hash, data), fnv1a(data)) == hashes
    names = ("murmur2", "librdkafka-consistent", "librdkafka-fnv1a", "sarama-reference-hash")
    assert tuple(HASH_PARTITIONERS[name].partition(data, 12) for name in names) == partitions


@pytest.mark.parametrize(
    ("key", "partitions", "by_murmur2", "by_crc32"),
    [
        ("354afe16-939a-4ea8-8e17-8bb0840b6886", 10, 4, 9),
        ("f562ac3b-2224-4e25-a0ab-56094e10c239", 10, 5, 6),
        ("TT0124", 15, 10, 9),
        ("fd7af248-ce5c-46a5-93d7-1c0c9005b99d", 32, 26, None),
    ],
)
def test_keys_of_real_incidents(key: str, partitions: int, by_murmur2: int, by_crc32: int | None) -> None:
    assert HASH_PARTITIONERS["murmur2"].partition(key.encode(), partitions) == by_murmur2
    if by_crc32 is not None:
        assert HASH_PARTITIONERS["librdkafka-consistent"].partition(key.encode(), partitions) == by_crc32


@pytest.mark.parametrize(
    ("name", "null", "empty"),
    [
        ("murmur2", ANY, 0x106E08D9),
        ("librdkafka-consistent", 0, 0),
        ("librdkafka-consistent-random", ANY, ANY),
        ("librdkafka-murmur2", 0x106E08D9, 0x106E08D9),
        ("librdkafka-murmur2-random", ANY, 0x106E08D9),
        ("librdkafka-fnv1a", 0x7EE3623B, 0x7EE3623B),
        ("librdkafka-fnv1a-random", ANY, 0x7EE3623B),
        ("sarama-hash", ANY, 0x7EE3623B),
        ("sarama-reference-hash", ANY, 0x011C9DC5),
        ("sarama-consistent-crc", ANY, 0),
        ("franz-go-fnv1a", ANY, 0x811C9DC5),
    ],
)
@pytest.mark.parametrize("partitions", [1, 12, 1000])
def test_null_and_empty_keys(name: str, null: object, empty: object, partitions: int) -> None:
    def placed(hashed: object) -> object:
        return hashed % partitions if isinstance(hashed, int) else hashed

    assert HASH_PARTITIONERS[name].partition(None, partitions) == placed(null)
    assert HASH_PARTITIONERS[name].partition(b"", partitions) == placed(empty)


def test_each_partitioner_is_of_one_kind_and_of_one_family() -> None:
    assert set(PARTITIONERS) == {*HASH_PARTITIONERS, *KEYLESS_PARTITIONERS, *OPAQUE_PARTITIONERS}
    assert family("murmur2") == family("librdkafka-murmur2") == family("librdkafka-murmur2-random")
    assert family("sarama-hash") == family("librdkafka-fnv1a") != family("sarama-reference-hash")
    assert family("explicit") == family("custom") == family("range") == family("list")
    hashed = {(each.hash, each.reduction) for each in HASH_PARTITIONERS.values()}
    # One of each hash and reduction, each without keys, and one for all that only an application knows.
    assert len({family(name) for name in PARTITIONERS}) == len(hashed) + len(KEYLESS_PARTITIONERS) + 1
    with pytest.raises(KeyError):
        family("murmur3")


@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("murmur2", confluent_kafka.murmur2),
        ("librdkafka-consistent", confluent_kafka.consistent),
        ("librdkafka-fnv1a", confluent_kafka.fnv1a),
    ],
)
def test_random_keys_agree_with_librdkafkas_functions(name: str, oracle: object) -> None:
    chance = random.Random(7)  # noqa: S311 - repeatable
    partitioner = HASH_PARTITIONERS[name]
    for _ in range(RANDOM_KEYS):
        key, partitions = chance.randbytes(chance.randrange(1, 64)), chance.randrange(1, 2000)
        assert partitioner.partition(key, partitions) == oracle(key, partitions), (key, partitions)


def test_the_smallest_integer_has_no_positive_counterpart() -> None:
    key = _key_with_fnv1a(0x80000000)
    assert fnv1a(key) == 0x80000000
    assert HASH_PARTITIONERS["sarama-hash"].partition(key, 12) == 2**31 % 12
    assert HASH_PARTITIONERS["sarama-reference-hash"].partition(key, 12) == 0
    assert HASH_PARTITIONERS["franz-go-fnv1a"].partition(key, 12) == 2**31 % 12


@pytest.mark.parametrize("name", [name for name in HASH_PARTITIONERS if name.startswith("librdkafka-")])
def test_librdkafka_puts_keys_where_we_say(name: str) -> None:
    chance = random.Random(3)  # noqa: S311 - repeatable
    keys = [chance.randbytes(chance.randrange(1, 50)) for _ in range(500)]
    placed = _produce_to_mock(name, [*keys, *([None] * 40), *([b""] * 40)])
    partitioner = HASH_PARTITIONERS[name]
    for key, partition in placed[:500]:
        assert partitioner.partition(key, MOCK_PARTITIONS) == partition
    for same in (placed[500:540], placed[540:]):
        expected = partitioner.partition(same[0][0], MOCK_PARTITIONS)
        actual = {partition for _, partition in same}
        assert len(actual) > 1 if expected is ANY else actual == {expected}


def _produce_to_mock(name: str, keys: list[bytes | None]) -> list[tuple[bytes | None, int]]:
    placed: dict[int, int] = {}
    producer = confluent_kafka.Producer(
        {
            "test.mock.num.brokers": 1,
            "bootstrap.servers": "",
            "partitioner": name.removeprefix("librdkafka-").replace("-", "_"),
            "sticky.partitioning.linger.ms": 0,
            "log_level": 0,
        }
    )
    for index, key in enumerate(keys):
        producer.produce(
            "mock", b"value", key, on_delivery=lambda _, m, index=index: placed.update({index: m.partition()})
        )
    assert producer.flush(20) == 0
    return [(key, placed[index]) for index, key in enumerate(keys)]


def _key_with_fnv1a(wanted: int) -> bytes:
    """Meets in the middle: three letters forwards from the basis, two backwards from the wanted hash."""
    inverse, letters = pow(0x01000193, -1, 1 << 32), range(32, 127)
    ends: dict[int, bytes] = {}
    for last, one_before in itertools.product(letters, letters):
        state = (wanted * inverse & 0xFFFFFFFF) ^ last
        ends[(state * inverse & 0xFFFFFFFF) ^ one_before] = bytes([one_before, last])
    for start in itertools.product(letters, repeat=3):
        if (state := fnv1a(bytes(start))) in ends:
            return bytes(start) + ends[state]
    raise AssertionError("no such key of five letters")
