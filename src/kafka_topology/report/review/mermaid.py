"""The changed part of a topology as a Mermaid flowchart, which GitHub and GitLab draw."""

from __future__ import annotations

from kafka_topology.graph.mermaid import Box, Frame, flowchart
from kafka_topology.review.changes import Risk
from kafka_topology.review.graph import ChangedGraph, Node

MOST_NODES = 60
_CLASSES = {
    Risk.DESTRUCTIVE: "destructive",
    Risk.BREAKING: "breaking",
    Risk.CARE: "care",
    Risk.SAFE: "safe",
    None: "same",
}
# Dark text on light fills is readable in light and dark mode.
_STYLES = (
    "classDef destructive fill:#ffb3b3,stroke:#a40000,color:#1a1a1a,stroke-width:3px",
    "classDef breaking fill:#ffd6b0,stroke:#b34700,color:#1a1a1a,stroke-width:2px",
    "classDef care fill:#fff3b0,stroke:#8a6d00,color:#1a1a1a",
    "classDef safe fill:#c9f0c9,stroke:#1e7a1e,color:#1a1a1a",
    "classDef same fill:#eeeeee,stroke:#888888,color:#1a1a1a",
)
_ARROWS = {None: "-->", "add": "-- new -->", "remove": "-. gone .->"}
_SIGNS = {"add": "+ ", "remove": "- ", "change": "~ "}


def changed_flowchart(graph: ChangedGraph) -> tuple[str, int]:
    """The chart, and the number of nodes left out. The riskiest come first, neighbours last."""
    ordered = sorted(graph.nodes, key=lambda node: -(node.risk.rank + 1 if node.risk is not None else 0))
    shown = Frame(tuple(_box(node) for node in ordered[:MOST_NODES]))
    arrows = ((edge.source, _ARROWS[edge.action], edge.target) for edge in graph.edges)
    return flowchart([shown], arrows, _STYLES), len(ordered) - len(shown.boxes)


def _box(node: Node) -> Box:
    sign = _SIGNS.get(node.action or "", "")
    return Box((node.kind, node.name), node.kind, node.name, _CLASSES[node.risk], sign)
