"""The sections of the page, except the record checks and the audit."""

from __future__ import annotations

from kafka_topology.graph import Node
from kafka_topology.graph.model import TITLES, resource_id
from kafka_topology.topology import Severity
from kafka_topology.topology.model.words import agreeing, counted, listed

from .access import resource_words, together
from .markup.html import Html, el, join, name
from .markup.tables import Cell, Column, Row, Table, render
from .subject import Subject
from .totals import totals

MATRIX_CELLS = 20_000
MATRIX_PRINCIPALS = 200


def summary(subject: Subject) -> Html:
    topology, run = subject.topology, subject.run
    declared = (
        (len(topology.topics), "topic"), (len(topology.producers), "producer"),
        (len(topology.consumer_groups), "consumer group"), (len(topology.share_groups), "share group"),
        (len(topology.streams), "streams application"),
        (len({node.owner for node in subject.graph.nodes if node.owner}), "team"),
        (len(subject.access.principals), "principal"),
    )  # fmt: skip
    cards = [_card(number, noun) for number, noun in declared if number]
    for severity in Severity:
        number = sum(finding.severity is severity for finding in run.findings)
        cards.append(_card(number, severity.value, "advice" if severity is Severity.ADVICE else None, severity.value))
    if run.suppressed:
        cards.append(_card(len(run.suppressed), "suppressed finding"))
    if subject.audit is not None:
        found = len(subject.audit.findings)
        tone = "fine" if not found and subject.audit.is_complete else "error"
        cards.append(_card(found, "finding on the cluster", "findings on the cluster", tone))
    if subject.checks is not None:
        wrong = subject.checks.violations
        cards.append(
            _card(wrong, "violation in records", "violations in records", "fine" if subject.checks.is_fine else "error")
        )
    return subject.section("summary", "Summary", el("ul", *cards, class_="cards"))


def _card(number: int, noun: str, plural: str | None = None, value: str | None = None) -> Html:
    name = agreeing(number, noun, plural or f"{noun}s")
    tone = value if number or value == "fine" else None
    return el("li", el("b", f"{number:,}"), " ", name, data_value=tone)


def findings(subject: Subject) -> Html:
    order = {severity: -severity.rank for severity in Severity}
    rows = [
        (
            finding.severity.value,
            finding.id,
            Cell(finding.resource, subject.href(resource_id(finding.kind, finding.resource)), finding.kind),
            subject.team_of(finding),
            Cell(finding.message, None, f"fix: {finding.fix}" if finding.fix else ""),
            subject.place(finding.location),
        )
        for finding in sorted(subject.run.findings, key=lambda each: order[each.severity])
    ]
    if not rows:
        return subject.section("findings", "Findings", el("p", "No findings.", class_="fine"))
    columns = (
        Column("Severity", "severity", filtered=True), Column("Rule", "rule", filtered=True),
        Column("Resource", "name", header=True), Column("Team", "team", filtered=True), Column("Finding", "text"),
        Column("Where", "where"),
    )  # fmt: skip
    everything = "See all with kafka-topology validate --format json."
    table = Table(
        id=subject.anchor("findings-table"),
        caption="Findings",
        noun="findings",
        columns=columns,
        rows=rows,
        elsewhere=everything,
        link_base=subject.link_base,
    )
    return subject.section("findings", "Findings", totals(subject, table.id), render(table))


def access(subject: Subject) -> Html:
    grants = subject.access.grants
    if not grants:
        return subject.section("access", "Access", el("p", "No role declares a principal, and no ACL is declared."))
    rows = [
        (
            grant.principal,
            grant.permission,
            ", ".join(operations),
            f"{resource_words(grant)}{'' if grant.host == '*' else f' from {grant.host}'}",
            Cell(grant.reasons[0].text, None, subject.where(grant.place.location)),
        )
        for grant, operations in together(grants)
    ]
    columns = (
        Column("Principal", "name", header=True, filtered=True), Column("Permission", filtered=True),
        Column("Operations"), Column("On"), Column("Why", "text"),
    )  # fmt: skip
    everything = "See all with kafka-topology show --acls."
    table = Table(
        id=subject.anchor("access-table"),
        caption="ACLs",
        noun="ACLs",
        columns=columns,
        rows=rows,
        elsewhere=everything,
    )
    return subject.section("access", "Access", _matrix(subject), el("h3", "All ACLs"), render(table))


def _matrix(subject: Subject) -> Html:
    title = el("h3", "Access to each topic")
    topics = [node for node in subject.graph.nodes if node.kind == "topic"]
    rights = {node.name: subject.access.of_topic(node.name) for node in topics[: MATRIX_CELLS + 1]}
    principals = sorted({principal for row in rights.values() for principal in row})
    if len(principals) > MATRIX_PRINCIPALS or len(topics) * len(principals) > MATRIX_CELLS:
        text = (
            f"{counted(len(topics), 'topic')} and {counted(len(principals), 'principal')} are too many for a matrix. "
            "The details of a topic list its principals, and the table below lists all ACLs."
        )
        return join(title, el("p", text, class_="limit"))
    head = el("tr", el("th", "Topic", scope="col"), *(el("th", name(who), scope="col") for who in principals))
    body = []
    for node in topics:
        cells = (_right(rights[node.name].get(who, "")) for who in principals)
        topic = el("th", el("a", name(node.name), href=subject.href(node.id)), scope="row")
        body.append(el("tr", topic, *cells))
    caption = el("caption", "What each principal may do with each topic", class_="hidden")
    table = el("table", caption, el("thead", head), el("tbody", *body), class_="matrix")
    return join(
        title, el("div", table, class_="scroll matrix-box", tabindex="0", role="region", aria_label="Access matrix")
    )


def _right(words: str) -> Html:
    if not words:
        return el("td", el("span", "nothing", class_="hidden"))
    strongest = next(right for right in ("manage", "write", "read", "look") if right in words)
    return el("td", words, data_right=strongest)


def resources(subject: Subject) -> Html:
    rows = [_resource(node, subject) for node in subject.graph.nodes]
    columns = (
        Column("Name", "name", header=True), Column("Kind", filtered=True), Column("Team", "team", filtered=True),
        Column("Data from"), Column("Data to"), Column("Declared at", "where"), Column("Findings", "number"),
    )  # fmt: skip
    everything = "See all with kafka-topology graph --format json."
    table = Table(
        id=subject.anchor("resources-table"),
        caption="Resources",
        noun="resources",
        columns=columns,
        rows=rows,
        elsewhere=everything,
        link_base=subject.link_base,
    )
    left = len(subject.graph.nodes) - len(subject.described)
    note = None
    if left:
        text = f"{left:,} resources are listed without their details, which would make this page too large."
        note = el("p", f"{text} With --focus NAME the page has those around one resource or team.", class_="limit")
    return subject.section("resources", "Resources", note, render(table))


def _resource(node: Node, subject: Subject) -> Row:
    declared = subject.declaration(node)
    return (
        Cell(node.name, subject.href(node.id)),
        TITLES[node.kind],
        node.team,
        listed([other.name for other in subject.sources.get(node.id, [])], most=4),
        listed([other.name for other in subject.targets.get(node.id, [])], most=4),
        subject.place(declared.location) if declared is not None else "elsewhere",
        str(len(subject.findings.get(node.id, ())) or ""),
    )
