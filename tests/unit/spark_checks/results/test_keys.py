"""Keys may be personal data: by default only their shape is shown."""

from __future__ import annotations

import pytest

from kafka_topology.spark_checks.results.keys import shown


@pytest.mark.parametrize(
    ("key", "masked", "clear"),
    [
        (b"jane.doe@example.org", "xxxx.xxx@xxxxxxx.xxx", "jane.doe@example.org"),
        ("Käthe-42".encode(), "xxxxx-99", "Käthe-42"),
        (b"\xff\x00\x01", "<3 bytes>", "0xff0001"),
        (b"\x00\x00\x00\x07", "<4 bytes>", "0x00000007"),
        (b"", "", ""),
    ],
)
def test_masked_and_clear(key: bytes, masked: str, clear: str) -> None:
    assert shown(key, len(key), reveal=False) == masked
    assert shown(key, len(key), reveal=True) == clear


def test_null_stays_null_and_a_huge_key_is_its_length() -> None:
    assert shown(None, None, reveal=True) is None
    assert shown(None, 5_000_000, reveal=True) == "<5000000 bytes>"


def test_long_keys_are_cut() -> None:
    assert shown(b"a" * 100, 100, reveal=False) == "x" * 48 + "… (100 bytes)"
