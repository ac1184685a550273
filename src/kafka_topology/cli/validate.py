"""`kafka-topology validate`."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console

from kafka_topology.topology import Severity, load


@click.command(name="validate", epilog="Example: kafka-topology validate topology/ --env prod --format json")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--env", "environment", metavar="NAME", help="Lay this environment over the topology.")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--fail-on",
    type=click.Choice([severity.value for severity in Severity]),
    default=Severity.ERROR.value,
    show_default=True,
    help="The mildest finding that makes the exit code 1.",
)
def command(path: Path, environment: str | None, output_format: str, fail_on: str) -> None:
    """Judge the topology at PATH, a file or a folder, by the rules. Needs no cluster.

    \b
    Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 the files cannot be read as a topology.
    """
    from kafka_topology.validators import validate

    loaded = load(path, environment)
    findings = loaded.problems if loaded.topology is None else validate(loaded.topology)
    if output_format == "json":
        from kafka_topology.report.json_findings import findings_json

        click.echo(json.dumps(findings_json(findings), indent=2))
    else:
        from kafka_topology.report.text import findings_text, summary_text

        console = Console(highlight=False)
        console.print(findings_text(findings, loaded.line))
        console.print(summary_text(findings, str(path)))
    if loaded.topology is None:
        raise SystemExit(2)
    if any(finding.severity.at_least(Severity(fail_on)) for finding in findings):
        raise SystemExit(1)
