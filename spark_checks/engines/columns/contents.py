"""Conditions on what records hold, as Spark columns: JSON text and its fields, frames, headers, a share of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from ...conditions.record import NotOfFormat
from ...conditions.shares import STEPS, Share
from ...reading.halves import by_halves
from .fields import text_column
from .json_text import is_json, is_text, json_field

if TYPE_CHECKING:
    from pyspark.sql import Column

SCHEMA_ID_FRAME = 5  # a zero byte and the schema's id in four


def not_of_format(wanted: NotOfFormat) -> Column:
    value = F.col("value")
    fits = is_json(value) if wanted.format == "json" else is_text(value.cast("string"))
    return value.isNotNull() & ~fits & ~(is_framed(value) if wanted.format == "json" else F.lit(False))


def is_framed(part: Column) -> Column:
    return (F.length(part) >= SCHEMA_ID_FRAME) & (F.substring(part, 1, 1) == F.lit(b"\0"))


def differs_from_field(path: tuple[str, ...]) -> Column:
    return _differs(F.col("key").cast("string"), path)


def differs_when_decoded(path: tuple[str, ...]) -> Column:
    return _differs(F.coalesce(json_field(F.col("key_json"), path[-1:]), F.col("key_text")), path)


def _differs(text: Column, path: tuple[str, ...]) -> Column:
    key, value = F.col("key"), F.col("value")
    field = F.col(text_column(path))
    # A key without text, because it is not of its type, equals no field; neither does a missing field.
    same = field.isNotNull() & field.eqNullSafe(text)
    return key.isNotNull() & value.isNotNull() & ~same


def header_missing(names: Sequence[str]) -> Column:
    """At least one of the names has no header with a value."""
    headers = F.coalesce(F.col("headers"), F.array().cast("array<struct<key:string,value:binary>>"))
    filled = F.transform(F.filter(headers, lambda each: each["value"].isNotNull()), lambda each: each["key"])
    there = [F.array_contains(filled, name) for name in names]
    return ~by_halves(lambda left, right: left & right, there)


def headers_too_large(max_bytes: int) -> Column:
    def add(total: Column, each: Column) -> Column:
        return total + F.octet_length(each["key"]) + F.coalesce(F.octet_length(each["value"]), F.lit(0))

    size = F.aggregate(F.col("headers"), F.lit(0), add)
    return F.coalesce(size, F.lit(0)) > F.lit(max_bytes)


def in_share(share: Share) -> Column:
    place = F.xxhash64(F.lit(share.topic), F.col("partition").cast("int"), F.col("offset").cast("bigint"))
    return F.pmod(place, F.lit(STEPS)) < F.lit(share.steps)
