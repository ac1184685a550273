"""Where each known partitioner puts a key: the plain reference that everything else is compared with.

It is pure Python on purpose: the Spark columns are tested against it, and it explains misplaced records.
Hashes are over the serialized key, so keys are bytes; `None` is the null key.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Final

from ..topology import partitioners as declared

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
    """`null_as_empty`: a null key is placed like an empty one. `empty_anywhere`: an empty key goes anywhere."""

    name: str
    hash: Hash
    reduction: Reduction
    null_as_empty: bool = False
    empty_anywhere: bool = False

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


def _by_name(*partitioners: HashPartitioner) -> Mapping[str, HashPartitioner]:
    return MappingProxyType({partitioner.name: partitioner for partitioner in partitioners})


# `murmur2` is Java's: librdkafka's own `murmur2` differs for the null key and has a name of its own here.
HASH_PARTITIONERS: Final = _by_name(
    HashPartitioner("murmur2", Hash.MURMUR2, Reduction.MASKED),
    HashPartitioner("librdkafka-murmur2-random", Hash.MURMUR2, Reduction.MASKED),
    HashPartitioner("librdkafka-murmur2", Hash.MURMUR2, Reduction.MASKED, null_as_empty=True),
    HashPartitioner("librdkafka-consistent", Hash.CRC32, Reduction.UNSIGNED, null_as_empty=True),
    HashPartitioner("librdkafka-consistent-random", Hash.CRC32, Reduction.UNSIGNED, empty_anywhere=True),
    HashPartitioner("librdkafka-fnv1a", Hash.FNV1A, Reduction.ABSOLUTE, null_as_empty=True),
    HashPartitioner("librdkafka-fnv1a-random", Hash.FNV1A, Reduction.ABSOLUTE),
    HashPartitioner("sarama-hash", Hash.FNV1A, Reduction.ABSOLUTE),
    HashPartitioner("sarama-reference-hash", Hash.FNV1A, Reduction.MASKED),
)

# Declared, yet nothing about a single record follows from them.
KEYLESS_PARTITIONERS: Final = frozenset(declared.KEYLESS_PARTITIONERS)
