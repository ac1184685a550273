"""Numbers, lists, near misses and unprintable text in sentences: the same words in every message."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta

# Comparing long names takes long, and nobody misspells a page of text.
_LONGEST = 256
# Products of lengths: 500 names against 30 fields of 10 characters. Nobody misspells more.
_MOST_EFFORT = 3_000_000
_MOST_EFFORT_TO_DECIDE = 20_000_000
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
# Control characters, those that hide text or change its direction, and those that XML cannot hold.
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ud800-\udfff]+")

# What a terminal obeys, and marks that reorder text. Not joiners, which emoji are made of.
_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
# Commands for the runner of a job: `##[…]` anywhere, and `::…` at the start of a line, except for annotations.
_RUNNER = re.compile(r"#(?=#(?:vso)?\[)|^[ \t]*:(?=:(?!(?:error|warning|notice)[ :]))", re.MULTILINE)


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
    """The known name that was probably meant, or None when nothing comes close, or too much was compared already."""
    guesses = _GUESSES.get()
    if len(name) > _LONGEST or guesses.left < 0:
        return None
    names = tuple(known)
    effort = sum(map(len, names)) * len(name)
    return guesses.once((name, names, likeness), effort, lambda: next(iter(_close(name, names, likeness)), None))


class TooManyNames(Exception):
    """So many unknown names were compared that more would take minutes. A rule that needs it is not checked."""

    def __init__(self) -> None:
        super().__init__("too many names are unknown to compare each with all known ones")


def meant(name: str, known: Collection[str], likeness: float = 0.75) -> str | None:
    """As `nearest`, where the answer decides something: raises TooManyNames instead of not comparing."""
    possible = tuple(each for each in known if 2 * min(len(each), len(name)) >= likeness * (len(each) + len(name)))
    if len(name) > LONGEST_NAME:
        return None
    guesses = _GUESSES.get()
    asked = (name, possible, likeness)
    if asked not in guesses.found:
        guesses.found[asked] = guesses.decided(name, possible, likeness)
    return guesses.found[asked]


def comes_close(name: str, known: Sequence[str], likeness: float = 0.6) -> bool:
    """Whether it may be one of a few known names, misspelt. Always compared, for decisions about secrets."""
    return len(name) <= _LONGEST and bool(_close(name, known, likeness))


def _close(name: str, known: Sequence[str], likeness: float) -> list[str]:
    return difflib.get_close_matches(name, known, n=1, cutoff=likeness)


@dataclass(slots=True)
class _Guesses:
    """What was compared so far. The effort is limited, so that thousands of unknown names do not take minutes."""

    left: int = _MOST_EFFORT
    left_to_decide: int = _MOST_EFFORT_TO_DECIDE
    found: dict[Hashable, str | None] = field(default_factory=dict)

    def once(self, asked: Hashable, effort: int, guess: Callable[[], str | None]) -> str | None:
        if asked not in self.found:
            self.left -= effort
            if self.left < 0:
                return None
            self.found[asked] = guess()
        return self.found[asked]

    def decided(self, name: str, known: Sequence[str], likeness: float) -> str | None:
        self.left_to_decide -= sum(map(len, known)) * len(name)
        if self.left_to_decide < 0:
            raise TooManyNames
        return next(iter(_close(name, known, likeness)), None)


_GUESSES: ContextVar[_Guesses] = ContextVar("guesses", default=_Guesses())  # noqa: B039 - replaced by each load


def fresh_guesses() -> None:
    """Start to count the effort of guesses again. Each load of a topology does."""
    _GUESSES.set(_Guesses())


def did_you_mean(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """``did you mean `topics`?``, or nothing when no known name comes close."""
    near = nearest(name, known, likeness)
    return f"did you mean `{near}`?" if near else ""


def one_edit_away(name: str, known: Iterable[str]) -> str:
    """``did you mean `KT101`?`` if one known name differs in one character. For ids, which are all alike."""
    guesses = _GUESSES.get()
    if len(name) > _LONGEST or guesses.left < 0:
        return ""
    names = tuple(known)
    near = guesses.once(
        (name, names),
        sum(map(len, names)),
        lambda: next((other for other in sorted(names) if _is_one_edit(*sorted((name, other), key=len))), None),
    )
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


def printable(text: str) -> str:
    """Lines that no terminal obeys: with escapes such as `\\u001b`, which are the same text in JSON."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def without_commands(text: str) -> str:
    """Lines that the runner of a job does not obey, except for annotations (`::error …`)."""
    return _RUNNER.sub(lambda found: f"{found[0][:-1]}\\u{ord(found[0][-1]):04x}", text)


def spelled(text: str) -> str:
    """With the code point, such as U+202E, in place of each character that nobody can see."""
    return "".join(each if each.isprintable() else f"U+{ord(each):04X}" for each in text)


def escaped(text: str) -> str:
    """On one line, with escapes such as `\\n` and `\\x1b` for unprintable characters, so that you can find the name."""
    return text if text.isprintable() else "".join(each if each.isprintable() else _escape(each) for each in text)


def quoted(name: str) -> str:
    """A name in a sentence, where its end would not be clear otherwise. In double quotes if it has single ones."""
    mark = '"' if "'" in name and '"' not in name else "'"
    return f"{mark}{escaped(name)}{mark}"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


LONGEST_NAME = 1000  # YAML reads a name up to 1,024 characters, with quotes


def fits_a_line(name: str) -> bool:
    """Whether YAML can read it as a name, with its quotes and what is escaped in them."""
    return len(name) + sum(map(name.count, "\"'\\")) <= LONGEST_NAME
