"""The order in which the language declares the fields of a mapping."""

from __future__ import annotations

from typing import Any

from ..language.alternatives import OneOf
from ..language.structures import ListOf, MapOf, Structure, is_extension
from .written import Written


def part(kind: Any, node: Written, name: str = "") -> Any:
    """The kind of a child: of a structure by name, of a map or list always the same."""
    if isinstance(kind, OneOf):
        kind = kind.collection
    if isinstance(kind, Structure) and node.kind == "map":
        field = kind.by_name.get(name)
        return field.kind if field is not None else None
    return kind.item if isinstance(kind, MapOf | ListOf) else None


def language_order(kind: Any, node: Written) -> list[int]:
    """The positions of a mapping's entries in the order of the language, if it has one."""
    pairs = node.pairs
    as_is = list(range(len(pairs)))
    if isinstance(kind, OneOf):
        kind = kind.collection
    if not isinstance(kind, Structure):
        return as_is
    ranks = {"<<": -1.0} | {name: float(rank) for rank, name in enumerate(kind.by_name)}

    def rank(position: int) -> float:
        name = pairs[position][0].text
        # Anchors must come before what uses them, and `version` opens every file.
        return 0.5 if kind.has_extensions and is_extension(name) else ranks.get(name, len(ranks))

    order = sorted(as_is, key=rank)
    return order if _anchors_come_first(pairs, order) else as_is


def _anchors_come_first(pairs: list[tuple[Written, Written]], order: list[int]) -> bool:
    known: set[str] = set()
    inside = {node.anchor for key, value in pairs for each in (key, value) for node in each.walk() if node.anchor}
    for position in order:
        for each in pairs[position]:
            for node in each.walk():
                if node.anchor is not None:
                    if node.anchor in known:
                        return False  # two anchors with one name: their order matters
                    known.add(node.anchor)
                elif node.kind == "alias" and node.text in inside and node.text not in known:
                    return False
    return True
