"""The drawing of the graph with its tools: search, choice of a team, zoom."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kafka_topology.graph import Graph
from kafka_topology.graph.svg import Inside, as_inline_svg

from .markup.html import Html, el, raw
from .subject import Subject

_LEGEND = {
    "producer": "producer",
    "public": "public topic",
    "private": "private topic",
    "external": "declared elsewhere",
    "group": "consumer group",
    "shareGroup": "share group",
    "streams": "streams application",
}
_ZOOM = (
    ("\N{MINUS SIGN}", "Smaller", "out"),
    ("+", "Larger", "in"),
    ("Fit", "Show the whole drawing", "fit"),
    ("1:1", "Show names in their full size", "full"),
)


def graph(subject: Subject) -> Html:
    shown, whole = subject.drawn, subject.graph
    note = None
    if len(shown.nodes) < len(whole.nodes):
        text = (
            f"The drawing shows {len(shown.nodes):,} of {len(whole.nodes):,} resources. Draw the part around a "
            "resource or team with --focus NAME. The table under Resources lists the others."
        )
        note = el("p", text, class_="limit")
    hint = el(
        "p",
        "Data flows from left to right; each lane is a team. Choose a resource to see its details; "
        "the arrow keys follow the flow. ",
        el("a", "Show it as a table", href=f"#{subject.anchor('resources')}"),
        ".",
        class_="hint",
    )
    table = subject.anchor("resources-table") if note is not None else None
    drawn = drawing(shown, "Topology graph", Inside(subject.prefix), table=table)
    return subject.section("graph", "Graph", hint, note, drawn)


def drawing(
    graph: Graph,
    title: str,
    inside: Inside,
    *,
    table: str | None = None,
    views: Html | None = None,
    legend: Html | None = None,
) -> Html:
    """The graph and its tools. `table` is the id of a table with resources that are not drawn."""
    if not graph.nodes:
        return el("p", "Nothing is declared.")
    zoom = (
        el("button", sign, type="button", aria_label=said, title=said, data_zoom=kind) for sign, said, kind in _ZOOM
    )
    drawn = raw(as_inline_svg(graph, title, inside))
    return el(
        "div",
        el(
            "div",
            _find(sorted({node.team for node in graph.nodes}), table),
            views,
            el("p", *zoom, class_="zoom js-only"),
            class_="bar",
        ),
        el("div", drawn, class_="scroll drawing", tabindex="0", role="region", aria_label=title),
        legend or legend_of(_LEGEND, {node.variant for node in graph.nodes}),
        class_="graph-box",
    )


def _find(teams: list[str], table: str | None) -> Html:
    search = el("label", "Search the graph", el("input", type="search", autocomplete="off", spellcheck="false"))
    options = (el("option", "all", value=""), *(el("option", team, value=team) for team in teams))
    choice = el("label", "Team", el("select", *options)) if len(teams) > 1 else None
    others = (
        el("button", "Search the table", type="button", class_="others", data_table=table, hidden=True)
        if table is not None
        else None
    )
    found = el("output", "", aria_live="polite")
    return el(
        "form", search, choice, found, others, class_="find js-only", role="search", aria_label="Search the graph"
    )


def legend_of(said: Mapping[str, str], drawn: Collection[str]) -> Html:
    """What each colour means, of those that are drawn."""
    entries = (
        el("li", el("span", class_=f"swatch {kind}", aria_hidden="true"), meaning)
        for kind, meaning in said.items()
        if kind in drawn
    )
    return el("ul", *entries, class_="legend")
