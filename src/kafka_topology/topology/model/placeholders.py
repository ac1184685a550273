"""What a topic with `forEach` replaces in its entry: `${each}` and `${each.name}`."""

from __future__ import annotations

import re
from typing import Final

PLACEHOLDER: Final = re.compile(r"\$\{each(?:\.([A-Za-z][A-Za-z0-9_]*))?\}")
LOOKS_LIKE_ONE: Final = re.compile(r"\$\{each\b[^}]*\}?")


def has_placeholder(text: str) -> bool:
    """Whether a file takes a part of this text for a placeholder, be it a right one or not."""
    return LOOKS_LIKE_ONE.search(text) is not None
