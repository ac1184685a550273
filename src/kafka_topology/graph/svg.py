"""The graph as SVG, without other programs; the same input gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from xml.sax.saxutils import escape, quoteattr

from kafka_topology.topology.model.words import visible

from .layout import BOX_HEIGHT, GAP, Box, Lane, Layout, Route, arrange, label, lane_label, note
from .model import Edge, Graph, Node

_RADIUS = {"producer": 4, "topic": 9, "group": 20, "shareGroup": 20, "streams": 4}
_STYLE = "graph.css"


@dataclass(frozen=True, slots=True)
class Inside:
    """A drawing inside a page: what its ids start with, and further classes of nodes (by id) and edges."""

    prefix: str = ""
    nodes: Mapping[str, str] = field(default_factory=dict)
    edges: Mapping[Edge, str] = field(default_factory=dict)


def style() -> str:
    return files(__package__).joinpath(_STYLE).read_text(encoding="utf-8")


def as_svg(graph: Graph) -> str:
    """A complete file, with colours for light and dark mode."""
    layout = arrange(graph)
    described = f"{len(graph.nodes):,} resources and {len(graph.edges):,} flows of data between them"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="graph" {_size(layout)} role="img" aria-labelledby="t d">'
    named = f'<title id="t">Kafka topology</title><desc id="d">{described}</desc>'
    background = '<rect class="paper" width="100%" height="100%"/>'
    body = _body(layout, None)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}{named}<style>{style()}</style>{background}\n{body}</svg>\n'


def as_inline_svg(graph: Graph, title: str, inside: Inside | None = None) -> str:
    """For a page that includes the style. Each node links to the element with the node's id."""
    layout = arrange(graph)
    head = f'<svg class="graph" {_size(layout)} role="group" aria-label={quoteattr(title)}>'
    return f"{head}\n{_body(layout, inside or Inside())}</svg>"


def _size(layout: Layout) -> str:
    width, height = _number(layout.width), _number(layout.height)
    return f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'


def _body(layout: Layout, inside: Inside | None) -> str:
    held = inside or Inside()
    arrow = (
        f'<defs><marker id="{held.prefix}arrow" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="10" '
        'markerHeight="10" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
        '<path class="arrow" d="M0 0.5 L8 4 L0 7.5 z"/></marker></defs>'
    )
    lines = [arrow]
    lines += [_lane(lane, layout.width) for lane in layout.lanes]
    lines += [_edge(route, held) for route in layout.routes]
    lines += [_box(box, inside) for box in layout.boxes]
    return "\n".join(lines) + "\n"


def _lane(lane: Lane, width: float) -> str:
    area = (
        f'<rect class="lane" x="8" y="{_number(lane.y)}" width="{_number(width - 16)}" '
        f'height="{_number(lane.height)}" rx="8"/>'
    )
    return f'{area}<text class="team" x="20" y="{_number(lane.y + 18)}">{_text(lane_label(lane.name))}</text>'


def _edge(route: Route, inside: Inside) -> str:
    source, target = inside.prefix + route.edge.source, inside.prefix + route.edge.target
    ends = f"data-from={quoteattr(source)} data-to={quoteattr(target)}"
    back = _goes_back(route)
    kind, path = ("edge back", _way_back(route)) if back else ("edge", _path(route))
    further = inside.edges.get(route.edge)
    classes = f"{kind} {further}" if further else kind
    return f'<path class="{classes}" {ends} d="{path}" marker-end="url(#{inside.prefix}arrow)"/>'


def _goes_back(route: Route) -> bool:
    return route.points[-1][0] <= route.points[0][0]


def _way_back(route: Route) -> str:
    """Out to the right, below both boxes to the left, and in from there."""
    (x, y), (to_x, to_y) = route.points[0], route.points[-1]
    below = max(y, to_y) + (BOX_HEIGHT + GAP) / 2
    return (
        f"M{_number(x)} {_number(y)} C{_number(x + 34)} {_number(y)} {_number(x + 34)} {_number(below)} "
        f"{_number(x)} {_number(below)} L{_number(to_x)} {_number(below)} "
        f"C{_number(to_x - 38)} {_number(below)} {_number(to_x - 38)} {_number(to_y)} {_number(to_x)} {_number(to_y)}"
    )


def _path(route: Route) -> str:
    """Curves between columns, straight lines across them."""
    (x, y), *rest = route.points
    parts = [f"M{_number(x)} {_number(y)}"]
    for number, (to_x, to_y) in enumerate(rest):
        if number % 2 == 1:
            parts.append(f"L{_number(to_x)} {_number(to_y)}")
        else:
            bend = (to_x - x) / 2
            parts.append(
                f"C{_number(x + bend)} {_number(y)} {_number(to_x - bend)} {_number(to_y)} "
                f"{_number(to_x)} {_number(to_y)}"
            )
        x, y = to_x, to_y
    return " ".join(parts)


def _box(box: Box, inside: Inside | None) -> str:
    node = box.node
    middle = _number(box.x + box.width / 2)
    full = f"{node.title}, {node.note}, {'' if node.external else 'team '}{node.team}"
    drawn = (
        f"<title>{_text(full)}</title>{_shape(box)}"
        f'<text class="name" x="{middle}" y="{_number(box.y + 17)}">{_text(label(node))}</text>'
        f'<text class="note" x="{middle}" y="{_number(box.y + 32)}">{_text(note(node))}</text>'
    )
    if inside is None:
        return f'<g class="node {node_class(node)}" data-id={quoteattr(node.id)}>{drawn}</g>'
    anchor = f"{inside.prefix}{node.id}"
    further = inside.nodes.get(node.id)
    classes = f"node {node_class(node)}{f' {further}' if further else ''}"
    known = f"data-id={quoteattr(anchor)} data-team={quoteattr(visible(node.team))}"
    return f'<a class="{classes}" {known} href="#{anchor}" aria-label={quoteattr(visible(full))}>{drawn}</a>'


def _shape(box: Box) -> str:
    if box.node.kind == "streams":
        left, right, top, bottom = box.x, box.x + box.width, box.y, box.y + box.height
        corners = (
            (left + 10, top), (right - 10, top), (right, box.middle),
            (right - 10, bottom), (left + 10, bottom), (left, box.middle),
        )  # fmt: skip
        return f'<polygon points="{" ".join(f"{_number(x)},{_number(y)}" for x, y in corners)}"/>'
    return (
        f'<rect x="{_number(box.x)}" y="{_number(box.y)}" width="{_number(box.width)}" '
        f'height="{_number(box.height)}" rx="{_RADIUS[box.node.kind]}"/>'
    )


def node_class(node: Node) -> str:
    return node.variant if node.kind != "topic" else f"topic {node.variant}"


def _text(text: str) -> str:
    return escape(visible(text))


def _number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")
