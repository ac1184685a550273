"""A preflight as Markdown, for the summary of a job."""

from __future__ import annotations

from typing import Final

from .. import escaping
from ..findings import markdown as findings
from ..formats import Format
from .formats import Presented
from .words import changes_text, compared_text

_MARKS: Final = {"yes": "✅", "no": "❌", "could not check": "❓"}


def render(presented: Presented) -> str:
    found, run = presented.preflighted, presented.run
    mark = "✅" if presented.is_yes else "❌" if run.failing else "❓"
    where = f" in {run.environment}" if run.environment else ""
    lines = [
        f"### {mark} kafka-topology preflight{escaping.text(where)}: {presented.headline}",
        "",
        f"{escaping.text(changes_text(found))} ({escaping.text(compared_text(found))}).",
        "",
        "| | step | |",
        "|---|---|---|",
        *(f"| {_MARKS[each.answer]} | {each.step.name} | {escaping.text(each.said)} |" for each in found.answered),
        "",
    ]
    # Its own heading would repeat the answer.
    rest = findings.render(run).split("\n", 2)[2] if run.findings or run.could_not_check else ""
    return "\n".join(lines) + rest


FORMAT = Format(name="markdown", description="A table, for a comment or a job summary.", render=render)
