"""`kafka-topology show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafka_topology.topology.kafka.access import derived_acls
from kafka_topology.topology.writing.show import as_json, as_yaml

from ..arguments import environment_option, format_option, topology_argument
from ..exits import TOPOLOGY_UNREADABLE, Command, Exit
from ..loading import load_or_exit, loaded_topology
from ..writing import files_of, write_outputs

if TYPE_CHECKING:
    from kafka_topology.report.findings.formats import Output
    from kafka_topology.topology import Topology

EXITS = {Exit.FINE: "printed", Exit.UNUSABLE: TOPOLOGY_UNREADABLE}


@click.command(
    name="show", cls=Command, exits=EXITS, epilog="Example: kafka-topology show topology/ --env prod --origins"
)
@topology_argument
@environment_option
@format_option(["yaml", "json"])
@click.option("--origins", is_flag=True, help="Show for each value which layer set it, in which file and line.")
@click.option("--acls", is_flag=True, help="Print all ACLs instead, derived and declared, each with its reason.")
def command(*, path: Path, environment: str | None, outputs: tuple[Output, ...], origins: bool, acls: bool) -> None:
    """Print the resolved topology at PATH, a file or a folder: profiles and environment applied.

    The output is a topology, too, and equal to the one that was read.
    """
    if acls and origins:
        raise click.UsageError("--origins does nothing with --acls, which always shows the reasons; pass one of them")
    loaded = load_or_exit(path, environment)
    topology = loaded_topology(loaded)

    def rendered(name: str) -> str:
        if acls:
            return _acls(topology, name)
        return (as_json if name == "json" else as_yaml)(topology, origins=origins)

    write_outputs(outputs, rendered, files_of(path, loaded))
    if acls and not derived_acls(topology):
        click.echo(f"{path} declares no ACLs, and no role with a principal that would need them", err=True)


def _acls(topology: Topology, name: str) -> str:
    from kafka_topology.topology.writing.access import acls_as_data, acls_as_text

    grants = derived_acls(topology)
    return json.dumps({"acls": acls_as_data(grants)}, indent=2) + "\n" if name == "json" else acls_as_text(grants)
