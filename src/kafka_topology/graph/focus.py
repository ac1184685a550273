"""A part of a graph: everything connected to a resource, or a team and its neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kafka_topology.topology.model.words import did_you_mean

from .model import Graph

_COMPARED = 20_000  # names to search for a similar one


class UnknownName(LookupError):
    """Nothing in the graph has the name; the message suggests a similar one."""


def focused(graph: Graph, name: str) -> Graph:
    """For a resource: everything that its data comes from or goes to. For a team: its resources and neighbours."""
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
    hint = did_you_mean(name, names[:_COMPARED])
    kinds = "topic, producer, group, share group, streams application or team"
    return f"no {kinds} is called {name}{f'; {hint}' if hint else ''}"
