"""A review for a terminal: by team and resource, the worst first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from kafka_topology.review.changes import Risk
from kafka_topology.review.result import Review, SharedChange
from kafka_topology.review.whatif import WhatIf

from .review_words import by_team, loss_sentence, summary, what_if_sentences, where
from .text import Quote, counts_text, findings_text

COLOURS = {Risk.SAFE: "green", Risk.CARE: "yellow", Risk.BREAKING: "bold red", Risk.DESTRUCTIVE: "bold white on red"}
_LABEL = max(len(risk) for risk in Risk)


def print_review(review: Review, console: Console, quote: Quote) -> None:
    for team, changes in by_team(review):
        console.print(Text(team, style="bold underline"))
        for _, held in groupby(changes, key=lambda shared: shared.change.title):
            _print_resource(review, list(held), console)
        console.print()
    new = tuple(shared.finding for shared in review.findings if shared.is_new)
    if new:
        console.print(findings_text(new, quote))
    for each in review.reviews:
        if each.what_if is not None:
            title = f" in {each.environment}" if each.environment and len(review.reviews) > 1 else ""
            console.print(Text(f"what if{title}", style="bold underline"))
            for sentence in what_if_sentences(each.what_if):
                console.print(Padding(Text(sentence), (0, 0, 0, 2), expand=False))
            console.print()
    _print_drift(review, console)
    for note in review.notes:
        console.print(Text(note, style="yellow"))
    for problem in review.could_not_check:
        console.print(Text(f"could not check: {problem}", style="bold yellow"))
    console.print(Text(f"{review.subject}: {summary(review)}", style="bold"), soft_wrap=True)
    known = len(review.findings) - len(new)
    counts = counts_text(new) if new else "no new findings"
    was = f"; {known:,} {'was' if known == 1 else 'were'} there before" if known else ""
    console.print(Text(f"findings: {counts}{was}"), soft_wrap=True)


def _print_resource(review: Review, changes: list[SharedChange], console: Console) -> None:
    console.print(Text(f"  {changes[0].change.title}", style="bold"))
    for shared in changes:
        for line in _change_lines(review, shared):
            console.print(line, soft_wrap=False)


def _change_lines(review: Review, shared: SharedChange) -> Iterator[Text | Padding]:
    change = shared.change
    head = Text("    ")
    head.append(f"{change.risk:<{_LABEL}}", style=COLOURS[change.risk])
    head.append(f"  {change.what}")
    notes = [*change.rules, where(shared, review)]
    if any(notes):
        head.append(f"  [{', '.join(filter(None, notes))}]", style="dim")
    yield head
    indent = (0, 0, 0, _LABEL + 6)
    yield Padding(Text(change.reason, style="dim"), indent, expand=False)
    for effect in change.effects:
        if effect.text != change.what:
            yield Padding(Text(f"- {effect.text}"), indent, expand=False)


def _print_drift(review: Review, console: Console) -> None:
    if not review.has_preview:
        return
    console.print(Text("drift, by the Pulumi preview", style="bold underline"))
    for each in review.drift:
        console.print(Padding(Text(f"{each.kind} {each.name}: {each.text}"), (0, 0, 0, 2), expand=False))
    if not review.drift:
        console.print("  none: Pulumi would do what the files change, and nothing else")
    console.print()


def print_what_if(found: WhatIf, console: Console) -> None:
    console.print(Text(f"losing {found.loss.title} (by {found.source})", style="bold underline"))
    for loss in found.topics:
        style = {"offline": "bold red", "no writes": "red", "fewer copies": ""}[loss.state]
        console.print(Padding(Text(loss_sentence(loss), style=style), (0, 0, 0, 2), expand=False))
        if loss.writers:
            console.print(Padding(Text(f"stops {', '.join(loss.writers)}"), (0, 0, 0, 4), expand=False))
        if loss.readers:
            stalls = "stalls" if loss.state == "offline" else "then wait for records:"
            console.print(Padding(Text(f"{stalls} {', '.join(loss.readers)}"), (0, 0, 0, 4), expand=False))
    console.print()
    for sentence in what_if_sentences(found):
        console.print(Text(sentence))
