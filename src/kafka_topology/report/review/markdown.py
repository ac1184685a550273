"""A review as a comment on a pull request: found again by a hidden mark, and never too long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kafka_topology.review.changes import Risk
from kafka_topology.review.masking import masked
from kafka_topology.review.result import Review, SharedChange, SharedFinding
from kafka_topology.topology import Location
from kafka_topology.topology.model.words import counted

from ..escaping import code, link, text
from ..formats import Format
from ..links import docs_url
from .fitting import LIMIT, MOST_ROWS, Block, fitted
from .formats import Address, Presented
from .mermaid import changed_flowchart
from .words import by_team, summary, what_if_sentences, where

SIGNS = {Risk.DESTRUCTIVE: "🔴", Risk.BREAKING: "🟠", Risk.CARE: "🟡", Risk.SAFE: "🟢"}


def mark(key: str = "") -> str:
    """The hidden line that identifies the comment. `key` separates several reviews of one pull request."""
    safe_key = "".join(char for char in key if char.isalnum() or char in "._/-")
    return f"<!-- kafka-topology:review{':' + safe_key if safe_key else ''} -->"


@dataclass(frozen=True, slots=True)
class Comment:
    """How to write a comment: where lines link to, and how long it may be."""

    address: Address = lambda _: None
    key: str = ""
    limit: int = LIMIT

    def render(self, review: Review) -> str:
        return fitted([block for block in self._blocks(review) if block.head or block.rows], self.limit)

    def _blocks(self, review: Review) -> Iterator[Block]:
        yield Block("the summary", (mark(self.key), _heading(review), ""), priority=0)
        yield _notes(review)
        yield self._risks(review)
        yield self._findings(review, new=True)
        yield _access(review)
        yield from _graphs(review)
        yield from _what_if(review)
        yield _drift(review)
        yield from self._everything(review)
        yield self._findings(review, new=False)

    def _risks(self, review: Review) -> Block:
        risky = sorted(
            (shared for shared in review.changes if shared.change.risk is not Risk.SAFE),
            key=lambda shared: -shared.change.risk.rank,
        )
        head = ("| risk | team | resource | change | effect |", "|---|---|---|---|---|")
        rows = tuple(self._row(shared, review, with_team=True) for shared in risky[:MOST_ROWS])
        unseen = len(risky) - len(rows)
        return Block("the risk table", head if rows else (), rows, ("",) if rows else (), priority=1, unseen=unseen)

    def _row(self, shared: SharedChange, review: Review, *, with_team: bool) -> str:
        change = shared.change
        risk = f"{SIGNS[change.risk]} {change.risk}"
        resource = link(f"{change.kind} {code(change.name)}", self._address(change.location))
        lines = [text(f"{change.reason[:1].upper()}{change.reason[1:]}.")]
        lines += [f"• {_sentence(effect.text)}" for effect in change.further_effects]
        notes = [*(link(rule, docs_url(rule)) for rule in change.rules), text(where(shared, review))]
        if any(notes):
            lines.append(f"<sub>{', '.join(filter(None, notes))}</sub>")
        cells = [risk, text(change.team or ""), resource, _what(shared), "<br>".join(lines)]
        if not with_team:
            del cells[1]
        return f"| {' | '.join(cells)} |"

    def _address(self, location: Location | None) -> str | None:
        return self.address(location) if location is not None else None

    def _findings(self, review: Review, *, new: bool) -> Block:
        found = [shared for shared in review.findings if shared.is_new is new]
        if not found:
            return Block("findings")
        rows = tuple(self._finding(shared, review) for shared in found[:MOST_ROWS])
        unseen = len(found) - len(rows)
        table = ("| | rule | where | finding |", "|---|---|---|---|")
        if new:
            return Block(
                "the findings", (f"### {counted(len(found), 'new finding')}", "", *table), rows, ("",), 2, unseen
            )
        title = counted(len(found), "earlier finding")
        return Block("earlier findings", *_folded(title, table, rows), priority=9, unseen=unseen)

    def _finding(self, shared: SharedFinding, review: Review) -> str:
        finding = shared.finding
        at = link(code(f"{finding.location.file}:{finding.location.line}"), self._address(finding.location))
        message = text(masked(finding.message))
        if finding.fix:
            message += f"<br><b>fix:</b> {text(masked(finding.fix))}"
        environments = where(shared, review)
        if environments:
            message += f" <sub>{text(environments)}</sub>"
        return f"| {finding.severity} | {link(text(finding.id), docs_url(finding.id))} | {at} | {message} |"

    def _everything(self, review: Review) -> Iterator[Block]:
        for team, changes in by_team(review):
            safe = sum(shared.change.risk is Risk.SAFE for shared in changes)
            count = "The only change" if len(changes) == 1 else f"All {len(changes):,} changes"
            title = f"{count} of {text(team)}" + (f", {safe:,} safe" if safe else "")
            table = ("| risk | resource | change | why |", "|---|---|---|---|")
            rows = tuple(self._row(shared, review, with_team=False) for shared in changes[:MOST_ROWS])
            unseen = len(changes) - len(rows)
            yield Block(f"the changes of {text(team)}", *_folded(title, table, rows), priority=7, unseen=unseen)


def _heading(review: Review) -> str:
    failing = any(shared.finding.severity == "error" and shared.is_new for shared in review.findings)
    risk = review.risk
    if review.unreadable or (failing and risk in (None, Risk.SAFE)):
        sign = "🔴"
    else:
        sign = SIGNS[risk] if risk is not None else "⚠️"
    environments = [name for name in review.environments if name]
    where_to = f" in {text(', '.join(environments))}" if environments else ""
    return f"### {sign} {code(review.subject)}: {text(summary(review))}{where_to}"


def _notes(review: Review) -> Block:
    lines = [f"> {text(note)}" for note in review.notes]
    lines += [f"> ⚠️ <b>Could not check:</b> {text(problem)}" for problem in review.could_not_check]
    separated = tuple(part for line in lines for part in (line, ">"))[:-1]
    return Block("notes", (*separated, "") if separated else (), priority=0)


def _what(shared: SharedChange) -> str:
    change = shared.change
    if change.kind == "access":
        return text(change.what)
    if not change.path:
        return (
            change.what
            if change.before is None or change.after is None
            else f"{code(change.before)} → {code(change.after)}"
        )
    before, after = (code(value) if value is not None else "<i>not set</i>" for value in (change.before, change.after))
    return f"{code(change.path)}<br>{before} → {after}"


def _sentence(words: str) -> str:
    return text(f"{words}.")


def _access(review: Review) -> Block:
    rows = tuple(
        f"- {_sentence(shared.change.what)}"
        for shared in review.changes
        if shared.change.kind == "access" and shared.change.risk is not Risk.SAFE
    )
    if not rows:
        return Block("access")
    return Block("the access list", ("### Access gained and lost", ""), rows, ("",), priority=4)


def _graphs(review: Review) -> Iterator[Block]:
    seen = set()
    for each in review.reviews:
        if not each.graph.nodes or each.graph in seen:
            continue
        seen.add(each.graph)
        chart, left_out = changed_flowchart(each.graph)
        title = f" in {text(each.environment)}" if each.environment and len(review.reviews) > 1 else ""
        lines = [f"### What changes{title}", "", "```mermaid", chart, "```"]
        if left_out:
            lines.append(f"<sub>{left_out:,} more not drawn.</sub>")
        yield Block(f"the graph{title}", (*lines, ""), priority=5)


def _what_if(review: Review) -> Iterator[Block]:
    for each in review.reviews:
        if each.what_if is not None:
            title = f" in {text(each.environment)}" if each.environment and len(review.reviews) > 1 else ""
            rows = tuple(f"- {text(sentence)}" for sentence in what_if_sentences(each.what_if))
            yield Block(f"what if{title}", (f"### What if{title}", ""), rows, ("",), priority=6)


def _drift(review: Review) -> Block:
    if not review.has_preview:
        return Block("drift")
    rows = tuple(f"- {text(each.kind)} {code(each.name)}: {text(each.text)}" for each in review.drift)
    return Block(
        "drift",
        ("### Drift, by the Pulumi preview", ""),
        rows or ("None: Pulumi would apply the changes of the files and nothing else.",),
        ("",),
        priority=3,
    )


def _folded(
    title: str, table: tuple[str, ...], rows: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return ("<details>", f"<summary>{title}</summary>", "", *table), rows, ("", "</details>", "")


FORMAT: Format[Presented] = Format(
    name="markdown",
    description="A comment for a pull request: updated in place, short enough for GitHub.",
    render=lambda presented: Comment(presented.address, presented.key).render(presented.review),
)
