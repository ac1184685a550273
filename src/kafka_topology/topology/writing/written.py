"""A YAML text as it is written: every node with its place, its style, its anchor; aliases stay aliases.

The loader reads what a text means; this is for moving parts of it around.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import yaml


@dataclass(frozen=True, slots=True)
class Point:
    line: int
    column: int
    index: int


@dataclass(slots=True)
class Written:
    """One node. The children of a mapping are its keys and values in turn."""

    kind: Literal["scalar", "alias", "map", "list"]
    start: Point
    end: Point
    text: str = ""  # a scalar's value, an alias's name
    style: str | None = None
    tag: str | None = None
    anchor: str | None = None
    flow: bool = False
    children: list[Written] = field(default_factory=list)

    @property
    def is_block(self) -> bool:
        return self.kind in ("map", "list") and not self.flow

    @property
    def pairs(self) -> list[tuple[Written, Written]]:
        return list(zip(self.children[::2], self.children[1::2], strict=True))

    def walk(self) -> Iterator[Written]:
        yield self
        for child in self.children:
            yield from child.walk()


def parse(text: str) -> Written | None:
    """The root node of a text that `nodes.compose` accepts; None if it holds no document."""
    open_nodes: list[Written] = []
    root: Written | None = None
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionEndEvent):
            open_nodes.pop().end = _point(event.end_mark)
            continue
        node = _node(event)
        if node is None:
            continue
        if open_nodes:
            open_nodes[-1].children.append(node)
        else:
            root = node
        if isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append(node)
    return root


def meaning(node: Written) -> Any:
    """The meaning of a text and how each value is written, regardless of order and layout."""
    inner: Any = node.text
    if node.kind == "map":
        inner = sorted(((meaning(key), meaning(value)) for key, value in node.pairs), key=repr)
    elif node.kind == "list":
        inner = [meaning(child) for child in node.children]
    return (node.kind, node.style, node.tag, node.anchor, node.flow, inner)


def _point(mark: Any) -> Point:
    return Point(mark.line, mark.column, mark.index)


def _node(event: Any) -> Written | None:
    start, end = _point(event.start_mark), _point(event.end_mark)
    if isinstance(event, yaml.AliasEvent):
        return Written("alias", start, end, str(event.anchor))
    if isinstance(event, yaml.ScalarEvent):
        return Written("scalar", start, end, event.value, event.style or None, event.tag, event.anchor)
    if isinstance(event, yaml.CollectionStartEvent):
        kind: Literal["map", "list"] = "map" if isinstance(event, yaml.MappingStartEvent) else "list"
        return Written(kind, start, end, "", None, event.tag, event.anchor, bool(event.flow_style))
    return None
