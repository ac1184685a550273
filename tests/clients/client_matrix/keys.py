"""The odd keys that every client writes, the same in every run."""

from __future__ import annotations

import random
import struct
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

NULLS, EMPTIES, RANDOM, LONGEST = 60, 50, 4_000, 40
NULL = "-"
# Keys whose hash is 0, 1, the largest and the smallest signed number, the one after it, and -1.
EDGES = {
    "murmur2": ("e3871844", "039d77d8", "027d5343", "a7d6506c", "3334f6a5", "a5d4305c"),
    "crc32": ("9d0ad96d", "dc0ca8b6", "2c70caa4", "4e85ec36", "0f839ded", "ffffffff"),
    "fnv1a": ("cc2431c400", "fc18bb5f00", "2c12ab2b04", "f534177a01", "eb1b334e01", "3051f66300"),
}
TEXTS = (
    "a", "key", "KEY", " ", "  key", "key\n", "\t", "\0", "key\0", "null", "NULL", "-", '""', "{}", '{"id": 1}',
    "é", "e\u0301", "ß", "Ω", "日本語", "한국어", "Ünïcödé", "עברית", "العربية", "🙂", "👩‍👩‍👧‍👦", "\ufeff", "\uffff",
    "shop.orders", "order-1", "user@example.com", "a/b?c=d&e=%20", "../../etc", "x" * 39, "ÿ" * 20,
)  # fmt: skip
WHOLE = (0, 1, -1, 2, 7, 10, 127, 128, -128, 255, 256, 32_767, -32_768, 65_535, 2**31 - 1, -(2**31))
LONG = (*WHOLE, 2**31, 2**53, 2**53 + 1, 2**63 - 1, -(2**63))
LENGTHS = (*range(1, 34), 63, 64, 65, 255, 256, 257)
LONG_ONES = (1_023, 1_024, 1_025, 8_191, 65_537)  # few: Spark's own functions take a long time for each byte


def odd_keys(count: int = RANDOM) -> list[bytes | None]:
    """Every odd key, `count` random ones, and some of them again; shuffled."""
    chance = random.Random(20_261_117)  # noqa: S311 - repeatable
    keys = [*_odd(chance), *(chance.randbytes(chance.randint(1, LONGEST)) for _ in range(count))]
    again = [key for key in chance.sample(keys, 200) for _ in range(4) if len(key) < 1_000]
    found: list[bytes | None] = [*keys, *again, *[None] * NULLS, *[b""] * EMPTIES]
    chance.shuffle(found)
    return found


def _odd(chance: random.Random) -> Iterator[bytes]:
    yield from (bytes.fromhex(key) for keys in EDGES.values() for key in keys)
    yield from (text.encode() for text in TEXTS)
    yield from ("é".encode("latin-1"), "日本語".encode("utf-16"), b"\xff\xfe", b"\xc3", b"\xed\xa0\x80")  # not UTF-8
    yield from (bytes([byte]) for byte in range(256))
    for length in LENGTHS:
        yield from (b"\0" * length, b"\xff" * length, b"\x80" * length, chance.randbytes(length))
    yield from (chance.randbytes(length) for length in LONG_ONES)
    yield from (str(number).encode() for number in LONG)
    yield from (struct.pack(">i", number) for number in WHOLE)
    yield from (struct.pack(">q", number) for number in LONG)
    for number in range(500):
        yield str(number).encode()
        yield struct.pack(">q", chance.getrandbits(63) - (number % 2 << 62))
        identity = uuid.UUID(int=chance.getrandbits(128), version=4)
        yield str(identity).encode()
        yield identity.bytes


def write_keys(path: Path, keys: Sequence[bytes | None]) -> None:
    """One line each: hexadecimal digits, or "-" for null. The line number is the record's value."""
    path.write_text("".join(f"{NULL if key is None else key.hex()}\n" for key in keys), encoding="ascii")
