"""Ids of rules: which are the product's own."""

from __future__ import annotations

import re

_OWN = re.compile(r"KT(?:[0-8]|A[0-9])[0-9]{2}")


def is_own(rule: str) -> bool:
    """Whether the id is reserved for built-in rules: KT000 to KT899, and KTA000 to KTA999 for audits."""
    return _OWN.fullmatch(rule) is not None
