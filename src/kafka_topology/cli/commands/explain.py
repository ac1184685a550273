"""`kafka-topology explain`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from kafka_topology.report.findings.formats import Output
from kafka_topology.report.formats import Format, as_plain_text
from kafka_topology.report.rule_page import rule_page

from ..arguments import format_option
from ..completion import complete_rules
from ..exits import Command, Exit
from ..rule_lookup import find_rule, no_such_rule
from ..writing import deliver

if TYPE_CHECKING:
    from rich.console import Console

EXITS = {Exit.FINE: "printed", Exit.UNUSABLE: "no such rule"}


@click.command(name="explain", cls=Command, exits=EXITS, epilog="Example: kafka-topology explain KT101")
@click.argument("rule_id", metavar="RULE", shell_complete=complete_rules)
@format_option(["text", "markdown"], default="text on a terminal, or else markdown")
def command(*, rule_id: str, outputs: tuple[Output, ...]) -> None:
    """Print the page of RULE, an id or a name: what it finds, why that is bad, how to fix it."""
    rule = find_rule(rule_id)
    if rule is None:
        raise click.BadParameter(no_such_rule(rule_id), param_hint="RULE")
    page = rule_page(rule)
    text: Format[str] = Format(
        name="text",
        description="For people.",
        render=lambda held: as_plain_text(lambda console: _show(held, console)),
        show=_show,
    )
    markdown: Format[str] = Format(name="markdown", description="As in the documentation.", render=lambda held: held)
    for output in outputs or (Output("text" if sys.stdout.isatty() else "markdown"),):
        deliver(text if output.name == "text" else markdown, page, output.file, "--format")


def _show(page: str, console: Console) -> None:
    from kafka_topology.report.terminal_page import terminal_page

    console.print(terminal_page(page))
