"""A review for a terminal: by team and resource, the worst first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rich.console import Console
from rich.text import Text

from kafka_topology.review.changes import Risk
from kafka_topology.review.grouping.rows import Row
from kafka_topology.review.masking import masked
from kafka_topology.review.result import Review, at_one_place
from kafka_topology.review.what_if.question import WhatIf
from kafka_topology.topology.model.words import counted, listed, visible

from ..findings.text import Quote, counts_text, findings_text
from ..formats import Format, as_plain_text
from ..paragraphs import Paragraph
from ..run import SECRET_IN_FILE
from .formats import Presented
from .load_words import capacity_lines, changed_what_ifs, loss_sentence, what_if_sentences
from .words import (
    acceptance_line,
    acceptance_yaml,
    approvers_line,
    by_team,
    change_words,
    follower_words,
    notes_of,
    summary,
    verdict,
    where,
)

COLOURS = {Risk.SAFE: "green", Risk.CARE: "yellow", Risk.BREAKING: "bold red", Risk.DESTRUCTIVE: "bold white on red"}
_MOST_NAMES = 8
_LABEL = max(len(risk) for risk in Risk)


def _text(value: str, style: str = "") -> Text:
    return Text(visible(value), style=style)


def print_review(review: Review, console: Console, quote: Quote) -> None:
    console.print(_text(verdict(review), style="bold"), soft_wrap=True)
    console.print()
    for team, rows in by_team(review):
        console.print(_text(team, style="bold underline"))
        for _, held in groupby(rows, key=lambda row: row.title):
            _print_resource(review, list(held), console)
        console.print()
    shown = review.findings if review.shows_all else review.new_findings
    if shown:
        console.print(findings_text(tuple(each.finding for each in at_one_place(shown)), quote))
    for title, sentences in changed_what_ifs(review):
        console.print(_text(f"what if{title}", style="bold underline"))
        for sentence in sentences:
            console.print(Paragraph(sentence))
        console.print()
    for line in capacity_lines(review):
        console.print(Paragraph(line, indent="", hanging="  "))
    _print_drift(review, console)
    _print_acceptable(review, console)
    for note in notes_of(review):
        console.print(_text(note, style="yellow"))
    for problem in review.could_not_check:
        console.print(_text(f"could not check: {problem}", style="bold yellow"))
    if review.approvers:
        console.print(Paragraph(approvers_line(review), "to approve: ", indent="", hanging="  "))
    console.print(_text(f"{review.subject}: {summary(review)}", style="bold"), soft_wrap=True)
    console.print(_text(_counts(review)), soft_wrap=True)


def _counts(review: Review) -> str:
    new = tuple(shared.finding for shared in review.new_findings)
    known = len(review.findings) - len(new)
    hint = "" if review.shows_all else ", shown with --all"
    earlier = f"; {counted(known, 'earlier finding')}{hint}" if known else ""
    return f"new findings: {counts_text(new) if new else 'none'}{earlier}"


def _print_resource(review: Review, rows: list[Row], console: Console) -> None:
    first = rows[0]
    at = first.cause.location if first.is_shared and first.cause is not None else None
    console.print(_text(f"  {first.title}" + (f" ({at.file}:{at.line})" if at is not None else ""), style="bold"))
    for row in rows:
        for line in _row_lines(review, row):
            console.print(line, soft_wrap=False)


def _row_lines(review: Review, row: Row) -> Iterator[Paragraph]:
    notes = ", ".join(filter(None, [*row.rules, where(row, review)]))
    below = " " * (_LABEL + 6)
    what = change_words(row)
    yield Paragraph(
        f"{what}  [{notes}]" if notes else what,
        f"{row.risk:<{_LABEL}}  ",
        label_style=COLOURS[row.risk],
        indent="    ",
        hanging=below,
    )
    accepted = acceptance_line(row, review)
    if accepted:
        yield Paragraph(accepted, "✓ ", style="bold", indent=below, hanging=f"{below}  ")
    yield Paragraph(row.head.change.reason, style="dim", indent=below, hanging=below)
    for effect in row.effects:
        yield Paragraph(effect, "- ", indent=below, hanging=f"{below}  ")
    if row.is_shared:
        yield Paragraph(listed(row.names, most=_MOST_NAMES), "on: ", indent=below, hanging=f"{below}  ")
    for line in follower_words(row):
        yield Paragraph(line, "→ ", style="dim", indent=below, hanging=f"{below}  ")


def _print_acceptable(review: Review, console: Console) -> None:
    """The entries that would accept what fails, to copy."""
    if not review.failing_rows:
        return
    console.print(_text("to accept a risk, add it to a file of the topology", style="bold underline"))
    for line in acceptance_yaml(review.failing_rows[:_MOST_NAMES]):
        console.print(_text(f"  {line}"), soft_wrap=True)
    console.print()


def _print_drift(review: Review, console: Console) -> None:
    if not review.has_preview:
        return
    console.print(_text("drift, by the Pulumi preview", style="bold underline"))
    for each in review.drift:
        console.print(Paragraph(f"{each.kind} {each.name}: {each.text}", hanging="    "))
    if not review.drift:
        console.print("  none: Pulumi would apply the changes of the files and nothing else")
    console.print()


def print_what_if(found: WhatIf, console: Console) -> None:
    console.print(_text(f"losing {found.loss.title} (by {found.source})", style="bold underline"))
    for loss in found.topics:
        style = {"offline": "bold red", "no writes": "red", "fewer copies": ""}[loss.state]
        console.print(Paragraph(loss_sentence(loss), style=style))
        if loss.writers:
            console.print(Paragraph(", ".join(loss.writers), "stops ", indent="    ", hanging="    "))
        if loss.readers:
            stalls = "stalls" if loss.state == "offline" else "leaves waiting:"
            console.print(Paragraph(", ".join(loss.readers), f"{stalls} ", indent="    ", hanging="    "))
    console.print()
    for sentence in what_if_sentences(found):
        console.print(_text(sentence))


def _show(presented: Presented, console: Console) -> None:
    print_review(presented.review, console, _without_secrets(presented.review, presented.quote))


def _without_secrets(review: Review, quote: Quote) -> Quote:
    """Quote no line with a secret: it would end up in the build's log."""
    hidden = {
        (shared.finding.location.file, shared.finding.location.line)
        for shared in review.findings
        if shared.finding.id == SECRET_IN_FILE
    }
    return lambda at: "" if (at.file, at.line) in hidden else masked(quote(at))


FORMAT: Format[Presented] = Format(
    name="text",
    description="For people: changes by team and resource, the worst first.",
    render=lambda presented: as_plain_text(lambda console: _show(presented, console)),
    show=_show,
)
