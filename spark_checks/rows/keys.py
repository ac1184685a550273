"""Keys as a report shows them, as a Spark column: see `results/keys.py`, which a test compares with this."""

from __future__ import annotations

import string
import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from ..results.keys import LONGEST_SHOWN

if TYPE_CHECKING:
    from pyspark.sql import Column

_PLAIN = r"\A[\x20-\x7e]*\z"


def shown_column(key: Column, length: Column, *, reveal: bool) -> Column:
    """The key or its shape; `key` is null where it is too long to be fetched, `length` only where there is no key."""
    text = key.cast("string")
    as_bytes = F.concat(F.lit("0x"), F.lower(F.hex(F.substring(key, 1, LONGEST_SHOWN))))
    shape = F.concat(F.lit("<"), length, F.lit(" bytes>"))
    plain = text.rlike(_PLAIN)  # nearly every key, and much cheaper
    is_text = plain | (F.call_function("is_valid_utf8", text) & ~text.rlike(_characters(_is_unprintable)))
    visible = text if reveal else F.when(plain, _masked_plain(text)).otherwise(_masked(text))
    cut = F.concat(F.left(visible, F.lit(LONGEST_SHOWN)), F.lit("… ("), length, F.lit(" bytes)"))
    return (
        F.when(length.isNull(), F.lit(None).cast("string"))
        .when(key.isNull(), shape)
        .when(~is_text, as_bytes if reveal else shape)
        .when(F.char_length(visible) > LONGEST_SHOWN, cut)
        .otherwise(visible)
    )


def _masked_plain(text: Column) -> Column:
    letters, digits = string.ascii_letters, string.digits
    return F.translate(text, letters + digits, "x" * len(letters) + "9" * len(digits))


def _masked(text: Column) -> Column:
    return F.regexp_replace(F.regexp_replace(text, _characters(str.isdigit), "9"), r"[A-Za-z]|[^\x00-\x7f]", "x")


def _is_unprintable(character: str) -> bool:
    return not character.isprintable()


@cache
def _characters(belongs: Callable[[str], bool]) -> str:
    """A character class by Python's own tables: those of Java are of another version of Unicode."""
    ranges: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        if 0xD800 <= code <= 0xDFFF or not belongs(chr(code)):
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "[" + "".join(rf"\x{{{first:x}}}-\x{{{last:x}}}" for first, last in ranges) + "]"
