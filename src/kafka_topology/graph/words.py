"""Labels: how wide text is drawn, and how a long name is shortened."""

from __future__ import annotations

import unicodedata


def columns(text: str) -> int:
    """The number of columns of a fixed-width font; East Asian characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def shortened(text: str, longest: int) -> str:
    """Drops the middle of a long name, because names differ at their ends."""
    if columns(text) <= longest:
        return text
    head, tail = list(text[: longest // 2]), list(text[-(longest // 2) :])
    while columns("".join(head)) + columns("".join(tail)) > longest - 1:
        (head if len(head) >= len(tail) else tail).pop(-1 if len(head) >= len(tail) else 0)
    return f"{''.join(head)}…{''.join(tail)}"
