"""Nodes and edges, as plain values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["producer", "topic", "group", "streams"]
Verb = Literal["writes", "reads"]

TITLES: dict[Kind, str] = {
    "producer": "producer",
    "topic": "topic",
    "group": "consumer group",
    "streams": "streams application",
}


@dataclass(frozen=True, slots=True)
class Node:
    """`external`: a topic that others declare, outside the ownership of this topology."""

    kind: Kind
    name: str
    owner: str | None = None
    public: bool = False
    external: bool = False
    note: str = ""  # a few words more, such as the number of partitions
    id: str = field(init=False)  # the same for every version of the file, so that it can be linked to

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", resource_id(self.kind, self.name))

    @property
    def title(self) -> str:
        return f"{TITLES[self.kind]} {self.name}"

    @property
    def team(self) -> str:
        return "external" if self.external else self.owner or "no owner"


@dataclass(frozen=True, slots=True)
class Edge:
    """In the direction of the data: from a writer to its topic, from a topic to its reader. Ends are node ids."""

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
        """The graph itself when it is small enough, and else its busiest nodes."""
        if len(self.nodes) <= count:
            return self
        degrees = self.degrees()
        order = sorted(self.nodes, key=lambda node: -degrees[node.id])
        return self.part({node.id for node in order[:count]})


def resource_id(kind: str, name: str) -> str:
    return f"{kind}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
