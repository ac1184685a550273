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


# Stands for a value that could not be read, so that nothing else is said about it: the problem was reported.
BROKEN = object()


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


def overlay(base: Entry, over: Entry, *, stands_at_base: bool = False) -> Entry:
    """`over` wins; mappings are merged, everything else is replaced.

    A merged mapping stands where the more specific layer wrote it. A thing that an environment changes was declared
    below, and stands there: `stands_at_base`.
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


# Fields of a topic that the brokers' defaults fill in, by the brokers' names.
BROKER_COUNTS = {"partitions": "num.partitions", "replication": "default.replication.factor"}


class EntryPlaces:
    """The `place` function of a declared thing; see `model.Places`."""

    __slots__ = ("_broker_defaults", "_entry")

    def __init__(self, entry: Entry, broker_defaults: Entry | None = None) -> None:
        self._entry = entry
        self._broker_defaults = broker_defaults

    def __call__(self, *path: str | int) -> Place:
        """The deepest entry on the path. What nobody wrote is a default, and points at what holds it."""
        entry = self._entry
        for step in path:
            below = _child(entry, step)
            if below is None:
                return self._default(path, entry)
            entry = below
        return entry.place

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
