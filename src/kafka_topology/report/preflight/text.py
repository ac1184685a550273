"""A preflight for a terminal: the answer, a line for each step, then the findings."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.text import Text

from kafka_topology.topology.model.words import visible

from ..findings.text import findings_text
from ..formats import Format, as_plain_text
from ..paragraphs import Paragraph
from .formats import Presented
from .words import changes_text, compared_text

_STYLES: Final = {"yes": "green", "no": "bold red", "could not check": "bold yellow"}
_MARKS: Final = {"yes": "yes", "no": "NO", "could not check": "?"}


def show(presented: Presented, console: Console) -> None:
    run, found = presented.run, presented.preflighted
    style = "bold green" if presented.is_yes else "bold red"
    question = f"May {visible(run.path(run.subject))} be deployed to {visible(presented.cluster)} now?"
    console.print(Text(f"{question} ").append(presented.headline, style=style), soft_wrap=True)
    console.print(Paragraph(f"{changes_text(found)} ({compared_text(found)})", indent="  ", style="dim"))
    console.print()
    width = max((len(each.step.name) for each in found.answered), default=0)
    for each in found.answered:
        mark = f"{_MARKS[each.answer]:>5}"
        label = f"{mark}  {each.step.name:<{width}}  "
        console.print(
            Paragraph(visible(each.said), label, label_style=_STYLES[each.answer], indent="", hanging=" " * len(label))
        )
    if run.findings or run.could_not_check:
        console.print()
    if run.findings:
        console.print(findings_text(run.findings, run.line, run.folder))
    for reason in run.could_not_check:
        console.print(Paragraph(reason, "could not check: ", label_style="bold red", indent=""))
    if run.suppressed:
        console.print(Text(f"not counted: {len(run.suppressed):,} suppressed", style="dim"))


FORMAT = Format(
    name="text",
    description="For people: the answer, a line for each step, and the findings.",
    render=lambda presented: as_plain_text(lambda console: show(presented, console)),
    show=show,
)
