"""Resolves profiles, and applies them to topics."""

from __future__ import annotations

from ..located.entries import BROKEN, Entry, overlay
from .references import References


class Profiles:
    """Resolves each profile once."""

    def __init__(self, declared: dict[str, Entry], references: References) -> None:
        self._declared = declared
        self._references = references
        self._resolved: dict[str, Entry | None] = {}

    def applied(self, topic: str, entry: Entry) -> Entry | None:
        """A topic with its profile applied; None if that profile cannot be resolved."""
        profile = entry.value.get("profile")
        if profile is None:
            return entry
        base = self._referred(profile, topic)
        return None if base is None else overlay(base, entry)

    def resolved(self, name: str) -> Entry | None:
        """A profile with everything that it extends; None if it cannot be resolved, which is reported once."""
        if name not in self._resolved:
            self._resolve(name)
        return self._resolved[name]

    def _resolve(self, name: str) -> None:
        """Walk up to a profile that is resolved or extends nothing, then apply the chain downwards."""
        chain: dict[str, None] = {}  # ordered, with fast lookups
        base: Entry | None = None
        current: str | None = name
        while current is not None and current not in self._resolved:
            if current in chain:
                self._circle(list(chain), current)
                return
            chain[current] = None
            current = self._extended_by(current)
        for each in reversed(chain):
            entry = self._declared[each]
            extends = entry.value.get("extends") if entry.value is not BROKEN else None
            base = self._referred(extends, each) if extends is not None else None
            if entry.value is BROKEN or (extends is not None and base is None):
                self._resolved[each] = None
            else:
                self._resolved[each] = entry if base is None else overlay(base, entry)

    def _extended_by(self, profile: str) -> str | None:
        entry = self._declared[profile]
        extends = entry.value.get("extends") if entry.value is not BROKEN else None
        name = extends.value if extends is not None else BROKEN
        return name if name in self._declared else None

    def _referred(self, reference: Entry, user: str) -> Entry | None:
        if reference.value is BROKEN:
            return None
        if reference.value in self._declared:
            return self.resolved(reference.value)
        self._references.unknown(
            reference.location, reference.value, user, self._declared, what="profile", section="profiles"
        )
        return None

    def _circle(self, chain: list[str], again: str) -> None:
        circle = chain[chain.index(again) :]
        extends = self._declared[circle[-1]].value["extends"]
        self._references.problem(
            "KT006",
            extends.location,
            circle[-1],
            f"profiles extend each other in a circle: {' -> '.join([*circle, again])}"
            if len(circle) > 1
            else f"profile `{again}` extends itself",
            "remove one `extends`",
        )
        self._resolved.update(dict.fromkeys(chain))
