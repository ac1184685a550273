"""Every partitioner that can be declared: where it puts a key, and what clients call it. One table for all.

The hashes are pure Python on purpose: the Spark columns are tested against them, and they explain misplaced records.
They are over the serialized key, so keys are bytes; `None` is the null key.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Final

_MASK = 0xFFFFFFFF
_MURMUR2_SEED = 0x9747B28C
_MURMUR2_FACTOR = 0x5BD1E995
_FNV1A_BASIS = 0x811C9DC5
_FNV1A_PRIME = 0x01000193


class Anywhere(Enum):
    """The partitioner does not tie such a key to a partition, so every partition is right."""

    ANY = "any"


ANY: Final = Anywhere.ANY


class Hash(StrEnum):
    MURMUR2 = "murmur2"
    CRC32 = "crc32"
    FNV1A = "fnv1a"


class Reduction(StrEnum):
    """How 32 bits of hash become a partition number."""

    MASKED = "masked"  # (hash & 0x7fffffff) % n: drops the sign bit
    UNSIGNED = "unsigned"  # hash % n on the unsigned value
    ABSOLUTE = "absolute"  # |signed hash| % n; wide, so that the smallest integer does not overflow


@dataclass(frozen=True, slots=True)
class HashPartitioner:
    """Places a key by its bytes alone.

    `librdkafka` is that client's name for it; `java` is a setting of the Java client and its value, where it needs one;
    `java_classes` are further classes that place keys so. `known_as` is what people call it, for messages.
    `null_as_empty`: a null key is placed like an empty one. `empty_anywhere`: an empty key goes anywhere.
    """

    name: str
    hash: Hash
    reduction: Reduction
    librdkafka: str | None = None
    null_as_empty: bool = False
    empty_anywhere: bool = False
    java: tuple[str, str] | None = None
    java_classes: tuple[str, ...] = ()
    known_as: str | None = None

    @property
    def family(self) -> str:
        """Partitioners of one family differ only in what they do with null and empty keys."""
        return f"{self.hash} {self.reduction}"

    def partition(self, key: bytes | None, partitions: int) -> int | Anywhere:
        value = self.spread(key)
        return ANY if value is None else value % partitions

    def spread(self, key: bytes | None) -> int | None:
        """The number whose remainder is the partition, None where every partition is right."""
        if key is None and not self.null_as_empty:
            return None
        if not key and self.empty_anywhere:
            return None
        value = hash_of(self.hash, key or b"")
        if self.reduction is Reduction.MASKED:
            return value & 0x7FFFFFFF
        return abs(signed(value)) if self.reduction is Reduction.ABSOLUTE else value


def murmur2(key: bytes) -> int:
    """Kafka's 32-bit murmur2, unsigned."""
    words = len(key) // 4
    value = _MURMUR2_SEED ^ len(key)
    for index in range(words):
        word = int.from_bytes(key[4 * index : 4 * index + 4], "little")
        word = word * _MURMUR2_FACTOR & _MASK
        word ^= word >> 24
        word = word * _MURMUR2_FACTOR & _MASK
        value = (value * _MURMUR2_FACTOR & _MASK) ^ word
    tail = key[4 * words :]
    if tail:
        value = (value ^ int.from_bytes(tail, "little")) * _MURMUR2_FACTOR & _MASK
    value ^= value >> 13
    value = value * _MURMUR2_FACTOR & _MASK
    return value ^ value >> 15


def fnv1a(key: bytes) -> int:
    """The 32-bit FNV-1a, unsigned."""
    value = _FNV1A_BASIS
    for byte in key:
        value = (value ^ byte) * _FNV1A_PRIME & _MASK
    return value


def hash_of(kind: Hash, key: bytes) -> int:
    if kind is Hash.MURMUR2:
        return murmur2(key)
    return zlib.crc32(key) if kind is Hash.CRC32 else fnv1a(key)


def signed(value: int) -> int:
    """The same 32 bits read as Java's int."""
    return value - (1 << 32) if value & 0x80000000 else value


@dataclass(frozen=True, slots=True)
class OtherPartitioner:
    """One that does not place a key by a hash. `librdkafka`, `java` and `java_classes` are as above."""

    name: str
    is_keyless: bool  # it does not look at the key; otherwise the application decides, and nobody can recompute it
    librdkafka: str | None = None
    java: tuple[str, str] | None = None
    java_classes: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        return self.name if self.is_keyless else APPLICATION


APPLICATION: Final = "application"
_CLASS: Final = "partitioner.class"
_JAVA: Final = "org.apache.kafka.clients.producer."
# `murmur2` is Java's: librdkafka's own `murmur2` differs for the null key and has a name of its own here.
_TABLE: Final[tuple[HashPartitioner | OtherPartitioner, ...]] = (
    HashPartitioner(
        "murmur2",
        Hash.MURMUR2,
        Reduction.MASKED,
        "murmur2_random",
        java_classes=(f"{_JAVA}internals.DefaultPartitioner",),
        known_as="Java's default",
    ),
    HashPartitioner("librdkafka-consistent", Hash.CRC32, Reduction.UNSIGNED, "consistent", null_as_empty=True),
    HashPartitioner(
        "librdkafka-consistent-random",
        Hash.CRC32,
        Reduction.UNSIGNED,
        "consistent_random",
        empty_anywhere=True,
        known_as="librdkafka's default, consistent_random",
    ),
    HashPartitioner("librdkafka-murmur2", Hash.MURMUR2, Reduction.MASKED, "murmur2", null_as_empty=True),
    HashPartitioner(
        "librdkafka-murmur2-random",
        Hash.MURMUR2,
        Reduction.MASKED,
        "murmur2_random",
        known_as="librdkafka murmur2_random",
    ),
    HashPartitioner(
        "librdkafka-fnv1a", Hash.FNV1A, Reduction.ABSOLUTE, "fnv1a", null_as_empty=True, known_as="librdkafka fnv1a"
    ),
    HashPartitioner("librdkafka-fnv1a-random", Hash.FNV1A, Reduction.ABSOLUTE, "fnv1a_random"),
    HashPartitioner("sarama-hash", Hash.FNV1A, Reduction.ABSOLUTE, known_as="sarama's hash partitioner"),
    HashPartitioner(
        "sarama-reference-hash", Hash.FNV1A, Reduction.MASKED, known_as="sarama's reference hash partitioner"
    ),
    HashPartitioner("sarama-consistent-crc", Hash.CRC32, Reduction.UNSIGNED),
    HashPartitioner(
        "franz-go-fnv1a",
        Hash.FNV1A,
        Reduction.UNSIGNED,
        known_as="franz-go's SaramaHasher over FNV-1a",
    ),
    OtherPartitioner("round-robin", is_keyless=True, java=(_CLASS, f"{_JAVA}RoundRobinPartitioner")),
    OtherPartitioner(
        "sticky",
        is_keyless=True,
        java=("partitioner.ignore.keys", "true"),
        java_classes=(f"{_JAVA}UniformStickyPartitioner",),
    ),
    OtherPartitioner("random", is_keyless=True, librdkafka="random"),
    OtherPartitioner("explicit", is_keyless=False),
    OtherPartitioner("custom", is_keyless=False),
)
BY_NAME: Final = MappingProxyType({each.name: each for each in _TABLE})
PARTITIONERS: Final = tuple(BY_NAME)
HASH_PARTITIONERS: Final[Mapping[str, HashPartitioner]] = MappingProxyType(
    {each.name: each for each in _TABLE if isinstance(each, HashPartitioner)}
)
# Declared, yet nothing about a single record follows from them.
KEYLESS_PARTITIONERS: Final = tuple(
    each.name for each in _TABLE if isinstance(each, OtherPartitioner) and each.is_keyless
)
# The application decides.
OPAQUE_PARTITIONERS: Final = tuple(
    each.name for each in _TABLE if isinstance(each, OtherPartitioner) and not each.is_keyless
)
# What a class of the Java client is called here.
JAVA_CLASSES: Final[Mapping[str, str]] = MappingProxyType(
    {
        java_class: each.name
        for each in _TABLE
        for java_class in (*each.java_classes, *(each.java[1:] if each.java and each.java[0] == _CLASS else ()))
    }
)
# How a topology spells out where keys go; a producer can only say that the application decides.
TABLES: Final = ("range", "list")


def is_java_default(partitioner: HashPartitioner | OtherPartitioner) -> bool:
    """Whether the Java client places keys so without a setting."""
    return isinstance(partitioner, HashPartitioner) and _placing(partitioner) == _placing(HASH_PARTITIONERS["murmur2"])


def hash_families() -> dict[str, tuple[HashPartitioner, ...]]:
    """Every way to place a key by its hash, by the family's name, with the partitioners that do."""
    families: dict[str, tuple[HashPartitioner, ...]] = {}
    for each in HASH_PARTITIONERS.values():
        families[each.family] = (*families.get(each.family, ()), each)
    return families


def _placing(partitioner: HashPartitioner) -> tuple[object, ...]:
    return partitioner.family, partitioner.null_as_empty, partitioner.empty_anywhere


def family(name: str) -> str:
    """Two partitioners of one family put every key that is not null or empty into the same partition."""
    return APPLICATION if name in TABLES else BY_NAME[name].family
