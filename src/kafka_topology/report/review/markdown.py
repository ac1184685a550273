"""A review as a comment on a pull request: found again by a hidden mark, and never too long."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kafka_topology.review.changes import Risk
from kafka_topology.review.graph import ChangedGraph
from kafka_topology.review.grouping.rows import Row
from kafka_topology.review.grouping.shared import SharedFinding
from kafka_topology.review.masking import masked
from kafka_topology.review.result import Review, at_one_place
from kafka_topology.topology import Location, Severity
from kafka_topology.topology.model.words import agreeing, counted, listed

from ..escaping import code, link, text
from ..formats import Format
from ..links import docs_url
from .fitting import LIMIT, MOST_ROWS, Block, fitted
from .formats import Address, Presented
from .load_words import capacity_lines, changed_what_ifs
from .mermaid import changed_flowchart
from .words import (
    acceptance_line,
    acceptance_yaml,
    by_team,
    change_words,
    follower_words,
    notes_of,
    summary,
    verdict,
    where,
)

_ACCOUNT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,60}[A-Za-z0-9])?")
_FINDINGS = ("| | rule | where | finding |", "|---|---|---|---|")
_MOST_ITEMS = 40
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
    mention: str = ""  # what to write before an owner to mention it; empty mentions nobody
    page: str = ""  # the address of the page of the change

    def render(self, review: Review) -> str:
        return fitted([block for block in self._blocks(review) if block.head or block.rows], self.limit)

    def _blocks(self, review: Review) -> Iterator[Block]:
        yield Block("the summary", (mark(self.key), f"{_heading(review)}{self._page_link()}", ""), priority=0)
        yield _notes(review)
        yield self._approvers(review)
        yield from self._new_findings(review)
        yield self._risks(review)
        yield _acceptable(review)
        yield _capacity(review)
        yield from _graphs(review)
        yield from _what_if(review)
        yield _drift(review)
        yield from self._everything(review)
        yield self._earlier_findings(review)

    def _page_link(self) -> str:
        return f" · {link('the change as a page', self.page)}" if self.page else ""

    def _approvers(self, review: Review) -> Block:
        if not review.approvers:
            return Block("who must approve")
        rows = (f"{self._owner(owner)} ({text(listed(why, most=3))})" for owner, why in review.approvers.items())
        return Block("who must approve", (f"<b>To approve:</b> {'; '.join(rows)}", ""), priority=1)

    def _owner(self, owner: str) -> str:
        """A mention only if it was asked for, and only of what can be the name of an account or a team."""
        if self.mention and _ACCOUNT.fullmatch(owner):
            return f"{self.mention}{owner}"
        return code(owner)

    def _risks(self, review: Review) -> Block:
        risky = [row for row in review.rows if row.risk is not Risk.SAFE]
        head = ("| risk | team | resource | change | effect |", "|---|---|---|---|---|")
        rows = tuple(self._row(row, review, with_team=True) for row in risky[:MOST_ROWS])
        unseen = len(risky) - len(rows)
        tail = ("",) if rows else ()
        return Block("the risk table", head if rows else (), rows, tail, priority=2, unseen=unseen, share=0.7)

    def _row(self, row: Row, review: Review, *, with_team: bool) -> str:
        change = row.head.change
        risk = f"{SIGNS[row.risk]} {row.risk}"
        accepted = acceptance_line(row, review)
        lines = [f"✅ <b>{text(accepted[:1].upper() + accepted[1:])}.</b>"] if accepted else []
        lines.append(text(f"{change.reason[:1].upper()}{change.reason[1:]}."))
        lines += [f"• {_sentence(effect)}" for effect in row.effects]
        fix = review.fix_of(row)
        lines += [f"<b>fix:</b> {text(masked(fix))}"] if fix and not accepted else []
        lines += _folded_list(row)
        notes = [*(link(rule, docs_url(rule)) for rule in row.rules), text(where(row, review))]
        if any(notes):
            lines.append(f"<sub>{', '.join(filter(None, notes))}</sub>")
        cells = [risk, text(row.team or ", ".join(row.teams)), self._resource(row), _what(row), "<br>".join(lines)]
        if not with_team:
            del cells[1]
        return f"| {' | '.join(cells)} |"

    def _resource(self, row: Row) -> str:
        change = row.head.change
        if not row.is_shared or row.cause is None:
            return link(f"{change.kind} {code(change.name)}", self._address(change.location))
        at = row.cause.location
        place = f"<br>{link(code(f'{at.file}:{at.line}'), self._address(at))}" if at is not None else ""
        return f"{text(row.title)}{place}"

    def _address(self, location: Location | None) -> str | None:
        return self.address(location) if location is not None else None

    def _new_findings(self, review: Review) -> Iterator[Block]:
        """The errors first: they fail the check, so they are the last to be cut."""
        found = at_one_place(shared for shared in review.new_findings if not _is_in_a_row(shared, review))
        errors = [shared for shared in found if shared.finding.severity is Severity.ERROR]
        others = [shared for shared in found if shared.finding.severity is not Severity.ERROR]
        parts = (("new error", errors, 1), ("other new finding" if errors else "new finding", others, 3))
        for noun, held, priority in parts:
            if held:
                rows, unseen = self._finding_rows(held, review)
                head = (f"### {counted(len(held), noun)}", "", *_FINDINGS)
                yield Block(f"the {noun}s", head, rows, ("",), priority, unseen, share=0.6)

    def _earlier_findings(self, review: Review) -> Block:
        found = at_one_place(shared for shared in review.findings if not shared.is_new)
        if not found:
            return Block("findings")
        title = counted(len(found), "earlier finding")
        if not review.shows_all:
            does = agreeing(len(found), "does", "do")
            return Block(
                "earlier findings", (f"<sub>{title} {does} not count; --all shows them.</sub>", ""), priority=4
            )
        rows, unseen = self._finding_rows(found, review)
        return Block("earlier findings", *_folded(title, _FINDINGS, rows), priority=9, unseen=unseen)

    def _finding_rows(self, found: Sequence[SharedFinding], review: Review) -> tuple[tuple[str, ...], int]:
        rows = tuple(self._finding(shared, review) for shared in found[:MOST_ROWS])
        return rows, len(found) - len(rows)

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
        """The risk table has the others."""
        for team, held in by_team(review):
            changes = [row for row in held if row.risk is Risk.SAFE]
            if not changes:
                continue
            title = f"{counted(len(changes), 'safe change')} of {text(team)}"
            table = ("| risk | resource | change | why |", "|---|---|---|---|")
            rows = tuple(self._row(row, review, with_team=False) for row in changes[:MOST_ROWS])
            unseen = len(changes) - len(rows)
            yield Block(f"the safe changes of {text(team)}", *_folded(title, table, rows), priority=7, unseen=unseen)


def _heading(review: Review) -> str:
    """What fails, then what changes."""
    environments = [name for name in review.environments if name]
    where_to = f" in {text(', '.join(environments))}" if environments else ""
    told = f"{code(review.subject)}: {text(summary(review))}{where_to}"
    return f"### {text(verdict(review))}\n\n{told}"


def _notes(review: Review) -> Block:
    lines = [f"> {text(note)}" for note in notes_of(review)]
    lines += [f"> ⚠️ <b>Could not check:</b> {text(problem)}" for problem in review.could_not_check]
    separated = tuple(part for line in lines for part in (line, ">"))[:-1]
    return Block("notes", (*separated, "") if separated else (), priority=0)


def _what(row: Row) -> str:
    change = row.head.change
    reach = f"<br>on {text(row.reach)}" if row.reach else ""
    if change.action == "rename" and change.before is not None:
        return f"renamed from {code(change.before)}"
    if change.kind == "access" or (row.cause is not None and (row.cause.text or row.cause.kind == "kafka")):
        return text(change_words(row))
    if not change.path:
        both = change.before is not None and change.after is not None
        return (f"{code(change.before or '')} → {code(change.after or '')}" if both else change.what) + reach
    before, after = (code(value) if value is not None else "<i>not set</i>" for value in (change.before, change.after))
    return f"{code(change.path)}<br>{before} → {after}{reach}"


def _folded_list(row: Row) -> list[str]:
    """The resources that a shared line changes, or what follows from the head, folded."""
    if row.is_shared:
        title, items = row.reach, [code(name) for name in row.names]
    else:
        items = [text(words) for words in follower_words(row)]
        title = f"{counted(len(items), 'change')} that {agreeing(len(items), 'follows', 'follow')} from it"
    if not items:
        return []
    shown = items[:_MOST_ITEMS]
    if len(items) > len(shown):
        shown.append(f"and {len(items) - len(shown):,} more")
    return [f"<details><summary>{text(title)}</summary>{'<br>'.join(shown)}</details>"]


def _sentence(words: str) -> str:
    return text(f"{words}.")


def _acceptable(review: Review) -> Block:
    """The entries that would accept what fails, folded, to copy."""
    failing = review.failing_rows
    if not failing:
        return Block("how to accept")
    lines = tuple(acceptance_yaml(failing[:_MOST_ITEMS]))
    head = ("<details>", "<summary>To accept a risk, add it to a file of its owner</summary>", "", "```yaml")
    return Block(
        "how to accept", (*head, *(line.replace("`", "") for line in lines), "```", "</details>", ""), priority=5
    )


def _is_in_a_row(shared: SharedFinding, review: Review) -> bool:
    """Whether the risk table says the same: a finding about a change, unless it is an error, which fails."""
    if shared.accepted is not None:
        return True
    finding = shared.finding
    is_error = finding.severity is Severity.ERROR
    return not is_error and (finding.id, finding.resource, finding.message) in review.findings_of_rows


def _capacity(review: Review) -> Block:
    lines = tuple(f"- {_sentence(line[:1].upper() + line[1:])}" for line in capacity_lines(review))
    return Block("the load of brokers", (*lines, "") if lines else (), priority=4)


def _graphs(review: Review) -> Iterator[Block]:
    held: dict[ChangedGraph, list[str]] = {}
    for each in review.reviews:
        if each.graph.nodes:
            held.setdefault(each.graph, []).append(each.environment or "the base")
    for graph, names in held.items():
        chart, left_out = changed_flowchart(graph)
        title = f" in {text(', '.join(names))}" if len(names) < len(review.reviews) else ""
        lines = [f"### What changes{title}", "", "```mermaid", chart, "```"]
        if left_out:
            lines.append(f"<sub>{left_out:,} more not drawn.</sub>")
        yield Block(f"the graph{title}", (*lines, ""), priority=5)


def _what_if(review: Review) -> Iterator[Block]:
    for environments, sentences in changed_what_ifs(review):
        title = text(environments)
        rows = tuple(f"- {text(sentence)}" for sentence in sentences)
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
    render=lambda presented: Comment(
        presented.address, presented.key, mention=presented.mention, page=presented.page
    ).render(presented.review),
)
