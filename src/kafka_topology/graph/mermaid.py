"""The graph as a Mermaid flowchart, which GitHub and GitLab draw: a box for each team."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .model import Graph, Node
from .words import plain, shortened

# What Mermaid draws unless it is set up otherwise, and nobody can set up GitHub's.
MAX_EDGES = 500
MAX_CHARACTERS = 50_000
_LONGEST = 60
_PLAIN = re.compile(r"[A-Za-z0-9 .,:/…-]")
_SHAPES = {"topic": ('[("', '")]'), "producer": ('["', '"]'), "group": ('(["', '"])'), "streams": ('{{"', '"}}')}
# Dark text on light fills, which reads in the light and in the dark.
_STYLES = (
    "classDef producer fill:#e3e8f4,stroke:#51618c,color:#1a1a1a",
    "classDef public fill:#bfe3d0,stroke:#1d6b45,color:#1a1a1a,stroke-width:2px",
    "classDef private fill:#e8f4ed,stroke:#5d8a72,color:#1a1a1a",
    "classDef external fill:#f3f3f3,stroke:#777777,color:#1a1a1a,stroke-dasharray:5 4",
    "classDef group fill:#fdeccf,stroke:#94661a,color:#1a1a1a",
    "classDef streams fill:#eadcf5,stroke:#6f4696,color:#1a1a1a",
)


def as_mermaid(graph: Graph) -> str:
    names = {node.id: f"n{number}" for number, node in enumerate(graph.nodes)}
    lines = ["flowchart LR"]
    teams: dict[str, list[Node]] = {}
    for node in graph.nodes:
        teams.setdefault(node.team, []).append(node)
    for number, team in enumerate(sorted(teams)):
        lines.append(f'  subgraph t{number}["{label(team)}"]')
        lines += [f"    {_node(names[node.id], node)}" for node in teams[team]]
        lines.append("  end")
    lines += [f"  {names[edge.source]} --> {names[edge.target]}" for edge in graph.edges]
    lines += [f"  {style}" for style in _STYLES]
    return "\n".join(lines) + "\n"


def too_large(graph: Graph, chart: str) -> str | None:
    """Why GitHub would not draw the chart, if it would not."""
    reasons = list(_too_large(graph, chart))
    return " and ".join(reasons) if reasons else None


def _too_large(graph: Graph, chart: str) -> Iterator[str]:
    if len(graph.edges) > MAX_EDGES:
        yield f"{len(graph.edges):,} edges, of at most {MAX_EDGES:,}"
    if len(chart) > MAX_CHARACTERS:
        yield f"{len(chart):,} characters, of at most {MAX_CHARACTERS:,}"


def label(text: str) -> str:
    """Text within double quotes: everything that could mean something to Mermaid or HTML is an entity."""
    shown = shortened(plain(text), _LONGEST)
    return "".join(char if _PLAIN.fullmatch(char) else f"#{ord(char)};" for char in shown)


def _node(name: str, node: Node) -> str:
    opening, closing = _SHAPES[node.kind]
    return f"{name}{opening}{label(node.name)}{closing}:::{_class(node)}"


def _class(node: Node) -> str:
    if node.kind != "topic":
        return node.kind
    if node.external:
        return "external"
    return "public" if node.public else "private"
