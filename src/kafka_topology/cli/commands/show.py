"""`kafka-topology show`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from kafka_topology.topology.writing.show import as_json, as_yaml

from ..arguments import environment_option, format_option, topology_argument
from ..exits import TOPOLOGY_UNREADABLE, Command, Exit
from ..loading import topology_or_exit

EXITS = {Exit.FINE: "printed", Exit.UNUSABLE: TOPOLOGY_UNREADABLE}


@click.command(
    name="show", cls=Command, exits=EXITS, epilog="Example: kafka-topology show topology/ --env prod --origins"
)
@topology_argument
@environment_option
@format_option(["yaml", "json"], "Output format.")
@click.option("--origins", is_flag=True, help="Show for each value which layer set it, in which file and line.")
@click.option("--acls", is_flag=True, help="Print all ACLs instead, derived and declared, each with its reason.")
def command(path: Path, environment: str | None, output_format: str, origins: bool, acls: bool) -> None:
    """Print the resolved topology at PATH, a file or a folder: profiles and environment applied.

    The output is a topology, too, and equal to the one that was read.
    """
    if acls and origins:
        raise click.UsageError("--origins does nothing with --acls, which always shows the reasons; pass one of them")
    topology = topology_or_exit(path, environment)
    if not acls:
        write = as_json if output_format == "json" else as_yaml
        click.echo(write(topology, origins=origins), nl=False)
        return
    from kafka_topology.topology.kafka.access import derived_acls
    from kafka_topology.topology.writing.access import acls_as_data, acls_as_text

    grants = derived_acls(topology)
    if not grants:
        click.echo(f"{path} declares no ACLs, and no role with a principal that would need them", err=True)
    if output_format == "json":
        click.echo(json.dumps({"acls": acls_as_data(grants)}, indent=2))
    else:
        click.echo(acls_as_text(grants), nl=False)
