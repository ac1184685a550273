"""Numbers, lists, near misses and unprintable text in sentences: the same words in every message."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable
from datetime import timedelta

# Comparing long names takes long, and nobody misspells a page of text.
_LONGEST = 256
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
# Control characters, those that hide text or change its direction, and those that XML cannot hold.
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ud800-\udfff]+")


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 broker`, `1,000 brokers`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def duration_text(duration: timedelta) -> str:
    """`90 seconds`, `2 minutes`: in the largest unit of which there are two."""
    seconds = round(duration.total_seconds())
    name, size = next((unit for unit in _UNITS if seconds >= 2 * unit[1]), _UNITS[-1])
    return counted(seconds // size, name)


def listed(items: Collection[object], most: int = 5) -> str:
    """`a, b and 3 more`."""
    shown = [str(item) for item in items]
    return ", ".join(shown) if len(shown) <= most else f"{', '.join(shown[:most])} and {len(shown) - most:,} more"


def named(names: Collection[str], *, most: int = 5) -> str:
    """`a, b and c`, or `a, b and 3 more`."""
    shown = [*names]
    if len(shown) > most:
        return listed(shown, most)
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1] if shown else ""]))


def nearest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known name that was probably meant, or None when nothing comes close."""
    if len(name) > _LONGEST:
        return None
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=likeness)), None)


def did_you_mean(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """``did you mean `topics`?``, or nothing when no known name comes close."""
    near = nearest(name, known, likeness)
    return f"did you mean `{near}`?" if near else ""


def one_edit_away(name: str, known: Iterable[str]) -> str:
    """``did you mean `KT101`?`` if one known name differs in one character. For ids, which are all alike."""
    near = next((other for other in sorted(known) if _is_one_edit(*sorted((name, other), key=len))), None)
    return f"did you mean `{near}`?" if near else ""


def _is_one_edit(shorter: str, longer: str) -> bool:
    if len(longer) - len(shorter) > 1:
        return False
    at = next((i for i, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    return shorter[at + (len(shorter) == len(longer)) :] == longer[at + 1 :]


def agreeing(number: int, singular: str, plural: str) -> str:
    """The verb that goes with a number: `is` or `are`."""
    return singular if number == 1 else plural


def visible(text: str) -> str:
    """On one line, with a space for whatever could hide, reorder or overwrite the text around it."""
    return text if text.isprintable() else _INVISIBLE.sub(" ", text)


def spelled(text: str) -> str:
    """With the code point, such as U+202E, in place of each character that nobody can see."""
    return "".join(each if each.isprintable() else f"U+{ord(each):04X}" for each in text)


def escaped(text: str) -> str:
    """With escapes such as `\\x1b` for unprintable characters, to show them."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


LONGEST_NAME = 1000  # YAML reads a name up to 1,024 characters, with quotes


def fits_a_line(name: str) -> bool:
    """Whether YAML can read it as a name, with its quotes and what is escaped in them."""
    return len(name) + sum(map(name.count, "\"'\\")) <= LONGEST_NAME
