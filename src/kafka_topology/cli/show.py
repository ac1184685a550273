"""`kafka-topology show`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from kafka_topology.cli.loading import topology_or_exit
from kafka_topology.topology.show import as_json, as_yaml


@click.command(name="show", epilog="Example: kafka-topology show topology/ --env prod --origins")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--env", "environment", metavar="NAME", help="Lay this environment over the topology.")
@click.option("--format", "output_format", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)
@click.option("--origins", is_flag=True, help="Say for each value which layer set it, in which file and line.")
@click.option("--acls", is_flag=True, help="Print every access rule instead, derived and declared, with its reason.")
def command(path: Path, environment: str | None, output_format: str, origins: bool, acls: bool) -> None:
    """Print the topology at PATH, a file or a folder, as it is in force: profiles and environment applied.

    What is printed is a topology again, and equal to the one that was read.

    \b
    Exit codes: 0 shown, 2 the files cannot be read as a topology.
    """
    topology = topology_or_exit(path, environment)
    if not acls:
        write = as_json if output_format == "json" else as_yaml
        click.echo(write(topology, origins=origins), nl=False)
        return
    from kafka_topology.topology.access import derived_acls
    from kafka_topology.topology.access_formats import acls_as_data, acls_as_text

    grants = derived_acls(topology)
    if output_format == "json":
        click.echo(json.dumps({"acls": acls_as_data(grants)}, indent=2))
    else:
        click.echo(acls_as_text(grants), nl=False)
