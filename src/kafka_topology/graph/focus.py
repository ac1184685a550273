"""One part of a graph: what feeds a resource and what it feeds, or what a team has to do with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from .model import Graph

_COMPARED = 20_000  # names that are searched for the nearest one


class UnknownName(LookupError):
    """Nothing in the graph has the name; the message says what is near."""


def focused(graph: Graph, name: str) -> Graph:
    """By the name of a resource: all that its data come from and go to. By a team: its resources and neighbours."""
    chosen = {node.id for node in graph.nodes if node.name == name}
    forward, backward = _neighbours(graph)
    if chosen:
        return graph.part(_reached(chosen, forward) | _reached(chosen, backward))
    team = {node.id for node in graph.nodes if node.team == name}
    if team:
        near = {other for at in team for other in (*forward.get(at, ()), *backward.get(at, ()))}
        return graph.part(team | near)
    raise UnknownName(_unknown(graph, name))


def _neighbours(graph: Graph) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
    forward: dict[str, list[str]] = {}
    backward: dict[str, list[str]] = {}
    for edge in graph.edges:
        forward.setdefault(edge.source, []).append(edge.target)
        backward.setdefault(edge.target, []).append(edge.source)
    return forward, backward


def _reached(start: Iterable[str], neighbours: Mapping[str, list[str]]) -> set[str]:
    reached = set(start)
    waiting = list(reached)
    while waiting:
        for other in neighbours.get(waiting.pop(), ()):
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return reached


def _unknown(graph: Graph, name: str) -> str:
    names = sorted({node.name for node in graph.nodes} | {node.team for node in graph.nodes})
    near = get_close_matches(name, names[:_COMPARED], n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"no topic, producer, group, streams application or team is called {name}{hint}"
