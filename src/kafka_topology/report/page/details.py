"""The details of one resource: its declaration with origins, its neighbours, findings and access."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kafka_topology.graph import Node
from kafka_topology.graph.model import TITLES
from kafka_topology.topology import Finding, Layer, Place
from kafka_topology.topology.language.document import DOCUMENT
from kafka_topology.topology.model.declared import Client, Declared
from kafka_topology.topology.model.words import counted

from .markup.html import Html, el, join, name, raw
from .subject import Subject

MASKED = "********"
MAX_BYTES = 4_000_000  # of all details together
_MOST = 40  # neighbours, findings or principals of one resource
_SECTIONS = {
    "topic": "topics",
    "producer": "producers",
    "group": "consumerGroups",
    "shareGroup": "shareGroups",
    "streams": "streams",
}
_WRITTEN_NOWHERE = (Layer.LANGUAGE, Layer.KAFKA)
_LINK = re.compile(r' href="#(?:e\d+-)?([a-zA-Z]+-[0-9a-f]{12})"')
Path = tuple[str | int, ...]


def all_details(subject: Subject, room: int | None = None) -> Html:
    """Details of every resource that fits: drawn ones first, then those with findings."""
    drawn = {node.id for node in subject.drawn.nodes}
    order = sorted(subject.graph.nodes, key=lambda node: (node.id not in drawn, node.id not in subject.findings))
    subject.described = frozenset(node.id for node in order)
    articles = _that_fit(order, subject, Declarations(), MAX_BYTES if room is None else room)
    if len(articles) == len(order):
        return join(*articles)
    subject.described = frozenset(node.id for node in order[: len(articles)])

    def kept(link: re.Match[str]) -> str:
        return link[0] if link[1] in subject.described else ""

    # Quotes in text are escaped, so only links look like this.
    return raw(_LINK.sub(kept, join(*articles)))


def _that_fit(nodes: list[Node], subject: Subject, declarations: Declarations, room: int) -> list[Html]:
    articles: list[Html] = []
    for node in nodes:
        article = _article(node, subject, declarations)
        room -= len(article)
        if room < 0:
            break
        articles.append(article)
    return articles


class Declarations:
    """Each declaration as plain data of the language."""

    def __init__(self) -> None:
        self._kinds = {kind: DOCUMENT.by_name[section].kind for kind, section in _SECTIONS.items()}

    def of(self, node: Node, declared: Declared) -> dict[str, Any]:
        written = self._kinds[node.kind].dump({node.name: declared})
        found: dict[str, Any] = written[node.name]
        return found


def _article(node: Node, subject: Subject, declarations: Declarations) -> Html:
    declared = subject.declaration(node)
    anchor = subject.anchor(node.id)
    kind = TITLES[node.kind]
    subtitle = f"{kind}, declared elsewhere" if node.external else f"{kind} of {node.team}"
    if node.owner is None and not node.external:
        subtitle = f"{kind} without an owner"
    return el(
        "article",
        el("h3", name(node.name), tabindex="-1", id=f"{anchor}-title"),
        el("p", subtitle, class_="subtitle"),
        el("p", subject.place_link(declared.location, "Declared at ")) if declared is not None else None,
        _findings(subject.findings.get(node.id, []), subject),
        _neighbours(node, subject),
        _declaration(declarations.of(node, declared), declared, subject) if declared is not None else None,
        _access(node, declared, subject),
        id=anchor,
        aria_labelledby=f"{anchor}-title",
    )


def _findings(findings: list[Finding], subject: Subject) -> Html | None:
    if not findings:
        return None
    items = []
    for finding in findings[:_MOST]:
        badge = el("span", finding.severity.value, class_="badge", data_value=finding.severity.value)
        fix = el("span", f"fix: {finding.fix}", class_="more") if finding.fix else None
        at = subject.place_link(finding.location)
        items.append(el("li", badge, " ", el("b", finding.id), " ", finding.message, " ", at, fix))
    return join(el("h4", counted(len(findings), "finding")), el("ul", *items, _more(len(findings))))


def _neighbours(node: Node, subject: Subject) -> Html | None:
    verbs = ("Written by", "Read by") if node.kind == "topic" else ("Reads", "Writes")
    parts = []
    for verb, near in zip(verbs, (subject.sources.get(node.id, []), subject.targets.get(node.id, [])), strict=True):
        if near:
            links = [
                el(
                    "li",
                    el("a", name(other.name), href=subject.href(other.id)),
                    f" ({TITLES[other.kind]}, {other.team})",
                )
                for other in near[:_MOST]
            ]
            parts.append(join(el("h4", verb), el("ul", *links, _more(len(near)))))
    return join(*parts) if parts else None


def _declaration(plain: dict[str, Any], declared: Declared, subject: Subject) -> Html:
    rows = []
    for path, value in _leaves(plain):
        place = declared.place(*path)
        if place.layer in _WRITTEN_NOWHERE:
            origin = el("span", str(place.layer), class_="more where")
        else:
            by = "" if place.layer is Layer.RESOURCE else f"{place}, "
            origin = subject.place_link(place.location, by, "more where")
        value_and_origin = el("td", _shown(value, place, subject), origin)
        rows.append(el("tr", el("th", name(_spelled(path)), scope="row"), value_and_origin))
    head = el("tr", *(el("th", title, scope="col") for title in ("Setting", "Value, and where it is set")))
    return join(
        el("h4", "Declaration"),
        el("table", el("caption", "Declaration", class_="hidden"), el("thead", head), el("tbody", *rows)),
    )


def settings_of(node: Node, declared: Declared, declarations: Declarations, subject: Subject) -> dict[str, str]:
    """Every setting of a resource with its value, without secrets."""
    plain = declarations.of(node, declared)
    return {_spelled(path): _shown(value, declared.place(*path), subject) for path, value in _leaves(plain)}


def _shown(value: Any, place: Place, subject: Subject) -> str:
    is_secret = place.location in subject.secrets and place.layer not in _WRITTEN_NOWHERE
    return MASKED if is_secret else _value(value)


def _spelled(path: Path) -> str:
    return ".".join(str(step) for step in path)


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every single value by its path. A list of scalars counts as one value."""
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _leaves(item, (*path, name))
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    else:
        yield path, value


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(_value(item) for item in value)
    return str(value)


def _access(node: Node, declared: Declared | None, subject: Subject) -> Html | None:
    if node.kind == "topic":
        rights = subject.access.of_topic(node.name)
        items = [el("li", el("code", who), f" may {what}") for who, what in list(rights.items())[:_MOST]]
        if not items:
            return None
        return join(el("h4", "Access"), el("ul", *items, _more(len(rights))))
    principals = declared.principals if isinstance(declared, Client) else ()
    if not principals:
        return None
    named = [part for principal in principals for part in (" or ", el("code", principal))]
    return join(el("h4", "Access"), el("p", "Connects as ", *named[1:]))


def _more(count: int) -> Html | None:
    return el("li", f"and {count - _MOST:,} more") if count > _MOST else None
