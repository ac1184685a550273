"""The located tree between YAML and the model: decoded values that still know where they were written.

Layers (resource, profile, environment) are merged on this tree, so that each value keeps its own origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .nodes import MappingNode, Node, SequenceNode
from .places import Layer, Location, Place


@dataclass(frozen=True, slots=True)
class Origin:
    """One layer of one file."""

    file: str
    layer: Layer
    name: str = ""


class Entry:
    """A decoded value: a plain one, or a dict or list of entries. `key` is the node of its name, if it has one."""

    __slots__ = ("key", "node", "origin", "value")

    def __init__(self, value: Any, node: Node, origin: Origin, key: Node | None = None) -> None:
        self.value = value
        self.node = node
        self.origin = origin
        self.key = key

    @property
    def location(self) -> Location:
        """The value itself; for a mapping or a block list, which span many lines, the name above it."""
        return node_location(self.node, self.origin.file, self.key)

    @property
    def place(self) -> Place:
        return Place(self.origin.layer, self.location, self.origin.name)


def node_location(node: Node, file: str, key: Node | None = None) -> Location:
    if isinstance(node, MappingNode | SequenceNode) and not node.flow_style:
        if key is not None:
            return node_location(key, file)
        if isinstance(node, MappingNode) and node.value:
            return node_location(node.value[0][0], file)
        if isinstance(node, SequenceNode) and node.value:
            return node_location(node.value[0], file)
    start, end = node.start_mark, node.end_mark
    end_line, end_column = end.line, end.column
    if (end_line, end_column) == (start.line, start.column):
        end_column += 1
    return Location(file, start.line + 1, start.column + 1, end_line + 1, end_column + 1)


# Tables whose parts mean nothing without each other.
ATOMIC = frozenset({"partitioner", "assign", "password"})


def overlay(base: Entry, over: Entry) -> Entry:
    """`over` wins; mappings are merged, everything else is replaced."""
    if type(base.value) is not dict or type(over.value) is not dict:
        return over
    merged = dict(base.value)
    for name, entry in over.value.items():
        below = merged.get(name)
        merged[name] = entry if below is None or name in ATOMIC else overlay(below, entry)
    # The result stands where the more specific layer stands.
    return Entry(merged, over.node, over.origin, over.key)


class EntryPlaces:
    """The `place` function of a declared thing; see `model.Places`."""

    __slots__ = ("_entry", "_fallback")

    def __init__(self, entry: Entry, fallback: Entry | None = None) -> None:
        self._entry = entry
        self._fallback = fallback

    def __call__(self, *path: str | int) -> Place:
        """The deepest entry on the path. What nobody wrote is a default, and points at what holds it."""
        entry = self._entry
        for step in path:
            children = entry.value
            try:
                entry = children[step]
            except (KeyError, IndexError, TypeError):
                return self._default(path, entry)
        return entry.place

    def _default(self, path: tuple[str | int, ...], nearest: Entry) -> Place:
        if self._fallback is not None and path and path[-1] in self._fallback.value:
            inherited: Entry = self._fallback.value[path[-1]]
            return Place(Layer.CLUSTER, inherited.location)
        return Place(Layer.KAFKA if "config" in path else Layer.LANGUAGE, nearest.location)
