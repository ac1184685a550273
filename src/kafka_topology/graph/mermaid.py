"""The graph as a Mermaid flowchart, which GitHub and GitLab draw: a box for each team."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from kafka_topology.topology.model.words import visible

from .model import Graph, Kind
from .words import shortened

# Mermaid's default limits, which cannot be changed on GitHub.
MAX_EDGES = 500
MAX_CHARACTERS = 50_000
_LONGEST = 60
_PLAIN = re.compile(r"[A-Za-z0-9 .,:/…-]")
_SHAPES = {
    "topic": ('[("', '")]'),
    "producer": ('["', '"]'),
    "group": ('(["', '"])'),
    "shareGroup": ('(["', '"])'),
    "streams": ('{{"', '"}}'),
}
# Dark text on light fills is readable in light and dark mode.
_STYLES = (
    "classDef producer fill:#e3e8f4,stroke:#51618c,color:#1a1a1a",
    "classDef public fill:#bfe3d0,stroke:#1d6b45,color:#1a1a1a,stroke-width:2px",
    "classDef private fill:#e8f4ed,stroke:#5d8a72,color:#1a1a1a",
    "classDef external fill:#f3f3f3,stroke:#777777,color:#1a1a1a,stroke-dasharray:5 4",
    "classDef group fill:#fdeccf,stroke:#94661a,color:#1a1a1a",
    "classDef shareGroup fill:#fbdcd3,stroke:#9c4a2c,color:#1a1a1a",
    "classDef streams fill:#eadcf5,stroke:#6f4696,color:#1a1a1a",
)


@dataclass(frozen=True, slots=True)
class Box:
    """A node of a chart: its kind, which decides the shape, its text and its CSS class. `sign` is trusted text."""

    key: Hashable
    kind: Kind
    text: str
    style: str
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """Boxes, with a frame around them if it has a title."""

    boxes: tuple[Box, ...]
    title: str | None = None


def flowchart(frames: Iterable[Frame], arrows: Iterable[tuple[Hashable, str, Hashable]], styles: Iterable[str]) -> str:
    """The Mermaid text. Leaves out arrows to and from nodes that are in no frame."""
    lines = ["flowchart LR"]
    held = tuple(frames)
    keys = dict.fromkeys(box.key for frame in held for box in frame.boxes)
    names = {key: f"n{number}" for number, key in enumerate(keys)}
    titled = 0
    for frame in held:
        inside = "    " if frame.title is not None else "  "
        boxes = [f"{inside}{_drawn(names[box.key], box)}" for box in frame.boxes]
        if frame.title is not None:
            boxes = [f'  subgraph t{titled}["{label(frame.title)}"]', *boxes, "  end"]
            titled += 1
        lines += boxes
    lines += [f"  {names[s]} {arrow} {names[t]}" for s, arrow, t in arrows if s in names and t in names]
    lines += [f"  {style}" for style in styles]
    return "\n".join(lines)


def _drawn(name: str, box: Box) -> str:
    opening, closing = _SHAPES[box.kind]
    return f"{name}{opening}{box.sign}{label(box.text)}{closing}:::{box.style}"


def as_mermaid(graph: Graph) -> str:
    teams: dict[str, list[Box]] = {}
    for node in graph.nodes:
        teams.setdefault(node.team, []).append(Box(node.id, node.kind, node.name, node.variant))
    frames = (Frame(tuple(teams[team]), team) for team in sorted(teams))
    arrows = ((edge.source, "-->", edge.target) for edge in graph.edges)
    return flowchart(frames, arrows, _STYLES) + "\n"


def too_large(graph: Graph, chart: str) -> str | None:
    """Why GitHub will not draw the chart, or None."""
    reasons = list(_too_large(graph, chart))
    return " and ".join(reasons) if reasons else None


def _too_large(graph: Graph, chart: str) -> Iterator[str]:
    if len(graph.edges) > MAX_EDGES:
        yield f"{len(graph.edges):,} edges, of at most {MAX_EDGES:,}"
    if len(chart) > MAX_CHARACTERS:
        yield f"{len(chart):,} characters, of at most {MAX_CHARACTERS:,}"


def label(text: str) -> str:
    """Text for double quotes, with entities for all that Mermaid or HTML could interpret."""
    shown = shortened(visible(text), _LONGEST)
    return "".join(char if _PLAIN.fullmatch(char) else f"#{ord(char)};" for char in shown)
