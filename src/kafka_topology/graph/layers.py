"""The column of each node: data flows from left to right, and edges that close a cycle are reversed."""

from __future__ import annotations

from collections.abc import Iterable

from .model import Graph

# Topics are in odd columns and clients in even ones: every edge joins a client and a topic.
_FIRST = {"producer": 0, "topic": 1, "group": 2, "shareGroup": 2, "streams": 2}


def columns_of(graph: Graph) -> dict[str, int]:
    forward = _acyclic(graph)
    order = _topological([node.id for node in graph.nodes], forward)
    column = {node.id: _FIRST[node.kind] for node in graph.nodes}
    for at in order:
        for target in forward[at]:
            column[target] = max(column[target], column[at] + 1)
    # A writer is next to the topics that it writes, not at the far left.
    kinds = {node.id: node.kind for node in graph.nodes}
    for at in order:
        if kinds[at] == "producer" and forward[at]:
            column[at] = max(column[at], min(column[target] for target in forward[at]) - 1)
    return column


def _acyclic(graph: Graph) -> dict[str, list[str]]:
    """The edges that do not close a cycle, by their source: a depth-first walk in the order of the nodes."""
    forward: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for edge in graph.edges:
        forward[edge.source].append(edge.target)
    done: set[str] = set()
    kept: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    # Start from producers: their topics are downstream.
    for start in sorted(graph.nodes, key=lambda node: _FIRST[node.kind]):
        if start.id not in done:
            _walk(start.id, forward, done, kept)
    return kept


def _walk(start: str, forward: dict[str, list[str]], done: set[str], kept: dict[str, list[str]]) -> None:
    on_path = {start}
    stack = [(start, iter(forward[start]))]
    while stack:
        at, targets = stack[-1]
        target = next(targets, None)
        if target is None:
            stack.pop()
            on_path.discard(at)
            done.add(at)
        elif target not in on_path:
            kept[at].append(target)
            if target not in done:
                on_path.add(target)
                stack.append((target, iter(forward[target])))


def _topological(ids: Iterable[str], forward: dict[str, list[str]]) -> list[str]:
    waiting_for = dict.fromkeys(ids, 0)
    for targets in forward.values():
        for target in targets:
            waiting_for[target] += 1
    order = [at for at, count in waiting_for.items() if count == 0]
    for at in order:  # grows while it is walked
        for target in forward[at]:
            waiting_for[target] -= 1
            if waiting_for[target] == 0:
                order.append(target)
    return order
