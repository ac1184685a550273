"""Nodes and edges, as plain values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["producer", "topic", "group", "shareGroup", "streams"]
Verb = Literal["writes", "reads"]

TITLES: dict[Kind, str] = {
    "producer": "producer",
    "topic": "topic",
    "group": "consumer group",
    "shareGroup": "share group",
    "streams": "streams application",
}


@dataclass(frozen=True, slots=True)
class Node:
    """`external`: a topic outside the ownership that others declare."""

    kind: Kind
    name: str
    owner: str | None = None
    public: bool = False
    external: bool = False
    note: str = ""  # a few words more, such as the number of partitions
    id: str = field(init=False)  # stable across versions of the file, for links

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", resource_id(self.kind, self.name))

    @property
    def title(self) -> str:
        return f"{TITLES[self.kind]} {self.name}"

    @property
    def variant(self) -> str:
        """How it is coloured: a topic by who may use it, everything else by its kind."""
        if self.kind != "topic":
            return self.kind
        if self.external:
            return "external"
        return "public" if self.public else "private"

    @property
    def team(self) -> str:
        return "external" if self.external else self.owner or "no owner"


@dataclass(frozen=True, slots=True)
class Edge:
    """In the direction of the data: writer to topic, topic to reader. Ends are node ids."""

    source: str
    target: str
    verb: Verb


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes and edges in a fixed order, each once."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def part(self, ids: set[str]) -> Graph:
        """These nodes, and the edges between them."""
        return Graph(
            tuple(node for node in self.nodes if node.id in ids),
            tuple(edge for edge in self.edges if edge.source in ids and edge.target in ids),
        )

    def degrees(self) -> dict[str, int]:
        counted = {node.id: 0 for node in self.nodes}
        for edge in self.edges:
            counted[edge.source] += 1
            counted[edge.target] += 1
        return counted

    def most_connected(self, count: int) -> Graph:
        """The whole graph if it is small enough, else its busiest nodes with their neighbours."""
        if len(self.nodes) <= count:
            return self
        near: dict[str, list[str]] = {}
        for edge in self.edges:
            near.setdefault(edge.source, []).append(edge.target)
            near.setdefault(edge.target, []).append(edge.source)
        degrees = self.degrees()
        chosen: dict[str, None] = {}
        for node in sorted(self.nodes, key=lambda node: -degrees[node.id]):
            # With neighbours, because nodes without edges show nothing.
            chosen.update(dict.fromkeys((node.id, *near.get(node.id, ()))))
            if len(chosen) >= count:
                break
        return self.part(set(list(chosen)[:count]))


def resource_id(kind: str, name: str) -> str:
    return f"{kind}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
