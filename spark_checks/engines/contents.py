"""Conditions on what records hold, as Spark columns: JSON text and its fields, frames, headers, a share of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from ..conditions.record import NotOfFormat
from ..conditions.shares import STEPS, Share
from .halves import by_halves

if TYPE_CHECKING:
    from pyspark.sql import Column

SCHEMA_ID_FRAME = 5  # a zero byte and the schema's id in four
_HUGE = 8 << 20  # Spark's parser refuses documents of 16 MiB
_END = "\x1ekafka-topology\x1e"  # a text that nobody has in a document: see `is_json`


def is_json(part: Column) -> Column:
    """Whether the bytes are one JSON text and nothing else, in UTF-8, as RFC 8259 has it. A name twice is refused.

    Spark's parser stops after the first value, so `{} garbage` would pass. Between two other elements of an array the
    text must end where it should for the last one to be the third.
    """
    text = part.cast("string")
    among = F.try_parse_json(F.concat(F.lit("[0,"), text, F.lit(f',"{_END_JSON}"]')))
    whole = F.try_variant_get(among, "$[2]", "string").eqNullSafe(F.lit(_END))
    huge = F.get_json_object(text, "$").isNotNull()
    return _is_text(text) & F.when(F.length(part) < _HUGE, whole).otherwise(huge)


_END_JSON = _END.replace("\x1e", "\\u001e")


def not_of_format(wanted: NotOfFormat) -> Column:
    value = F.col("value")
    fits = is_json(value) if wanted.format == "json" else _is_text(value.cast("string"))
    return value.isNotNull() & ~fits & ~(is_framed(value) if wanted.format == "json" else F.lit(False))


def is_framed(part: Column) -> Column:
    return (F.length(part) >= SCHEMA_ID_FRAME) & (F.substring(part, 1, 1) == F.lit(b"\0"))


def differs_from_field(path: Sequence[str]) -> Column:
    return _differs(F.col("key").cast("string"), path)


def differs_when_decoded(path: Sequence[str]) -> Column:
    text = F.col("key_text")
    return _differs(F.coalesce(F.get_json_object(text, json_path(path[-1:])), text), path)


def _differs(text: Column, path: Sequence[str]) -> Column:
    key, value = F.col("key"), F.col("value")
    field = F.get_json_object(value.cast("string"), json_path(path))
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


def json_path(path: Sequence[str]) -> str:
    return "$" + "".join(f"['{name}']" for name in path)


def _is_text(text: Column) -> Column:
    return F.call_function("is_valid_utf8", text)
