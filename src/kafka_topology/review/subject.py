"""How a subject of a review describes itself: the sections that it judges, and what its changes are called."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .changes import Change
from .versions import Versions


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """`sections` are the attributes of `Topology` that it judges. What nobody judges is an unclassified change.

    `kinds` are the values of `Change.kind` that it uses. `order` sorts the subjects in the JSON Schema.
    """

    order: int
    kinds: tuple[str, ...]
    sections: tuple[str, ...]
    changes: Callable[[Versions], Iterable[Change]]
