"""Durations, sizes, rates and times, as people write them and as Kafka accepts them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

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

# Kafka holds durations and sizes in a signed 64-bit number.
SMALLEST, LARGEST = -(2**63), 2**63 - 1


def _digits(unit_size: int) -> int:
    """The number of digits before a unit that always fits; one more might not."""
    return len(str(LARGEST // unit_size)) - 1


def _amount_pattern(units: dict[str, int]) -> str:
    """A pattern that limits digits: JSON Schema can count them but not multiply, so the parser does the same."""
    return "|".join(rf"(?:0|[1-9][0-9]{{0,{_digits(size) - 1}}}) ?{unit}" for unit, size in units.items())


INTEGER_PATTERN = r"[-+]?(?:0|[1-9][0-9]*)"
DURATION_PATTERN = rf"{_amount_pattern(DURATION_UNITS)}|{FOREVER}"
SIZE_PATTERN = _amount_pattern(SIZE_UNITS)
RATE_PATTERN = rf"(?:{SIZE_PATTERN})/s"
# Six digits of any unit fit into a timedelta.
SPAN_PATTERN = rf"(?:0|[1-9][0-9]{{0,5}}) ?(?:{'|'.join(DURATION_UNITS)})"
MOMENT_PATTERN = (
    r"(?:19|2[0-9])[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?"
    r"(?:Z|[-+](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)

DAY_PATTERN = r"(?:19|2[0-9])[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
SHARE_PATTERN = r"(?:100(?:\.0{1,6})?|(?:0|[1-9][0-9]?)(?:\.[0-9]{1,6})?) ?%"

_INTEGER = re.compile(INTEGER_PATTERN)
_DURATION = re.compile(rf"(0|[1-9][0-9]*) ?({'|'.join(DURATION_UNITS)})")
_SIZE = re.compile(rf"(0|[1-9][0-9]*) ?({'|'.join(SIZE_UNITS)})")
_TOO_LARGE = re.compile(rf"([1-9][0-9]*) ?({'|'.join([*DURATION_UNITS, *SIZE_UNITS])})((?:/s)?)")
_SPAN = re.compile(SPAN_PATTERN)
_MOMENT = re.compile(MOMENT_PATTERN)
_DAY = re.compile(DAY_PATTERN)
_SHARE = re.compile(SHARE_PATTERN)
_KAFKA_INTEGER = re.compile(r"[-+]?[0-9]+")
_LONGEST = 100


def parse_integer(text: str) -> int | None:
    """A decimal number of 64 bits. Not one that YAML versions read differently: 012, 0x1F, 1_000."""
    if len(text) > 20 or not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if SMALLEST <= number <= LARGEST else None


def kafka_integer(text: str) -> int | None:
    """The number that Kafka reads, which may have spaces around it, leading zeros and a plus."""
    trimmed = text.strip()
    return int(trimmed) if len(trimmed) <= _LONGEST and _KAFKA_INTEGER.fullmatch(trimmed) else None


def kafka_true(text: str | None) -> bool:
    return text is not None and text.strip().lower() == "true"


def limit_of(text: str) -> str | None:
    """The largest amount in the unit of the text, if the text is a duration, size or rate that is too large."""
    match = _TOO_LARGE.fullmatch(text)
    if match is None:
        return None
    size = (DURATION_UNITS | SIZE_UNITS)[match[2]]
    digits = _digits(size)
    return f"{'9' * digits}{match[2]}{match[3]}" if len(match[1]) > digits else None


def parse_duration(text: str) -> int | None:
    """Milliseconds; -1 for `forever`; None if the text is not a duration."""
    return -1 if text == FOREVER else _amount(_DURATION, DURATION_UNITS, text)


def parse_span(text: str) -> timedelta | None:
    """A duration that ends, for fields that also take a plain number."""
    amount = parse_duration(text) if _SPAN.fullmatch(text) else None
    return None if amount is None else timedelta(milliseconds=amount)


def parse_size(text: str) -> int | None:
    return _amount(_SIZE, SIZE_UNITS, text)


def parse_rate(text: str) -> int | None:
    """Bytes per second."""
    return parse_size(text[:-2]) if text.endswith("/s") else None


def parse_moment(text: str) -> datetime | None:
    """A time with its zone, in UTC; None if the text is not one."""
    if not _MOMENT.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def parse_day(text: str) -> date | None:
    """A day of the calendar; None if the text is not one."""
    if not _DAY.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def format_duration(milliseconds: int) -> str:
    if milliseconds < 0:
        return FOREVER
    return _shortest(milliseconds, DURATION_UNITS, parse_duration, skip=("w",))


def format_span(span: timedelta) -> str:
    return format_duration(span // timedelta(milliseconds=1))


def span_text(span: timedelta) -> str:
    """About how long, as people say it: the two largest units."""
    seconds = max(0, round(span.total_seconds()))
    parts = ((seconds // 86_400, "d"), (seconds // 3_600 % 24, "h"), (seconds // 60 % 60, "m"), (seconds % 60, "s"))
    first = next((at for at, (amount, _) in enumerate(parts) if amount), len(parts) - 1)
    return " ".join(f"{amount}{unit}" for amount, unit in parts[first : first + 2] if amount) or "0s"


def format_size(count: int) -> str:
    return _shortest(count, SIZE_UNITS, parse_size)


def format_rate(count: int) -> str:
    return f"{format_size(count)}/s"


def format_moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _amount(pattern: re.Pattern[str], units: dict[str, int], text: str) -> int | None:
    match = pattern.fullmatch(text) if len(text) <= 24 else None
    if match is None or len(match[1]) > _digits(units[match[2]]):
        return None
    return int(match[1]) * units[match[2]]


def _shortest(
    amount: int, units: dict[str, int], parse: Callable[[str], int | None], skip: tuple[str, ...] = ()
) -> str:
    """The shortest text that reads back as exactly this amount."""
    smallest = next(iter(units))
    if not amount:
        return f"0{smallest}"
    whole = (f"{amount // size}{unit}" for unit, size in units.items() if amount % size == 0 and unit not in skip)
    return min((text for text in whole if parse(text) == amount), key=len, default=f"{amount}{smallest}")


def parse_share(text: str) -> Fraction | None:
    """`0.1%` is 1/1000, exactly."""
    return Fraction(text.removesuffix("%").rstrip()) / 100 if _SHARE.fullmatch(text) else None


def format_share(share: Fraction) -> str:
    return f"{float(share * 100):.6f}".rstrip("0").rstrip(".") + "%"
