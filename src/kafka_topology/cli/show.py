"""`kafka-topology show`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from kafka_topology.topology import load
from kafka_topology.topology.show import as_json, as_yaml


@click.command(name="show", epilog="Example: kafka-topology show topology/ --env prod --origins")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--env", "environment", metavar="NAME", help="Lay this environment over the topology.")
@click.option("--format", "output_format", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)
@click.option("--origins", is_flag=True, help="Say for each value which layer set it, in which file and line.")
def command(path: Path, environment: str | None, output_format: str, origins: bool) -> None:
    """Print the topology at PATH, a file or a folder, as it is in force: profiles and environment applied.

    What is printed is a topology again, and equal to the one that was read.

    \b
    Exit codes: 0 shown, 2 the files cannot be read as a topology.
    """
    loaded = load(path, environment)
    if loaded.topology is None:
        from kafka_topology.report.text import findings_text, summary_text

        console = Console(stderr=True, highlight=False)
        console.print(findings_text(loaded.problems, loaded.line))
        console.print(summary_text(loaded.problems, str(path)))
        raise SystemExit(2)
    write = as_json if output_format == "json" else as_yaml
    click.echo(write(loaded.topology, origins=origins), nl=False)
