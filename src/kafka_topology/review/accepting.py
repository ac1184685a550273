"""Risks that the files accept: which changes they name, until when, and the entries that accept nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from ..topology.kafka.secrets import MASK
from ..topology.model.declared import Acceptance
from ..topology.model.findings import Finding, Severity
from ..topology.model.words import did_you_mean
from .changes import Change, Risk, short_digest
from .grouping.rows import Row

EXPIRED = "acceptance-expired"
UNMATCHED = "acceptance-unmatched"
_CHANGE_FIX = 'write `change: "{}"`'


def acceptable(row: Row) -> str:
    """The change of a row as `accept` names it: what changes from which value to which, without its reach."""
    change = row.head.change
    if row.cause is not None and row.cause.text:
        # Another profile brings what it holds now: the names of both do not say it.
        return f"{row.title} {row.cause.text} ({_digest_of(row)})"
    if row.cause is not None and row.cause.kind == "kafka":
        return f"{row.title} inherited settings ({_digest_of(row)})"
    if change.kind == "access":
        return f"{change.title} {change.path}: {change.before or 'none'} → {change.after or 'none'}"
    return f"{row.title} {change.what}"


def _digest_of(row: Row) -> str:
    """Of the settings and values that the name of a row leaves out."""
    held = {
        (each.change.title, each.change.path, each.change.before or "", each.change.after or "") for each in row.members
    }
    return short_digest(*(part for change in sorted(held) for part in change))


def _hides_values(row: Row) -> bool:
    """Whether the name of the row shows masks instead of values, so that it fits other changes as well."""
    return any(MASK in (each.change.before or "") + (each.change.after or "") for each in row.members)


def _same(words: str) -> str:
    """How two names of a change are compared: spaces and the form of the arrow do not count."""
    return " ".join(words.replace("->", "→").split())


@dataclass(frozen=True)  # without slots, which cached properties need
class Accepting:
    """The acceptances of the new version, held against the rows of a review on a day.

    An entry counts through its last day, whether it is new or the earlier version has it: then it may have been agreed
    before. It names one change with its values, or a digest of them, so it cannot accept another one. Secrets are never
    shown, so an entry that names one counts only in the change that adds it.
    """

    rows: Sequence[Row]
    entries: tuple[Acceptance, ...]
    earlier: tuple[Acceptance, ...] = ()
    today: date = date.max  # nothing is accepted if nobody says which day it is

    @cached_property
    def _named(self) -> dict[str, Row]:
        return {_same(acceptable(row)): row for row in self.rows if row.risk is not Risk.SAFE}

    @cached_property
    def _accepted(self) -> dict[str, Acceptance]:
        """By the words of the change. Of several entries the one that holds longest counts."""
        valid = (entry for entry in self.entries if self.today <= entry.until)
        return {_same(entry.change): entry for entry in sorted(valid, key=lambda entry: entry.until)}

    def of(self, row: Row) -> Acceptance | None:
        if not self.entries or row.risk is Risk.SAFE:
            return None
        entry = self._accepted.get(_same(acceptable(row)))
        return None if entry is not None and self._is_used_up(entry, row) else entry

    def _is_used_up(self, entry: Acceptance, row: Row) -> bool:
        return self.is_earlier(entry) and _hides_values(row)

    @cached_property
    def findings_accepted(self) -> dict[tuple[str, str, str], Acceptance]:
        """Findings of the change rules by id, resource and message, if every change they are about is accepted."""
        found: dict[tuple[str, str, str], Acceptance | None] = {}
        if not self._accepted:
            return {}
        for row in self.rows:
            accepted = self.of(row)
            for key in _findings_about(each.change for each in row.members):
                found[key] = accepted if key not in found or found[key] is not None else None
        return {key: accepted for key, accepted in found.items() if accepted is not None}

    def is_earlier(self, entry: Acceptance) -> bool:
        """Whether the earlier version has the entry already."""
        return entry in self.earlier

    def new_findings(self) -> Iterator[Finding]:
        """Entries that accept nothing although somebody may rely on them."""
        for entry in self.entries:
            row = self._named.get(_same(entry.change))
            if row is not None and self.today > entry.until:
                yield _finding(
                    EXPIRED,
                    entry,
                    f"{entry.change}: it was accepted until {entry.until}, and today is {self.today}; the change"
                    " counts again",
                    "ask its owner again and write a later day, or take the change back",
                )
            elif row is not None and self._is_used_up(entry, row):
                yield _finding(
                    UNMATCHED,
                    entry,
                    f"{entry.change}: the entry is from an earlier change, and secrets are not shown, so it does not"
                    " accept this one",
                    "ask the owner again, and write an entry with a reason of its own",
                )
            elif row is None and not self.is_earlier(entry):
                yield _finding(
                    UNMATCHED,
                    entry,
                    f"{entry.change}: nothing changes with a risk under this name, so the entry accepts nothing",
                    self._nearest(entry),
                )

    def known_findings(self) -> Iterator[Finding]:
        """Entries of the earlier version that are over."""
        for entry in self.entries:
            if self.is_earlier(entry) and self.today > entry.until and _same(entry.change) not in self._named:
                message = f"{entry.change}: it was accepted until {entry.until}, and the entry accepts nothing now"
                yield _finding(EXPIRED, entry, message, "remove the entry", Severity.ADVICE)

    def _nearest(self, entry: Acceptance) -> str:
        names = [acceptable(row) for row in self._named.values()]
        if len(names) == 1:
            return _CHANGE_FIX.format(names[0])
        return did_you_mean(_same(entry.change), names) or "copy the name of the change from the review, or remove it"


def _findings_about(changes: Iterable[Change]) -> Iterator[tuple[str, str, str]]:
    for change in changes:
        yield from change.found


def _finding(rule: str, entry: Acceptance, message: str, fix: str, severity: Severity = Severity.WARNING) -> Finding:
    return Finding(rule, severity, message, entry.place("change").location, "", fix)


def accepted_words(entry: Acceptance) -> str:
    """`accepted until 2026-12-31: readers are stateless (SHOP-17)`."""
    ticket = f" ({entry.ticket})" if entry.ticket is not None else ""
    return f"accepted until {entry.until}: {entry.reason}{ticket}"
