"""`kafka-topology explain`."""

from __future__ import annotations

import sys

import click
from rich.console import Console

from kafka_topology.cli.catalogue import find_rule, suggestion_for
from kafka_topology.report.rule_page import rule_page


@click.command(name="explain", epilog="Example: kafka-topology explain KT101")
@click.argument("rule_id", metavar="RULE")
def command(rule_id: str) -> None:
    """Print the page of a rule, by its id or name: what it finds, why that is bad, how to fix it.

    Markdown when the output is not a terminal.
    """
    rule = find_rule(rule_id)
    if rule is None:
        raise click.BadParameter(f"no rule is called {rule_id}{suggestion_for(rule_id)}", param_hint="RULE")
    page = rule_page(rule)
    if not sys.stdout.isatty():
        click.echo(page, nl=False)
        return
    from kafka_topology.report.terminal_page import terminal_page

    Console(highlight=False).print(terminal_page(page))
