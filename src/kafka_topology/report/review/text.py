"""A review for a terminal: by team and resource, the worst first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rich.console import Console
from rich.text import Text

from kafka_topology.review.changes import Risk
from kafka_topology.review.masking import masked
from kafka_topology.review.result import Review, SharedChange
from kafka_topology.review.whatif import WhatIf
from kafka_topology.topology.model.words import counted, visible

from ..findings.text import Quote, counts_text, findings_text
from ..formats import Format, as_plain_text
from ..paragraphs import Paragraph
from ..run import SECRET_IN_FILE
from .formats import Presented
from .words import by_team, loss_sentence, summary, what_if_sentences, where

COLOURS = {Risk.SAFE: "green", Risk.CARE: "yellow", Risk.BREAKING: "bold red", Risk.DESTRUCTIVE: "bold white on red"}
_LABEL = max(len(risk) for risk in Risk)


def _text(value: str, style: str = "") -> Text:
    return Text(visible(value), style=style)


def print_review(review: Review, console: Console, quote: Quote) -> None:
    for team, changes in by_team(review):
        console.print(_text(team, style="bold underline"))
        for _, held in groupby(changes, key=lambda shared: shared.change.title):
            _print_resource(review, list(held), console)
        console.print()
    new = tuple(shared.finding for shared in review.findings if shared.is_new)
    if new:
        console.print(findings_text(new, quote))
    for each in review.reviews:
        if each.what_if is not None:
            title = f" in {each.environment}" if each.environment and len(review.reviews) > 1 else ""
            console.print(_text(f"what if{title}", style="bold underline"))
            for sentence in what_if_sentences(each.what_if):
                console.print(Paragraph(sentence))
            console.print()
    _print_drift(review, console)
    for note in review.notes:
        console.print(_text(note, style="yellow"))
    for problem in review.could_not_check:
        console.print(_text(f"could not check: {problem}", style="bold yellow"))
    console.print(_text(f"{review.subject}: {summary(review)}", style="bold"), soft_wrap=True)
    known = len(review.findings) - len(new)
    earlier = f"; {counted(known, 'earlier finding')}" if known else ""
    console.print(_text(f"new findings: {counts_text(new) if new else 'none'}{earlier}"), soft_wrap=True)


def _print_resource(review: Review, changes: list[SharedChange], console: Console) -> None:
    console.print(_text(f"  {changes[0].change.title}", style="bold"))
    for shared in changes:
        for line in _change_lines(review, shared):
            console.print(line, soft_wrap=False)


def _change_lines(review: Review, shared: SharedChange) -> Iterator[Paragraph]:
    change = shared.change
    notes = ", ".join(filter(None, [*change.rules, where(shared, review)]))
    below = " " * (_LABEL + 6)
    yield Paragraph(
        f"{change.what}  [{notes}]" if notes else change.what,
        f"{change.risk:<{_LABEL}}  ",
        label_style=COLOURS[change.risk],
        indent="    ",
        hanging=below,
    )
    yield Paragraph(change.reason, style="dim", indent=below, hanging=below)
    for effect in change.further_effects:
        yield Paragraph(effect.text, "- ", indent=below, hanging=f"{below}  ")


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
