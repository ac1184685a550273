"""In which order the language declares what a mapping holds."""

from __future__ import annotations

from typing import Any

from .alternatives import OneOf
from .structures import ListOf, MapOf, Record
from .written import Written


def part(kind: Any, node: Written, name: str = "") -> Any:
    """What the language says about a child: of a record by its name, of a map or list whatever it is."""
    if isinstance(kind, OneOf):
        kind = kind.collection
    if isinstance(kind, Record) and node.kind == "map":
        field = kind.by_name.get(name)
        return field.kind if field is not None else None
    return kind.item if isinstance(kind, MapOf | ListOf) else None


def language_order(kind: Any, node: Written) -> list[int]:
    """The positions of a mapping's entries in the order of the language; as they are where there is none."""
    pairs = node.pairs
    as_is = list(range(len(pairs)))
    if isinstance(kind, OneOf):
        kind = kind.collection
    if not isinstance(kind, Record):
        return as_is
    ranks = {"<<": -1} | {name: rank for rank, name in enumerate(kind.by_name)}
    order = sorted(as_is, key=lambda position: ranks.get(pairs[position][0].text, len(ranks)))
    return order if _anchors_come_first(pairs, order) else as_is


def _anchors_come_first(pairs: list[tuple[Written, Written]], order: list[int]) -> bool:
    known: set[str] = set()
    inside = {node.anchor for key, value in pairs for each in (key, value) for node in each.walk() if node.anchor}
    for position in order:
        for each in pairs[position]:
            for node in each.walk():
                if node.anchor is not None:
                    if node.anchor in known:
                        return False  # one name for two anchors: the order decides which is meant
                    known.add(node.anchor)
                elif node.kind == "alias" and node.text in inside and node.text not in known:
                    return False
    return True
