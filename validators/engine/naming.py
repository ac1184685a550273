"""Ids of rules: which are the product's own."""

from __future__ import annotations

import re

_OWN = re.compile(r"KT(?:[0-8]|[AP][0-9])[0-9]{2}")


def is_own(rule: str) -> bool:
    """Whether the id is reserved for built-in rules: KT000 to KT899, KTA… for audits and KTP… for preflights."""
    return _OWN.fullmatch(rule) is not None
