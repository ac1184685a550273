"""The tables of a change: every cause with its risk and effects, and what the rules newly find."""

from __future__ import annotations

from kafka_topology.review.grouping.rows import Row as Cause
from kafka_topology.review.masking import masked
from kafka_topology.review.result import Review, at_one_place
from kafka_topology.topology import Location
from kafka_topology.topology.model.words import listed

from ...page.markup.html import Html, el
from ...page.markup.tables import Cell, Column, Row, Table, render
from ..formats import Address, Presented
from ..words import NO_TEAM, SEVERAL, acceptance_line, change_words, follower_words, where
from .graphs import DrawnChange

_MOST_NAMES = 12


def changes_table(presented: Presented, drawn: list[DrawnChange]) -> Html:
    review = presented.review
    if not review.rows:
        said = "No changes." if review.base is not None and review.risk is not None else "Nothing was compared."
        return el("p", said)
    anchors = {key: anchor for each in reversed(drawn) for key, anchor in each.anchors.items()}
    rows = [_row(row, review, presented.address, anchors) for row in review.rows]
    columns = (
        Column("Risk", "severity", filtered=True), Column("Team", "team", filtered=True),
        Column("Resource", "name", header=True), Column("Change", "text"), Column("Why, and what follows", "text"),
        Column("Where", "where"),
    )  # fmt: skip
    return render(Table(id="changes-table", caption="Changes", noun="changes", columns=columns, rows=rows))


def _row(row: Cause, review: Review, address: Address, anchors: dict[tuple[str, str], str]) -> Row:
    change = row.head.change
    anchor = None if row.is_shared else anchors.get((change.kind, change.name))
    at = row.cause.location if row.is_shared and row.cause is not None else change.location or change.lost_at
    names = listed(row.names, most=_MOST_NAMES) if row.is_shared else ""
    accepted = acceptance_line(row, review)
    follows = [f"✓ {accepted[:1].upper()}{accepted[1:]}."] if accepted else []
    follows += [f"• {effect}." for effect in row.effects]
    follows += [f"→ {line}." for line in follower_words(row)]
    if row.rules:
        follows.append(f"[{', '.join(row.rules)}]")
    reason = f"{change.reason[:1].upper()}{change.reason[1:]}."
    return (
        Cell(row.risk.value, None, "accepted" if accepted else ""),
        row.team or (SEVERAL if row.is_shared and len(row.teams) > 1 else NO_TEAM),
        Cell(row.title, f"#{anchor}" if anchor else None, where(row, review)),
        Cell(change_words(row), None, names),
        Cell(reason, None, " ".join(follows)),
        _place(at, address),
    )


def _place(at: Location | None, address: Address) -> Cell:
    return Cell("") if at is None else Cell(f"{at.file}:{at.line}", address(at))


def findings_table(presented: Presented) -> Html:
    review = presented.review
    found = at_one_place(review.findings if review.shows_all else review.new_findings)
    known = sum(not each.is_new for each in review.findings)
    if not found:
        said = "No new findings." if not review.unreadable else "The new version cannot be read."
        return el("p", f"{said}{_earlier(known)}", class_=None if review.unreadable else "fine")
    rows: list[Row] = [
        (
            each.finding.severity.value,
            each.finding.id,
            Cell(each.finding.resource, None, where(each, review)),
            "new" if each.is_new else "earlier",
            Cell(masked(each.finding.message), None, f"fix: {masked(each.finding.fix)}" if each.finding.fix else ""),
            _place(each.finding.location, presented.address),
        )
        for each in found
    ]
    columns = (
        Column("Severity", "severity", filtered=True), Column("Rule", "rule", filtered=True),
        Column("Resource", "name", header=True), Column("Since", filtered=True), Column("Finding", "text"),
        Column("Where", "where"),
    )  # fmt: skip
    drawn = render(Table(id="findings-table", caption="Findings", noun="findings", columns=columns, rows=rows))
    left = "" if review.shows_all else _earlier(known)
    return el("div", drawn, el("p", left.strip(), class_="hint") if left else None)


def _earlier(known: int) -> str:
    if not known:
        return ""
    finding, does = ("finding", "does") if known == 1 else ("findings", "do")
    return f" {known:,} earlier {finding} {does} not count; --all shows them."
