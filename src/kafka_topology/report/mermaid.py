"""The changed part of a topology as a Mermaid flowchart, which GitHub and GitLab draw."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.review.changes import Risk
from kafka_topology.review.graph import ChangedGraph, Node

from .escaping import mermaid_label

MOST_NODES = 60
_SHAPES = {"topic": ('[("', '")]'), "producer": ('["', '"]'), "group": ('(["', '"])'), "streams": ('{{"', '"}}')}
_CLASSES = {
    Risk.DESTRUCTIVE: "destructive",
    Risk.BREAKING: "breaking",
    Risk.CARE: "care",
    Risk.SAFE: "safe",
    None: "same",
}
# Dark text on light fills, which reads in the light and in the dark.
_STYLES = (
    "classDef destructive fill:#ffb3b3,stroke:#a40000,color:#1a1a1a,stroke-width:3px",
    "classDef breaking fill:#ffd6b0,stroke:#b34700,color:#1a1a1a,stroke-width:2px",
    "classDef care fill:#fff3b0,stroke:#8a6d00,color:#1a1a1a",
    "classDef safe fill:#c9f0c9,stroke:#1e7a1e,color:#1a1a1a",
    "classDef same fill:#eeeeee,stroke:#888888,color:#1a1a1a",
)
_SIGNS = {"add": "+ ", "remove": "- ", "change": "~ "}


def flowchart(graph: ChangedGraph) -> tuple[str, int]:
    """The chart, and how many nodes are left out of it. The worst come first, neighbours last."""
    ordered = sorted(graph.nodes, key=lambda node: -(node.risk.rank + 1 if node.risk is not None else 0))
    shown = ordered[:MOST_NODES]
    names: dict[tuple[str, str], str] = {(node.kind, node.name): f"n{number}" for number, node in enumerate(shown)}
    lines = ["flowchart LR", *(f"  {_node(names, node)}" for node in shown), *_edges(graph, names)]
    lines += [f"  {style}" for style in _STYLES]
    return "\n".join(lines), len(ordered) - len(shown)


def _node(names: dict[tuple[str, str], str], node: Node) -> str:
    opening, closing = _SHAPES[node.kind]
    sign = _SIGNS[node.action] if node.action is not None else ""
    label = f"{sign}{mermaid_label(node.name)}"
    return f"{names[node.kind, node.name]}{opening}{label}{closing}:::{_CLASSES[node.risk]}"


def _edges(graph: ChangedGraph, names: dict[tuple[str, str], str]) -> Iterator[str]:
    arrows = {None: "-->", "add": "-- new -->", "remove": "-. gone .->"}
    for edge in graph.edges:
        if edge.source in names and edge.target in names:
            yield f"  {names[edge.source]} {arrows[edge.action]} {names[edge.target]}"
