"""One change between two versions of a topology: its risk, the reason, and its effects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Literal

from ..topology.model.places import Location
from .causes import Cause

Action = Literal["add", "change", "remove", "rename"]
UNJUDGED = "section"
"""The kind of a change in a section that no subject judges."""
EffectKind = Literal["keys", "bytes", "data", "disk", "access", "stall", "client", "live"]


class Risk(StrEnum):
    """How much can go wrong, and whether it can be undone."""

    SAFE = "safe"
    CARE = "needs care"
    BREAKING = "breaking"
    DESTRUCTIVE = "destructive"

    @property
    def rank(self) -> int:
        """Higher is worse."""
        return _RANK[self]

    @property
    def meaning(self) -> str:
        return _MEANING[self]


_RANK = {risk: rank for rank, risk in enumerate(Risk)}
_MEANING = {
    Risk.SAFE: "nobody has to act",
    Risk.CARE: "it works, but costs something, weakens a promise or needs somebody to act",
    Risk.BREAKING: "a client or reader stops working, or an order no longer holds",
    Risk.DESTRUCTIVE: "records or offsets are lost and cannot be restored",
}


def short_digest(*parts: str) -> str:
    """Stands for content that is too long for the name of a change."""
    return sha256("\0".join(parts).encode()).hexdigest()[:12]


def worst(risks: Iterable[Risk]) -> Risk:
    return max(risks, key=lambda risk: risk.rank, default=Risk.SAFE)


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect of a change, as a sentence without a full stop.

    `total` is the sentence for several of them, with `{size}`, the sum of their bytes, or `{who}`, all that are named.
    """

    kind: EffectKind
    text: str
    total: str = ""
    size: float | None = None
    who: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """`path` is the changed field as files spell it, or empty if the whole resource was added or removed."""

    kind: str
    name: str
    action: Action
    risk: Risk
    reason: str
    path: str = ""
    before: str | None = None
    after: str | None = None
    team: str | None = None
    effects: tuple[Effect, ...] = ()
    rules: tuple[str, ...] = ()  # the change rules with a finding about it
    found: tuple[tuple[str, str, str], ...] = field(
        default=(), compare=False
    )  # their findings, by id, resource and message
    reached: Mapping[str, object] | None = field(
        default=None, compare=False
    )  # of access: the evidence that a rule gives for it
    location: Location | None = field(default=None, compare=False)
    was_at: Location | None = field(default=None, compare=False)  # in the earlier version
    lost_at: Location | None = field(default=None, compare=False)  # of what is gone: the nearest line that is left
    after_place: Location | None = field(default=None, compare=False)  # where the new value is written, if elsewhere
    concerns: tuple[tuple[str, str], ...] = field(
        default=(), compare=False
    )  # owners, each with what it has to do with it
    cause: Cause | None = field(default=None, compare=False)  # what else in the files changed it
    unchecked: tuple[str, ...] = field(default=(), compare=False)  # what nobody could judge about it
    is_without_effect: bool = field(default=False, compare=False)  # the value counts for nothing on this resource

    @property
    def title(self) -> str:
        return f"{self.kind} {self.name}"

    @property
    def same(self) -> tuple[str, ...]:
        """What it is, whatever its effects are: environments may have it with other sizes."""
        return (self.kind, self.name, self.action, self.path, self.before or "", self.after or "", self.what)

    @property
    def names(self) -> tuple[str, ...]:
        """The resource's name; of a renamed one both."""
        return (self.name, self.before) if self.action == "rename" and self.before is not None else (self.name,)

    @property
    def what(self) -> str:
        """The change itself, in a few words."""
        if self.kind == "access" and self.effects:
            return self.effects[0].text
        if self.action == "rename":
            return f"renamed from {self.before}"
        if self.action == "add" and not self.path:
            return "new"
        if self.action == "remove" and not self.path:
            return "removed"
        before = self.before if self.before is not None else "not set"
        after = self.after if self.after is not None else "not set"
        return f"{self.path}: {before} → {after}" if self.path else f"{before} → {after}"

    @property
    def further_effects(self) -> tuple[Effect, ...]:
        """The effects that `what` does not state already."""
        return self.effects[1:] if self.kind == "access" else self.effects

    @property
    def sort_key(self) -> tuple[str, int, str, str, str]:
        return (self.team or "\uffff", -self.risk.rank, self.kind, self.name, self.path)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one changed field is judged."""

    risk: Risk
    reason: str
    effects: tuple[Effect, ...] = ()
    unchecked: tuple[str, ...] = ()  # what could not be judged, although something is promised
    is_without_effect: bool = False


def unclassified() -> Verdict:
    """For a field that nobody has classified yet."""
    return care("unclassified field; review it manually")


def unclassified_section() -> Verdict:
    """For a section that nobody has classified yet."""
    return care("unclassified section; review it manually")


def safe(reason: str, *effects: Effect) -> Verdict:
    return Verdict(Risk.SAFE, reason, effects)


def without_effect(reason: str) -> Verdict:
    """For a value that counts for nothing on this resource, whatever it is."""
    return Verdict(Risk.SAFE, reason, is_without_effect=True)


def care(reason: str, *effects: Effect) -> Verdict:
    return Verdict(Risk.CARE, reason, effects)


def breaking(reason: str, *effects: Effect) -> Verdict:
    return Verdict(Risk.BREAKING, reason, effects)


def destructive(reason: str, *effects: Effect) -> Verdict:
    return Verdict(Risk.DESTRUCTIVE, reason, effects)
