"""Numbers of any size as Spark columns: text that sorts as the numbers do, as no type of Spark holds them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from .json_text import once

if TYPE_CHECKING:
    from pyspark.sql import Column

# \z, as $ would also match before a line break at the end.
_DECIMAL = r"\A(-?)([0-9]++)(?:[.]([0-9]++))?(?:[eE]([+-]?[0-9]{1,9}))?\z"
_MOMENT = (
    r"\A([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ]([0-9]{2}:[0-9]{2})(?:(:[0-9]{2})(?:[.,]([0-9]++))?)?(?:[Zz]|([+-][0-9]{2})(?::?([0-9]{2}))?)?)?\z"
)
_DIGITS, _COMPLEMENTS = "0123456789", "9876543210"
_MIDDLE = 10**10  # added to where the point is, so that it is never negative and has as many digits for all numbers


def sortable_decimal(text: Column) -> Column:
    """`-12.50`, `1e3`, `0017`: null where the text is no decimal number."""
    sign, whole, fraction, exponent = (F.regexp_extract(text, _DECIMAL, group) for group in range(1, 5))
    power = F.coalesce(exponent.try_cast("bigint"), F.lit(0).cast("bigint"))
    return F.when(text.rlike(_DECIMAL), _sortable(sign == "-", F.length(whole), F.concat(whole, fraction), power))


def sortable_moment(text: Column) -> Column:
    """The text of a moment, in seconds since 1970; null where it is none."""
    date, time, second, fraction, zone, minutes = (F.regexp_extract(text, _MOMENT, group) for group in range(1, 7))
    in_zone = F.when(zone == "", "Z").otherwise(F.concat(zone, F.lit(":"), _or(minutes, "00")))
    full = F.concat(date, F.lit("T"), _or(time, "00:00"), _or(second, ":00"), in_zone)

    def number(seconds: Column) -> Column:
        rest = F.rtrim(fraction, F.lit("0"))
        # Before 1970 the fraction leads back towards it: -5 s and .25 are -4.75.
        below = (seconds < 0) & (rest != "")
        nines = F.translate(F.substring(rest, F.lit(1), F.length(rest) - 1), _DIGITS, _COMPLEMENTS)
        back = F.concat(nines, F.translate(F.right(rest, F.lit(1)), "123456789", "987654321"))
        whole = F.abs(F.when(below, seconds + 1).otherwise(seconds)).cast("string")
        digits = F.concat(whole, F.when(below, back).otherwise(rest))
        return F.when(seconds.isNotNull(), _sortable(seconds < 0, F.length(whole), digits, F.lit(0).cast("bigint")))

    return F.when(text.rlike(_MOMENT), once(F.unix_seconds(full.try_cast("timestamp")), number))


def _sortable(negative: Column, whole: Column, digits: Column, power: Column) -> Column:
    """By sign, then by where the point is, then by the digits; for negative numbers all of it reversed.

    `whole` is how many of the digits stand before the point.
    """
    parts = F.struct(negative.alias("negative"), whole.alias("whole"), digits.alias("digits"), power.alias("power"))

    def sized(part: Column) -> Column:
        leading = F.ltrim(part["digits"], F.lit("0"))
        point = part["whole"] - (F.length(part["digits"]) - F.length(leading)) + part["power"] + F.lit(_MIDDLE)
        size = F.concat(F.lpad(point.cast("string"), 11, "0"), F.rtrim(leading, F.lit("0")))
        return (
            F.when(leading == "", F.lit("1"))
            .when(part["negative"], F.concat(F.lit("0"), F.translate(size, _DIGITS, _COMPLEMENTS), F.lit("~")))
            .otherwise(F.concat(F.lit("2"), size))
        )

    return once(parts, sized)


def _or(found: Column, missing: str) -> Column:
    return F.when(found == "", F.lit(missing)).otherwise(found)
