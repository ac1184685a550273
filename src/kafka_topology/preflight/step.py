"""How a step of a preflight describes itself, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..topology.model.findings import Finding

if TYPE_CHECKING:
    from ..audit.check import Check
    from .facts import Facts


@dataclass(frozen=True, slots=True)
class Looked:
    """What one step found. `said` is its line in the answer; `unread` says what could not be checked, and why."""

    said: str
    findings: tuple[Finding, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """`order` sorts the steps. `asks` is its row in the docs. `checks` are the findings that only a preflight makes.

    `look` returns None if there was nothing to ask. `uses` has the ids of an audit's checks whose findings it takes.
    """

    name: str
    order: int
    asks: str
    look: Callable[[Facts], Looked | None]
    checks: tuple[Check, ...] = ()
    uses: frozenset[str] = frozenset()
    blocks: frozenset[str] = frozenset()  # those of `uses` that are a reason to say no
    judges_files: bool = False  # its findings are judged already, and need no cluster

    @property
    def needs_cluster(self) -> bool:
        return not self.judges_files
