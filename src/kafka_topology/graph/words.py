"""Labels: how wide text is drawn, and text that cannot reorder or break what is around it."""

from __future__ import annotations

import re
import unicodedata

# Control characters, and those that change the direction of text or hide it.
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ud800-\udfff]+")


def plain(text: str) -> str:
    return text if text.isprintable() else _INVISIBLE.sub(" ", text)


def columns(text: str) -> int:
    """The number of columns of a fixed-width font; East Asian characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def shortened(text: str, longest: int) -> str:
    """Without its middle when it is too long: names differ at their ends."""
    if columns(text) <= longest:
        return text
    head, tail = list(text[: longest // 2]), list(text[-(longest // 2) :])
    while columns("".join(head)) + columns("".join(tail)) > longest - 1:
        (head if len(head) >= len(tail) else tail).pop(-1 if len(head) >= len(tail) else 0)
    return f"{''.join(head)}…{''.join(tail)}"
