"""`kafka-topology clients`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafka_topology.files import why
from kafka_topology.topology.model.words import did_you_mean

from ..arguments import environment_option, format_option, topology_argument
from ..exits import TOPOLOGY_UNREADABLE, Command, Exit
from ..loading import topology_or_exit
from ..writing import write_or_exit

if TYPE_CHECKING:
    from kafka_topology.topology.kafka.clients import Client

EXITS = {Exit.FINE: "printed or written", Exit.UNUSABLE: f"{TOPOLOGY_UNREADABLE}, or a file cannot be written"}


@click.command(
    name="clients",
    cls=Command,
    exits=EXITS,
    epilog="Example: kafka-topology clients topology/ --env prod --name checkout",
)
@topology_argument
@environment_option
@click.option("--name", "wanted", metavar="NAME", help="Only this producer, consumer group or streams application.")
@format_option(["properties", "json"], "Java properties, or JSON for librdkafka and clients built on it.")
@click.option(
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write one file per client into this folder instead of printing them.",
)
def command(path: Path, environment: str | None, wanted: str | None, output_format: str, output: Path | None) -> None:
    """Print the client settings that each producer, group and streams application of PATH needs, and why.

    Declared settings are kept unless they break the declared delivery. Then the needed value is printed, with a note.
    """
    from kafka_topology.topology.kafka.clients import client_settings

    topology = topology_or_exit(path, environment)
    found = client_settings(topology)
    if not found:
        nothing = f"{path} declares no producer, consumer group or streams application"
        if wanted is not None:
            raise click.BadParameter(f"no client is called {wanted}; {nothing}", param_hint="--name")
        click.echo(f"{nothing}, so there are no client settings", err=True)
    if wanted is not None:
        known = sorted({client.name for client in found})
        found = tuple(client for client in found if client.name == wanted)
        if not found:
            hint = did_you_mean(wanted, known) or f"choose from {', '.join(known)}"
            raise click.BadParameter(f"no client is called {wanted}; {hint}", param_hint="--name")
    if output is None:
        click.echo(_together(found, output_format), nl=False)
    else:
        _write(found, output_format, output)


def _together(found: tuple[Client, ...], output_format: str) -> str:
    from kafka_topology.topology.kafka.client_formats import as_librdkafka, as_properties

    if output_format == "json":
        return json.dumps([as_librdkafka(client) for client in found], indent=2) + "\n"
    return "\n".join(as_properties(client) for client in found)


def _write(found: tuple[Client, ...], output_format: str, folder: Path) -> None:
    from kafka_topology.topology.kafka.client_formats import as_librdkafka, as_properties

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.BadParameter(f"{folder}: {why(error)}", param_hint="--output") from error
    for client in found:
        # Names come from the topology; characters that a file name cannot hold become hyphens.
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", client.name)
        file = folder / f"{client.kind}-{name}.{output_format}"
        text = as_properties(client) if output_format == "properties" else json.dumps(as_librdkafka(client), indent=2)
        write_or_exit(file, text.rstrip("\n") + "\n")
        click.echo(str(file))
