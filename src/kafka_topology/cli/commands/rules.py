"""`kafka-topology rules`."""

from __future__ import annotations

import json

import click
from click.shell_completion import CompletionItem
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kafka_topology.report.findings.formats import Output
from kafka_topology.report.findings.text import COLOURS
from kafka_topology.report.formats import Format
from kafka_topology.report.links import docs_page, docs_url
from kafka_topology.report.rule_page import category
from kafka_topology.topology import Severity
from kafka_topology.topology.model.words import counted
from kafka_topology.validators import Rule, installed_rules

from ..arguments import format_option
from ..exits import Command, Exit
from ..writing import deliver

EXITS = {Exit.FINE: "listed", Exit.UNUSABLE: "wrong usage"}


def _categories() -> list[str]:
    return list(dict.fromkeys(category(rule) for rule in installed_rules().rules))


@click.command(
    name="rules",
    cls=Command,
    exits=EXITS,
    epilog="Example: kafka-topology rules --category durability --severity error",
)
@click.option(
    "--severity",
    type=click.Choice([severity.value for severity in Severity]),
    help="Only rules of this severity.",
)
@click.option(
    "--category",
    "wanted_category",
    metavar="NAME",
    shell_complete=lambda _context, _parameter, start: [
        CompletionItem(name) for name in _categories() if name.startswith(start)
    ],
    help=f"Only rules of this category: {', '.join(_categories())}.",
)
@format_option(["text", "json"])
def command(*, severity: str | None, wanted_category: str | None, outputs: tuple[Output, ...]) -> None:
    """List the rules: the built-in ones and those of installed rule packs."""
    packs = installed_rules()
    categories = _categories()
    if wanted_category is not None and wanted_category not in categories:
        raise click.BadParameter(f"choose from {', '.join(categories)}", param_hint="--category")
    rules = [
        rule
        for rule in packs.rules
        if severity in (None, rule.severity.value) and wanted_category in (None, category(rule))
    ]
    for output in outputs:
        deliver(_FORMATS[output.name], rules, output.file, "--format")
    for pack in packs.broken:
        click.echo(f"the rule pack {pack.name} cannot be loaded: {pack.reason}", err=True)


def _show(rules: list[Rule], console: Console) -> None:
    """A table for people; one line for each rule for everybody else, such as grep."""
    if not console.is_terminal:
        console.print(_lines(rules), end="", soft_wrap=True)
        return
    console.print(_table(rules))
    console.print(f"{counted(len(rules), 'rule')}; learn more about one with `kafka-topology explain ID`")


def _lines(rules: list[Rule]) -> str:
    name = max((len(rule.name) for rule in rules), default=0)
    severity = max((len(rule.severity.value) for rule in rules), default=0)
    return "".join(
        f"{rule.id}  {rule.severity.value:<{severity}}  {'on ' if rule.enabled else 'off'}  {rule.name:<{name}}  "
        f"{rule.summary}\n"
        for rule in rules
    )


def _table(rules: list[Rule]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("id", no_wrap=True)
    table.add_column("severity", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("name and what it finds", ratio=1)
    for rule in rules:
        severity = Text(rule.severity.value, style=COLOURS[rule.severity])
        described = Text.assemble((rule.name, "bold"), f"\n{rule.summary}")
        table.add_row(Text(rule.id), severity, "on" if rule.enabled else "off", described)
    return table


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
        "replaces": list(rule.replaces),
        "docs": docs_url(rule.id) or docs_page(rule.id),
    }


_FORMATS: dict[str, Format[list[Rule]]] = {
    "text": Format(
        name="text", description="For people, and one line for each rule in files.", render=_lines, show=_show
    ),
    "json": Format(
        name="json",
        description="For programs.",
        render=lambda rules: json.dumps({"rules": [_json(rule) for rule in rules]}, indent=2) + "\n",
    ),
}
