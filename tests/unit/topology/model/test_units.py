from datetime import UTC, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_topology.topology.model import units


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("500ms", 500),
        ("30s", 30_000),
        ("5m", 300_000),
        ("12h", 43_200_000),
        ("7d", 604_800_000),
        ("2w", 1_209_600_000),
        ("7 d", 604_800_000),
        ("0s", 0),
        ("forever", -1),
    ],
)
def test_durations_become_milliseconds(text: str, milliseconds: int) -> None:
    assert units.parse_duration(text) == milliseconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        "d",
        "-7d",
        "07d",
        "7D",
        "7 days",
        "1.5h",
        "7  d",
        " 7d",
        "7d ",
        "7d\n",
        "99999999999w",
        "\N{ARABIC-INDIC DIGIT SEVEN}d",
        "9" * 30 + "ms",
    ],
)
def test_what_is_no_duration(text: str) -> None:
    assert units.parse_duration(text) is None


@pytest.mark.parametrize(
    ("text", "count"), [("0B", 0), ("1KB", 1000), ("1KiB", 1024), ("100MB", 10**8), ("1 GiB", 2**30), ("2TiB", 2**41)]
)
def test_sizes_become_bytes(text: str, count: int) -> None:
    assert units.parse_size(text) == count


@pytest.mark.parametrize("text", ["1", "1K", "1kb", "1kib", "01KB", "-1B", "1.5MB", "1MB/s", "9999999999TiB"])
def test_what_is_no_size(text: str) -> None:
    assert units.parse_size(text) is None


def test_rates_become_bytes_a_second() -> None:
    assert units.parse_rate("10MB/s") == 10_000_000
    assert units.parse_rate("10MB") is None
    assert units.parse_rate("10MB/m") is None
    assert units.parse_rate("/s") is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01T00:00:00Z", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01T00:00Z", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01T12:30:00.5+02:00", datetime(2026, 3, 1, 10, 30, 0, 500_000, tzinfo=UTC)),
    ],
)
def test_moments_are_in_utc(text: str, moment: datetime) -> None:
    assert units.parse_moment(text) == moment


@pytest.mark.parametrize(
    "text",
    ["2026-03-01", "2026-03-01T00:00:00", "2026-02-30T00:00:00Z", "2026-13-01T00:00Z", "2026-03-01 00:00:00Z", "now"],
)
def test_a_moment_needs_a_real_date_and_a_time_zone(text: str) -> None:
    assert units.parse_moment(text) is None


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("-1", -1), ("+5", 5), ("9223372036854775807", 2**63 - 1)])
def test_integers(text: str, number: int) -> None:
    assert units.parse_integer(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "012",
        "0x1F",
        "0o17",
        "1_000",
        "1.0",
        "1e3",
        "1:30",
        "9223372036854775808",
        "9" * 5000,
        "\N{FULLWIDTH DIGIT ONE}",
    ],
)
def test_what_two_readers_would_read_as_different_numbers_is_no_integer(text: str) -> None:
    assert units.parse_integer(text) is None


@pytest.mark.parametrize(
    ("milliseconds", "text"), [(0, "0ms"), (604_800_000, "7d"), (90_000, "90s"), (1_500, "1500ms"), (-1, "forever")]
)
def test_durations_are_written_as_briefly_as_possible(milliseconds: int, text: str) -> None:
    assert units.format_duration(milliseconds) == text


def fits(count: int, unit: int) -> bool:
    """Whether every number of so many digits stays within 64 bits in this unit."""
    return (10 ** len(str(count)) - 1) * unit < 2**63


@given(st.sampled_from(sorted(units.DURATION_UNITS)), st.integers(0, 10**18))
def test_whatever_duration_can_be_read_is_written_back_exactly(unit: str, count: int) -> None:
    value = count * units.DURATION_UNITS[unit]
    if not fits(count, units.DURATION_UNITS[unit]):
        assert units.parse_duration(f"{count}{unit}") is None
        return
    assert units.parse_duration(f"{count}{unit}") == value
    assert units.parse_duration(units.format_duration(value)) == value


@given(st.sampled_from(sorted(units.SIZE_UNITS)), st.integers(0, 10**18))
def test_whatever_size_can_be_read_is_written_back_exactly(unit: str, count: int) -> None:
    value = count * units.SIZE_UNITS[unit]
    if not fits(count, units.SIZE_UNITS[unit]):
        assert units.parse_size(f"{count}{unit}") is None
        return
    assert units.parse_size(f"{count}{unit}") == value
    assert units.parse_size(units.format_size(value)) == value
    assert units.parse_rate(units.format_rate(value)) == value


@pytest.mark.parametrize(
    ("text", "share"),
    [("0%", Fraction(0)), ("0.1%", Fraction(1, 1000)), ("99 %", Fraction(99, 100)), ("100%", Fraction(1)),
     ("100.1%", None), ("101%", None), ("0.1", None), ("-1%", None), ("1e1%", None), ("01%", None), ("%", None)],
)  # fmt: skip
def test_shares(text: str, share: Fraction | None) -> None:
    assert units.parse_share(text) == share
    if share is not None:
        assert units.parse_share(units.format_share(share)) == share
