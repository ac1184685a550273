"""`kafka-topology explain`."""

from __future__ import annotations

import sys

import click

from kafka_topology.report.rule_page import rule_page

from ..exits import Command, Exit
from ..rule_lookup import find_rule, no_such_rule

EXITS = {Exit.FINE: "printed", Exit.UNUSABLE: "no such rule"}


@click.command(name="explain", cls=Command, exits=EXITS, epilog="Example: kafka-topology explain KT101")
@click.argument("rule_id", metavar="RULE")
def command(rule_id: str) -> None:
    """Print the page of RULE, an id or a name: what it finds, why that is bad, how to fix it.

    Prints Markdown when the output is not a terminal.
    """
    rule = find_rule(rule_id)
    if rule is None:
        raise click.BadParameter(no_such_rule(rule_id), param_hint="RULE")
    page = rule_page(rule)
    if not sys.stdout.isatty():
        click.echo(page, nl=False)
        return
    from kafka_topology.report.terminal_page import terminal_page

    from ..writing import plain_console

    plain_console().print(terminal_page(page))
