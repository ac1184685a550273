"""The part of the graph that changes, with the direct neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ..topology.model.declared import Topology
from .changes import Action, Change, Risk, worst

NodeKind = Literal["topic", "producer", "group", "shareGroup", "streams"]
_NODE_KINDS = ("topic", "producer", "group", "shareGroup", "streams")


@dataclass(frozen=True, slots=True)
class Node:
    """`risk` is None for a neighbour that does not change. `external`: declared in neither version."""

    kind: NodeKind
    name: str
    risk: Risk | None = None
    action: Action | None = None
    owner: str | None = None
    external: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """Records flow from source to target. `action` is None for an edge that both versions have."""

    source: tuple[str, str]
    target: tuple[str, str]
    action: Literal["add", "remove"] | None = None


@dataclass(frozen=True, slots=True)
class ChangedGraph:
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()


def changed_graph(before: Topology, after: Topology, changes: Iterable[Change]) -> ChangedGraph:
    """Changed topics and roles, and their direct neighbours."""
    touched: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        if change.kind in _NODE_KINDS:
            for name in change.names:
                touched.setdefault((change.kind, name), []).append(change)
    old, new = set(_edges(before)), set(_edges(after))
    kept = old & new
    edges: list[Edge] = []
    for source, target in sorted(old | new):
        if source in touched or target in touched or (source, target) not in kept:
            action: Literal["add", "remove"] | None = None
            if (source, target) not in old:
                action = "add"
            elif (source, target) not in new:
                action = "remove"
            edges.append(Edge(source, target, action))
    keys = dict.fromkeys([*touched, *(end for edge in edges for end in (edge.source, edge.target))])
    owners = dict((*_owners(before), *_owners(after)))
    return ChangedGraph(tuple(_node(key, touched.get(key, []), owners) for key in keys), tuple(edges))


def _node(key: tuple[str, str], changes: list[Change], owners: Mapping[tuple[str, str], str | None]) -> Node:
    kind, name = key
    whole = next((_action(change, name) for change in changes if not change.path), "change" if changes else None)
    risk = worst(change.risk for change in changes) if changes else None
    return Node(kind, name, risk, whole, owners.get(key), key not in owners)  # type: ignore[arg-type]  # the kinds were checked when they were gathered


def _action(change: Change, name: str) -> Action:
    """A renamed resource is gone under its old name and new under the other."""
    if change.action != "rename":
        return change.action
    return "remove" if name == change.before else "add"


def _owners(topology: Topology) -> Iterator[tuple[tuple[str, str], str | None]]:
    yield from ((("topic", each.name), each.owner) for each in topology.topics.values())
    yield from ((("producer", each.name), each.owner) for each in topology.producers.values())
    yield from ((("group", each.name), each.owner) for each in topology.consumer_groups.values())
    yield from ((("shareGroup", each.name), each.owner) for each in topology.share_groups.values())
    yield from ((("streams", each.application_id), each.owner) for each in topology.streams.values())


def _edges(topology: Topology) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    for producer in topology.producers.values():
        for topic in producer.topics:
            yield ("producer", producer.name), ("topic", topic)
    for group in topology.consumer_groups.values():
        for topic in (*group.topics, *group.assign):
            yield ("topic", topic), ("group", group.name)
    for shared in topology.share_groups.values():
        for topic in shared.topics:
            yield ("topic", topic), ("shareGroup", shared.name)
    for application in topology.streams.values():
        for topic in application.reads:
            yield ("topic", topic), ("streams", application.application_id)
        for topic in application.writes:
            yield ("streams", application.application_id), ("topic", topic)
