"""Edits of a text by line and column, and the proof that nothing else changed."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, islice
from typing import TypeVar

from kafka_topology.topology import Edit, Location
from kafka_topology.topology.located.nodes import (
    BadYaml,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    children,
    compose,
)

T = TypeVar("T")
Span = tuple[tuple[int, int], tuple[int, int]]
# What YAML counts as the end of a line.
_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


class Positions:
    """Lines and columns of a text as offsets into it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def span(self, location: Location) -> tuple[int, int]:
        return self._offset(location.line, location.column), self._offset(location.end_line, location.end_column)

    def _offset(self, line: int, column: int) -> int:
        if not 1 <= line <= len(self._starts):
            raise IndexError(line)
        return min(self._starts[line - 1] + column - 1, len(self._text))

    def line_of(self, offset: int) -> int:
        return bisect_right(self._starts, offset)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits applied. Equal edits count once; others must not overlap. Keeps the text's line ends."""
    positions = Positions(text)
    ending = "\r\n" if "\r\n" in text else "\n"
    spans = {(*positions.span(edit.location), edit.text) for edit in edits}
    parts: list[str] = []
    copied = 0
    for start, end, new in sorted(spans):
        parts += (text[copied:start], re.sub("\r?\n", ending, new))
        copied = end
    return "".join((*parts, text[copied:]))


def overlap(first: Edit, second: Edit) -> bool:
    """Whether two edits touch the same text in different ways."""
    if first == second or first.location.file != second.location.file:
        return False
    a, b = first.location, second.location
    if a == b:
        return True
    return (a.line, a.column) < (b.end_line, b.end_column) and (b.line, b.column) < (a.end_line, a.end_column)


def without_overlaps(groups: Iterable[T], edits_of: Callable[[T], Sequence[Edit]]) -> list[T]:
    """Of things with edits, those whose edits overlap with none of an earlier one."""
    # By file and in the order of the text. The edits in it do not overlap, so only neighbours can.
    taken: dict[str, list[tuple[Span, Edit]]] = {}
    chosen = []
    for group in groups:
        edits = edits_of(group)
        if any(_overlaps(edit, taken.get(edit.location.file, [])) for edit in edits):
            continue
        chosen.append(group)
        for edit in edits:
            insort(taken.setdefault(edit.location.file, []), (_span(edit.location), edit), key=_by_span)
    return chosen


def _by_span(item: tuple[Span, Edit]) -> Span:
    return item[0]


def _overlaps(edit: Edit, held: Sequence[tuple[Span, Edit]]) -> bool:
    start, end = _span(edit.location)
    first = bisect_left(held, (start, end), key=_by_span)
    while first > 0 and held[first - 1][0][1] >= start:
        first -= 1
    for (other_start, _), other in islice(held, first, None):
        if other_start > end:
            return False
        if overlap(edit, other):
            return True
    return False


def changed_elsewhere(before: str, after: str, edits: Sequence[Edit]) -> str:
    """Why the edits are not safe; empty if every value outside of them stays the same."""
    try:
        old, new = compose(before), compose(after)
    except BadYaml as error:
        return f"the YAML would no longer parse: {error.message}"
    if old is None or new is None:
        return "the file would be empty"
    spans = _Spans(edits)
    if any(spans.has_one_inside(node) for node in _shared(old)):
        return "the value is shared through an anchor, so other places would change with it"
    return "" if _same(old, new, spans) else "a value elsewhere in the file would change"


class _Spans:
    """The places of edits, asked without comparing each with each node."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        spans = sorted(_span(edit.location) for edit in edits)
        self._starts = [start for start, _ in spans]
        ends = [end for _, end in spans]
        self._latest = list(accumulate(ends, max))  # the latest end of those that start here or before
        self._earliest = list(accumulate(reversed(ends), min))[::-1]  # the earliest end of those from here on

    def covers(self, node: Node) -> bool:
        """Whether the node is inside one of the spans."""
        start, end = _node_span(node)
        before = bisect_right(self._starts, start)
        return before > 0 and end <= self._latest[before - 1]

    def has_one_inside(self, node: Node) -> bool:
        start, end = _node_span(node)
        first = bisect_left(self._starts, start)
        return first < len(self._starts) and self._earliest[first] <= end


def shared_spans(text: str) -> list[Span]:
    """The places of values that aliases refer to; none in a text that is no YAML."""
    try:
        root = compose(text)
    except BadYaml:
        return []
    return [] if root is None else [_node_span(node) for node in _shared(root)]


def is_within(edit: Edit, spans: Iterable[Span]) -> bool:
    start, end = _span(edit.location)
    return any(first <= start and end <= last for first, last in spans)


def _span(location: Location) -> Span:
    return (location.line - 1, location.column - 1), (location.end_line - 1, location.end_column - 1)


def _node_span(node: Node) -> Span:
    return (node.start_mark.line, node.start_mark.column), (node.end_mark.line, node.end_mark.column)


def _shared(root: Node) -> list[Node]:
    """Nodes that aliases refer to."""
    references: Counter[int] = Counter()
    nodes: dict[int, Node] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        references[id(node)] += 1
        if id(node) not in nodes:
            nodes[id(node)] = node
            waiting.extend(children(node))
    return [nodes[key] for key, count in references.items() if count > 1]


def _same(old: Node, new: Node, spans: _Spans) -> bool:
    """Whether two trees are equal outside the spans of the old one."""
    if spans.covers(old):
        return True
    if type(old) is not type(new) or old.tag != new.tag:
        return False
    if isinstance(old, ScalarNode):
        return bool(old.value == new.value)
    edited = spans.has_one_inside(old)
    if isinstance(old, SequenceNode):
        if len(old.value) == len(new.value):
            return all(_same(a, b, spans) for a, b in zip(old.value, new.value, strict=True))
        return edited and len(old.value) < len(new.value)
    assert isinstance(old, MappingNode)  # noqa: S101 - YAML has no fourth kind of node
    held = {key.value: value for key, value in new.value if isinstance(key, ScalarNode)}
    if len(held) != len(old.value) and not (edited and len(held) > len(old.value)):
        return False
    return all(key.value in held and _same(value, held[key.value], spans) for key, value in old.value)
