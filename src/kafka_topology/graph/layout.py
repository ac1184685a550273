"""Where everything is drawn: columns from left to right, a lane for each team from top to bottom.

A cell is one column of one lane. Long edges get a free passage (a slot) in each cell they cross, so they run
between boxes instead of behind them. Within a cell the slots are ordered by where their neighbours are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from kafka_topology.topology.model.words import visible

from .layers import columns_of
from .model import Edge, Graph, Node
from .words import columns, shortened

CHARACTER = 7.25  # of a fixed-width font at 12 px, rounded up
LONGEST_LABEL = 34
LONGEST_TEAM = 60
BOX_HEIGHT = 40
PASSAGE_HEIGHT = 12
GAP = 12  # between boxes of one cell
COLUMN_GAP = 76
MARGIN = 16
LANE_TITLE = 24
LANE_PADDING = 10
LANE_GAP = 10
_SWEEPS = 6
_MAX_PASSAGES = 4_000  # beyond this long edges are drawn straight, behind the boxes


@dataclass(frozen=True, slots=True)
class Box:
    node: Node
    x: float
    y: float
    width: float
    height: float = BOX_HEIGHT

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Lane:
    name: str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Route:
    """Points that come in pairs: out of a column at one, into the next at the other."""

    edge: Edge
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    width: float
    height: float
    boxes: tuple[Box, ...]
    lanes: tuple[Lane, ...]
    routes: tuple[Route, ...]


@dataclass(slots=True)
class _Slot:
    """A box, or the passage of a long edge."""

    lane: str
    column: int
    node: Node | None = None
    y: float = 0.0

    @property
    def height(self) -> int:
        return BOX_HEIGHT if self.node is not None else PASSAGE_HEIGHT

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


def arrange(graph: Graph) -> Layout:
    return _Arrangement(graph).layout()


def label(node: Node) -> str:
    return shortened(visible(node.name), LONGEST_LABEL)


def note(node: Node) -> str:
    return shortened(visible(node.note), LONGEST_LABEL)


def lane_label(team: str) -> str:
    return shortened(visible(team), LONGEST_TEAM)


def box_width(node: Node) -> float:
    # The note is drawn smaller than the name.
    return max(columns(label(node)) * CHARACTER, columns(note(node)) * CHARACTER * 0.86) + 30


class _Arrangement:
    def __init__(self, graph: Graph) -> None:
        self._edges = graph.edges
        self._column = columns_of(graph)
        self._slots = {node.id: _Slot(node.team, self._column[node.id], node) for node in graph.nodes}
        self._paths: dict[Edge, list[_Slot]] = {}
        self._cells: dict[tuple[str, int], list[_Slot]] = {}
        for slot in self._slots.values():
            self._cells.setdefault((slot.lane, slot.column), []).append(slot)
        self._lay_paths()
        self._lanes = self._lane_order()
        self._columns = sorted({column for _, column in self._cells})

    def _lay_paths(self) -> None:
        free = _MAX_PASSAGES
        for edge in self._edges:
            source, target = self._slots[edge.source], self._slots[edge.target]
            between = range(source.column + 1, target.column)
            passages = []
            if len(between) <= free:
                free -= len(between)
                passages = [_Slot(source.lane, column) for column in between]
            for passage in passages:
                self._cells.setdefault((passage.lane, passage.column), []).append(passage)
            self._paths[edge] = [source, *passages, target]

    def _lane_order(self) -> list[str]:
        """Teams with resources further left come first, external topics last."""
        standing: dict[str, list[int]] = {}
        for slot in self._slots.values():
            standing.setdefault(slot.lane, []).append(slot.column)
        external = {node.team for node in (slot.node for slot in self._slots.values()) if node and node.external}
        return sorted(standing, key=lambda lane: (lane in external, fmean(standing[lane]), lane))

    def layout(self) -> Layout:
        lanes = self._stack()
        near = self._neighbours()
        for sweep in range(_SWEEPS):
            self._sort_cells(near, self._columns if sweep % 2 == 0 else self._columns[::-1])
        lanes = self._stack()
        left, widths = self._horizontally()
        # In reading order, which is also the order of the Tab key.
        order = {lane: number for number, lane in enumerate(self._lanes)}
        slots = sorted(self._slots.values(), key=lambda slot: (order[slot.lane], slot.column, slot.y))
        boxes = tuple(
            Box(
                slot.node,
                left[slot.column] + (widths[slot.column] - box_width(slot.node)) / 2,
                slot.y,
                box_width(slot.node),
            )
            for slot in slots
            if slot.node is not None
        )
        last = self._columns[-1] if self._columns else 0
        titles = max((columns(lane_label(lane.name)) * CHARACTER + 40 for lane in lanes), default=0)
        width = max(left.get(last, 0) + widths.get(last, 0) + MARGIN + LANE_PADDING, titles)
        height = lanes[-1].y + lanes[-1].height + MARGIN if lanes else 2 * MARGIN
        return Layout(width, height, boxes, tuple(lanes), self._routes(boxes, left, widths))

    def _neighbours(self) -> dict[int, list[_Slot]]:
        near: dict[int, list[_Slot]] = {}
        for path in self._paths.values():
            for one, other in pairwise(path):
                near.setdefault(id(one), []).append(other)
                near.setdefault(id(other), []).append(one)
        return near

    def _sort_cells(self, near: dict[int, list[_Slot]], order: list[int]) -> None:
        for column in order:
            for lane in self._lanes:
                cell = self._cells.get((lane, column))
                if cell is None or len(cell) < 2:
                    continue
                wanted = {
                    id(slot): fmean(other.middle for other in near[id(slot)]) if id(slot) in near else slot.middle
                    for slot in cell
                }
                top = min(slot.y for slot in cell)
                cell.sort(key=lambda slot: wanted[id(slot)])
                self._pile(cell, top)

    def _pile(self, cell: list[_Slot], top: float) -> float:
        for slot in cell:
            slot.y = top
            top += slot.height + GAP
        return top - GAP

    def _stack(self) -> list[Lane]:
        """Lanes from top to bottom; each cell is in the middle of its lane."""
        lanes = []
        top = float(MARGIN)
        for lane in self._lanes:
            cells = [self._cells[lane, column] for column in self._columns if (lane, column) in self._cells]
            tallest = max(self._pile(cell, 0) for cell in cells)
            first = top + LANE_TITLE + LANE_PADDING
            for cell in cells:
                self._pile(cell, first + (tallest - self._pile(cell, 0)) / 2)
            height = LANE_TITLE + 2 * LANE_PADDING + tallest
            lanes.append(Lane(lane, top, height))
            top += height + LANE_GAP
        return lanes

    def _horizontally(self) -> tuple[dict[int, float], dict[int, float]]:
        widths = dict.fromkeys(self._columns, 0.0)
        for slot in self._slots.values():
            if slot.node is not None:
                widths[slot.column] = max(widths[slot.column], box_width(slot.node))
        left = {}
        at = float(MARGIN + LANE_PADDING)
        for column in self._columns:
            left[column] = at
            at += widths[column] + COLUMN_GAP
        return left, widths

    def _routes(self, boxes: tuple[Box, ...], left: dict[int, float], widths: dict[int, float]) -> tuple[Route, ...]:
        drawn = {box.node.id: box for box in boxes}
        routes = []
        for edge, (_, *passages, _) in self._paths.items():
            source, target = drawn[edge.source], drawn[edge.target]
            points = [(source.x + source.width, source.middle)]
            for passage in passages:
                start = left[passage.column]
                points += [(start, passage.middle), (start + widths[passage.column], passage.middle)]
            points.append((target.x, target.middle))
            routes.append(Route(edge, tuple(points)))
        return tuple(routes)
