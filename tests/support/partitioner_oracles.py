"""Where librdkafka itself puts random keys: what our hashes are compared with, whatever computes them.

`write_cases` gives a CSV that Spark (or anything else) can read and compare in one job, without Python rows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import confluent_kafka

LONGEST_KEY = 64
# A large prime count shows nearly all bits of a hash, a small one is what topics have.
COUNTS = (12, 999_983)
ORACLES: dict[str, Callable[[bytes, int], int]] = {
    "murmur2": confluent_kafka.murmur2,
    "crc32": confluent_kafka.consistent,
    "fnv1a": confluent_kafka.fnv1a,
}
CASES_SCHEMA = "hex string, " + ", ".join(f"{name}_{count} int" for name in ORACLES for count in COUNTS)


def random_keys(count: int, seed: int = 20_260_301) -> Iterator[bytes]:
    chance = random.Random(seed)  # noqa: S311 - repeatable
    for _ in range(count):
        yield chance.randbytes(chance.randint(0, LONGEST_KEY))


def write_cases(folder: Path, count: int) -> Path:
    """One line a key: its hexadecimal digits and where each oracle puts it, over each partition count."""
    path = folder / f"keys-{count}.csv"
    places = [(oracle, partitions) for oracle in ORACLES.values() for partitions in COUNTS]
    with path.open("w") as file:
        for key in random_keys(count):
            answers = ",".join(str(oracle(key, partitions)) for oracle, partitions in places)
            file.write(f"{key.hex()},{answers}\n")
    return path
