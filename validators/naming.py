"""Names of rules: whose they are, and which are nearly right."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_OWN = re.compile(r"KT(?:[0-8]|A[0-9])[0-9]{2}")


def is_own(rule: str) -> bool:
    """Whether the id is one of the product's: KT000 to KT899, and KTA000 to KTA999 for what an audit finds."""
    return _OWN.fullmatch(rule) is not None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question with the nearest known name; empty when none is near."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else ""
