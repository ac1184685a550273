"""Durations, sizes, rates and moments as people write them, and as Kafka takes them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

FOREVER = "forever"

DURATION_UNITS = {
    "ms": 1,
    "s": 1_000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 7 * 86_400_000,
}
SIZE_UNITS = {
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}

INTEGER_PATTERN = r"[-+]?(?:0|[1-9][0-9]*)"
DURATION_PATTERN = rf"(?:0|[1-9][0-9]*) ?(?:{'|'.join(DURATION_UNITS)})|{FOREVER}"
SIZE_PATTERN = rf"(?:0|[1-9][0-9]*) ?(?:{'|'.join(SIZE_UNITS)})"
RATE_PATTERN = rf"(?:{SIZE_PATTERN})/s"
MOMENT_PATTERN = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
    r"(?:Z|[-+][0-9]{2}:[0-9]{2})"
)

_INTEGER = re.compile(INTEGER_PATTERN)
_DURATION = re.compile(rf"([0-9]+) ?({'|'.join(DURATION_UNITS)})")
_SIZE = re.compile(rf"([0-9]+) ?({'|'.join(SIZE_UNITS)})")
_MOMENT = re.compile(MOMENT_PATTERN)

# Kafka holds durations and sizes in a signed 64-bit number.
_LARGEST = 2**63 - 1


def parse_integer(text: str) -> int | None:
    return int(text) if len(text) <= 20 and _INTEGER.fullmatch(text) else None


def parse_duration(text: str) -> int | None:
    """Milliseconds; -1 for `forever`; None when the text is not a duration."""
    return -1 if text == FOREVER else _amount(_DURATION, DURATION_UNITS, text)


def parse_size(text: str) -> int | None:
    return _amount(_SIZE, SIZE_UNITS, text)


def parse_rate(text: str) -> int | None:
    """Bytes per second."""
    return parse_size(text[:-2]) if text.endswith("/s") else None


def parse_moment(text: str) -> datetime | None:
    """A moment with a time zone, in UTC."""
    if not _MOMENT.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def format_duration(milliseconds: int) -> str:
    if milliseconds < 0:
        return FOREVER
    return _largest_exact(milliseconds, DURATION_UNITS, "ms", skip=("w",))


def format_size(count: int) -> str:
    return _largest_exact(count, SIZE_UNITS, "B")


def format_rate(count: int) -> str:
    return f"{format_size(count)}/s"


def format_moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _amount(pattern: re.Pattern[str], units: dict[str, int], text: str) -> int | None:
    match = pattern.fullmatch(text) if len(text) <= 24 else None
    if match is None or (len(match[1]) > 1 and match[1][0] == "0"):
        return None
    amount = int(match[1]) * units[match[2]]
    return amount if amount <= _LARGEST else None


def _largest_exact(amount: int, units: dict[str, int], smallest: str, skip: tuple[str, ...] = ()) -> str:
    """The shortest way to write an amount without losing any of it."""
    best = f"{amount}{smallest}"
    for unit, size in units.items():
        if unit not in skip and amount and amount % size == 0:
            best = min(best, f"{amount // size}{unit}", key=len)
    return best
