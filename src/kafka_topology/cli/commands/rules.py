"""`kafka-topology rules`."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.table import Table

from kafka_topology.report.links import docs_page, docs_url
from kafka_topology.report.rule_page import category
from kafka_topology.report.text import COLOURS
from kafka_topology.topology import Severity
from kafka_topology.validators import Rule, installed_rules


@click.command(name="rules", epilog="Example: kafka-topology rules --category durability --severity error")
@click.option(
    "--severity",
    type=click.Choice([severity.value for severity in Severity]),
    help="Only rules of this severity.",
)
@click.option("--category", "wanted_category", metavar="NAME", help="Only rules of this category, such as storage.")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(severity: str | None, wanted_category: str | None, output_format: str) -> None:
    """List the rules: built-in ones and those of installed rule packs."""
    packs = installed_rules()
    categories = list(dict.fromkeys(category(rule) for rule in packs.rules))
    if wanted_category is not None and wanted_category not in categories:
        raise click.BadParameter(f"choose from {', '.join(categories)}", param_hint="--category")
    rules = [
        rule
        for rule in packs.rules
        if severity in (None, rule.severity.value) and wanted_category in (None, category(rule))
    ]
    if output_format == "json":
        click.echo(json.dumps({"rules": [_json(rule) for rule in rules]}, indent=2))
    else:
        console = Console(highlight=False)
        console.print(_table(rules))
        console.print(f"rules: {len(rules)}; more about one: kafka-topology explain ID")
    for pack in packs.broken:
        click.echo(f"the rule pack {pack.name} cannot be loaded: {pack.reason}", err=True)


def _table(rules: list[Rule]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("id", no_wrap=True)
    table.add_column("severity", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("name and what it finds", ratio=1)
    for rule in rules:
        style = COLOURS[rule.severity]
        text = f"[bold]{rule.name}[/]\n{_escaped(rule.summary)}"
        table.add_row(rule.id, f"[{style}]{rule.severity.value}[/]", "on" if rule.enabled else "off", text)
    return table


def _escaped(text: str) -> str:
    return text.replace("[", r"\[")


def _json(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id,
        "name": rule.name,
        "category": category(rule),
        "severity": rule.severity.value,
        "enabled": rule.enabled,
        "aboutChanges": rule.about_changes,
        "summary": rule.summary,
        "why": rule.why,
        "fix": rule.fix,
        "options": [{"name": o.name, "default": o.default, "doc": o.doc} for o in rule.options],
        "requirements": list(rule.requirements),
        "docs": docs_url(rule.id) or docs_page(rule.id),
    }
