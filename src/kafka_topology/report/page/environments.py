"""Several environments side by side: their totals, and the settings that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kafka_topology.graph.model import TITLES, Node
from kafka_topology.topology import Severity
from kafka_topology.topology.model.words import counted, listed

from .details import Declarations, settings_of
from .markup.document import section
from .markup.html import Html, el
from .markup.tables import Cell, Column, Row, Table, render
from .subject import Subject

_ABSENT = "not declared"
_UNSET = "not set"
_MOST = 12  # names of resources that differ alike


def overview(subjects: Sequence[Subject]) -> Html:
    return section("environments", "Environments", _totals(subjects), el("h3", "What differs"), _differences(subjects))


def _totals(subjects: Sequence[Subject]) -> Html:
    titles = ("Environment", "Topics", "Partitions", "Replicas", *(_plural(severity) for severity in Severity))
    head = (el("th", title, scope="col", class_="number" if place else None) for place, title in enumerate(titles))
    rows = []
    for subject in subjects:
        topics = subject.topology.topics.values()
        partitions = sum(topic.partitions for topic in topics)
        replicas = sum(topic.partitions * topic.replication for topic in topics)
        numbers = (el("td", f"{number:,}", class_="number") for number in (len(topics), partitions, replicas))
        counts = {each: sum(finding.severity is each for finding in subject.run.findings) for each in Severity}
        found = (
            el("td", f"{number:,}", class_="number", data_value=severity.value if number else None)
            for severity, number in counts.items()
        )
        link = el("a", subject.environment, href=f"#{subject.anchor('environment')}")
        rows.append(el("tr", el("th", link, scope="row"), *numbers, *found))
    caption = el("caption", "Totals of each environment", class_="hidden")
    drawn = el("table", caption, el("thead", el("tr", *head)), el("tbody", *rows))
    return el("div", drawn, class_="scroll", tabindex="0", role="region", aria_label="Totals of each environment")


def _plural(severity: Severity) -> str:
    return "Advice" if severity is Severity.ADVICE else f"{severity.value.capitalize()}s"


def _differences(subjects: Sequence[Subject]) -> Html:
    rows = _rows(subjects)
    if not rows:
        return el("p", "Nothing: topics, producers, groups and streams applications are declared alike.", class_="fine")
    columns = (
        Column("Setting", "name", header=True, filtered=True), Column("Kind", filtered=True),
        *(Column(subject.environment) for subject in subjects), Column("Resources", "name"),
    )  # fmt: skip
    return render(
        Table(
            id="differences-table",
            caption="Settings that differ between environments",
            noun="differences",
            columns=columns,
            rows=rows,
            elsewhere="See all with kafka-topology show --env NAME.",
        )
    )


def _rows(subjects: Sequence[Subject]) -> list[Row]:
    """One row for each difference, with all resources that have it: a line of a profile changes many of them."""
    declarations = Declarations()
    nodes: dict[str, Node] = {node.id: node for subject in subjects for node in subject.graph.nodes}
    gathered: dict[tuple[str, str, tuple[str, ...]], list[Node]] = {}
    for node in nodes.values():
        for setting, values in _different([_settings(node, subject, declarations) for subject in subjects]):
            gathered.setdefault((TITLES[node.kind], setting, values), []).append(node)
    order = sorted(gathered, key=lambda key: (-len(gathered[key]), key))
    return [
        (setting, kind, *values, _who(gathered[kind, setting, values], subjects)) for kind, setting, values in order
    ]


def _different(held: Sequence[dict[str, str] | None]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Settings of one resource that differ, each with its value in each environment."""
    known = [settings for settings in held if settings is not None]
    if len(known) < len(held):
        yield "", tuple(_ABSENT if settings is None else "declared" for settings in held)
        return
    for setting in dict.fromkeys(name for settings in known for name in settings):
        values = tuple(settings.get(setting, _UNSET) for settings in known)
        if len(set(values)) > 1:
            yield setting, values


def _who(nodes: Sequence[Node], subjects: Sequence[Subject]) -> Cell:
    first = nodes[0]
    if len(nodes) == 1:
        link = next((href for subject in subjects if (href := subject.href(first.id)) is not None), None)
        return Cell(first.name, link, first.team)
    teams = counted(len({node.team for node in nodes}), "team")
    return Cell(f"{len(nodes):,} of {teams}", None, listed([node.name for node in nodes], most=_MOST))


def _settings(node: Node, subject: Subject, declarations: Declarations) -> dict[str, str] | None:
    if node.id not in subject.nodes:
        return None
    declared = subject.declaration(node)
    return settings_of(node, declared, declarations, subject) if declared is not None else {}
