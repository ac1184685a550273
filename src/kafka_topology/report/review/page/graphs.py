"""The graph of a change: one drawing that shows what was, what changes, and what will be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kafka_topology.graph import Edge, Graph, Node
from kafka_topology.graph.model import TITLES, resource_id
from kafka_topology.graph.svg import Inside
from kafka_topology.review.changes import Action, Change, Risk
from kafka_topology.review.graph import ChangedGraph
from kafka_topology.review.graph import Node as ChangedNode
from kafka_topology.review.result import EnvironmentReview, Review
from kafka_topology.topology.model.words import counted

from ...page.drawing import drawing, legend_of
from ...page.markup.html import Html, el, join, name
from ..formats import Address

MOST_DRAWN = 300
_MOST_CHANGES = 60  # of one resource
_LEGEND = {"is-add": "new", "is-remove": "removed", "is-change": "changed", "is-same": "unchanged neighbour"}
_CLASSES: dict[Action | None, str] = {
    "add": "is-add", "remove": "is-remove", "rename": "is-change", "change": "is-change", None: "is-same",
}  # fmt: skip
_WORDS: dict[Action | None, str] = {
    "add": "new", "remove": "removed", "rename": "renamed", "change": "changed", None: "unchanged",
}  # fmt: skip
_VIEWS = (("before", "Before"), ("", "Change"), ("after", "After"))


@dataclass(frozen=True, slots=True)
class DrawnChange:
    """A drawing, the environments that it is of, and the details of its resources."""

    environments: tuple[str, ...]
    drawing: Html
    details: Html
    anchors: Mapping[tuple[str, str], str]  # of resources, by kind and name


def drawn_changes(review: Review, address: Address) -> list[DrawnChange]:
    """Environments that change alike share a drawing."""
    alike: dict[tuple[ChangedGraph, tuple[Change, ...]], list[EnvironmentReview]] = {}
    for each in review.reviews:
        if each.graph.nodes:
            alike.setdefault((each.graph, each.changes), []).append(each)
    return [_drawn(held, f"g{number}-", address) for number, held in enumerate(alike.values())]


def _drawn(held: list[EnvironmentReview], prefix: str, address: Address) -> DrawnChange:
    first = held[0]
    changed = sorted(first.graph.nodes, key=lambda node: -(node.risk.rank + 1 if node.risk is not None else 0))
    shown: dict[tuple[str, str], ChangedNode] = {(node.kind, node.name): node for node in changed[:MOST_DRAWN]}
    graph, inside = _graph(first.graph, shown, prefix)
    left = len(changed) - len(shown)
    note = el("p", f"{counted(left, 'resource')} more not drawn; the table has all changes.", class_="limit")
    legend = legend_of(_LEGEND, {_CLASSES[node.action] for node in shown.values()})
    drawn = drawing(graph, "Graph of the change", inside, views=_views(prefix), legend=legend)
    return DrawnChange(
        tuple(each.environment or "the base" for each in held),
        join(note if left else None, drawn),
        join(*(_article(node, first.changes, prefix, address) for node in shown.values())),
        {key: f"{prefix}{resource_id(*key)}" for key in shown},
    )


def _graph(changed: ChangedGraph, shown: Mapping[tuple[str, str], ChangedNode], prefix: str) -> tuple[Graph, Inside]:
    nodes = [
        Node(node.kind, node.name, node.owner, external=node.external, note=_note(node)) for node in shown.values()
    ]
    classes = {resource_id(node.kind, node.name): _class(node) for node in shown.values()}
    edges: dict[Edge, str] = {}
    for edge in changed.edges:
        if edge.source in shown and edge.target in shown:
            verb = "writes" if edge.target[0] == "topic" else "reads"
            drawn = Edge(resource_id(*edge.source), resource_id(*edge.target), verb)  # type: ignore[arg-type]  # one of both
            edges[drawn] = _CLASSES[edge.action]
    return Graph(tuple(nodes), tuple(edges)), Inside(prefix, classes, edges)


def _class(node: ChangedNode) -> str:
    is_bad = node.risk is not None and node.risk.rank >= Risk.BREAKING.rank
    return f"{_CLASSES[node.action]}{' is-risky' if is_bad else ''}"


def _note(node: ChangedNode) -> str:
    said = _WORDS[node.action]
    return said if node.risk is None or node.risk is Risk.SAFE else f"{said}: {node.risk}"


def _views(prefix: str) -> Html:
    choices = (
        el("label", el("input", type="radio", name=f"{prefix}view", value=value, checked=not value), f" {said}")
        for value, said in _VIEWS
    )
    return el("fieldset", el("legend", "Show", class_="hidden"), *choices, class_="views js-only")


def _article(node: ChangedNode, changes: tuple[Change, ...], prefix: str, address: Address) -> Html:
    anchor = f"{prefix}{resource_id(node.kind, node.name)}"
    own = [change for change in changes if change.kind == node.kind and node.name in change.names]
    own.sort(key=lambda change: -change.risk.rank)
    items = [_change(change, address) for change in own[:_MOST_CHANGES]]
    if len(own) > _MOST_CHANGES:
        items.append(el("li", f"and {len(own) - _MOST_CHANGES:,} more"))
    owner = "declared elsewhere" if node.external else f"of {node.owner}" if node.owner else "without an owner"
    return el(
        "article",
        el("h3", name(node.name), tabindex="-1", id=f"{anchor}-title"),
        el("p", f"{TITLES[node.kind]} {owner}, {_note(node)}", class_="subtitle"),
        el("ul", *items) if items else el("p", "It does not change itself."),
        id=anchor,
        aria_labelledby=f"{anchor}-title",
    )


def _change(change: Change, address: Address) -> Html:
    badge = el("span", change.risk.value, class_="badge", data_value=change.risk.value)
    effects = (el("span", f"• {effect.text}.", class_="more") for effect in change.further_effects)
    return el("li", badge, " ", el("b", change.what), " ", change.reason, ". ", _place(change, address), *effects)


def _place(change: Change, address: Address) -> Html | None:
    at = change.location or change.lost_at
    if at is None:
        return None
    href, shown = address(at), name(f"{at.file}:{at.line}")
    return el("span", el("a", shown, href=href) if href else shown, class_="where")
