"""The located tree between YAML and the model: decoded values that know their file, line and column.

Layers (resource, profile, environment) are merged on this tree, so each value keeps its origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..model.places import Layer, Location, Place
from .nodes import MappingNode, Node, SequenceNode


@dataclass(frozen=True, slots=True)
class Origin:
    """One layer of one file."""

    file: str
    layer: Layer
    name: str = ""


# A value that could not be read. It was reported, so report nothing else about it.
BROKEN = object()


class Entry:
    """A decoded value: a scalar, or a dict or list of entries. `key` is the node of its name, if any."""

    __slots__ = ("key", "node", "origin", "value")

    def __init__(self, value: Any, node: Node, origin: Origin, key: Node | None = None) -> None:
        self.value = value
        self.node = node
        self.origin = origin
        self.key = key

    @property
    def location(self) -> Location:
        """The value; for a mapping or a block list, which span many lines, its name."""
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


# Tables that are replaced as a whole, because their parts belong together.
ATOMIC = frozenset({"partitioner", "assign", "password"})


def overlay(base: Entry, over: Entry, *, stands_at_base: bool = False) -> Entry:
    """Merge mappings; otherwise `over` wins.

    A merged mapping is located where the more specific layer wrote it. With `stands_at_base` it stays where it was
    declared, as a resource does that an environment changes.
    """
    if type(base.value) is not dict or type(over.value) is not dict:
        return over
    merged = dict(base.value)
    for name, entry in over.value.items():
        below = merged.get(name)
        if below is None or name in ATOMIC:
            merged[name] = entry
        else:
            merged[name] = overlay(below, entry, stands_at_base=stands_at_base)
    at = base if stands_at_base else over
    return Entry(merged, at.node, at.origin, at.key)


# Fields of a topic with a default on the brokers, and the brokers' names for them.
BROKER_COUNTS = {"partitions": "num.partitions", "replication": "default.replication.factor"}


class EntryPlaces:
    """The `place` function of a declared resource; see `model.Places`."""

    __slots__ = ("_broker_defaults", "_entry")

    def __init__(self, entry: Entry, broker_defaults: Entry | None = None) -> None:
        self._entry = entry
        self._broker_defaults = broker_defaults

    def __call__(self, *path: str | int) -> Place:
        """The deepest entry on the path. A value that nobody wrote is a default, located at its parent."""
        entry = self._entry
        for step in path:
            below = _child(entry, step)
            if below is None:
                return self._default(path, entry)
            entry = below
        return entry.place

    def name(self, *path: str | int) -> Place:
        """Where the name of the value is written. Without one, the place of the value."""
        entry: Entry | None = self._entry
        for step in path:
            entry = _child(entry, step) if entry is not None else None
        if entry is None or entry.key is None:
            return self(*path)
        return Place(entry.origin.layer, node_location(entry.key, entry.origin.file), entry.origin.name)

    def _default(self, path: tuple[str | int, ...], nearest: Entry) -> Place:
        inherited = self._inherited(path)
        if inherited is not None:
            return Place(Layer.CLUSTER, inherited.location)
        return Place(Layer.KAFKA if "config" in path else Layer.LANGUAGE, nearest.location)

    def _inherited(self, path: tuple[str | int, ...]) -> Entry | None:
        if self._broker_defaults is None:
            return None
        match path:
            case ("config", str(name)):
                return _child(self._broker_defaults, name)
            case (str(name),) if name in BROKER_COUNTS:
                return _child(self._broker_defaults, BROKER_COUNTS[name])
        return None


def _child(entry: Entry, step: str | int) -> Entry | None:
    children = entry.value
    if type(children) is dict:
        return children.get(step)
    if type(children) is list and type(step) is int and 0 <= step < len(children):
        child: Entry = children[step]
        return child
    return None
