"""Quotas as a cluster has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


DEFAULT: Final = "default"


@dataclass(frozen=True, slots=True)
class Entity:
    """The user or client that a quota limits. `default` means everyone without a quota of their own."""

    user: str | None = None
    client_id: str | None = None

    @property
    def id(self) -> str:
        named = (("user", self.user), ("client-id", self.client_id))
        return ",".join(f"{kind}={name}" for kind, name in named if name is not None)

    def __str__(self) -> str:
        return f"the quota of {self.id}"


@dataclass(frozen=True, slots=True)
class QuotaChange:
    set: Mapping[str, float] = field(default_factory=dict)
    removed: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.set or self.removed)
