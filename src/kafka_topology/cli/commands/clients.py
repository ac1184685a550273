"""`kafka-topology clients`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .loading import topology_or_exit

if TYPE_CHECKING:
    from kafka_topology.topology.clients import Client


@click.command(name="clients", epilog="Example: kafka-topology clients topology/ --env prod --name checkout")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--env", "environment", metavar="NAME", help="Lay this environment over the topology.")
@click.option("--name", "wanted", metavar="NAME", help="Only this producer, consumer group or streams application.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["properties", "json"]),
    default="properties",
    show_default=True,
    help="Java properties, or JSON for librdkafka and the clients built on it.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write one file for each client into this folder instead of printing them.",
)
def command(path: Path, environment: str | None, wanted: str | None, output_format: str, output: Path | None) -> None:
    """Print the client settings that each producer, group and streams application of PATH needs, with the reasons.

    A declared setting is kept unless it breaks the declared delivery; then the needed one is printed, and says so.
    """
    from kafka_topology.topology.clients import client_settings

    topology = topology_or_exit(path, environment)
    found = client_settings(topology)
    if wanted is not None:
        known = sorted({client.name for client in found})
        found = tuple(client for client in found if client.name == wanted)
        if not found:
            raise click.BadParameter(f"no client is called {wanted}; there are {', '.join(known)}", param_hint="--name")
    if output is None:
        click.echo(_together(found, output_format), nl=False)
    else:
        _write(found, output_format, output)


def _together(found: tuple[Client, ...], output_format: str) -> str:
    from kafka_topology.topology.client_formats import as_librdkafka, as_properties

    if output_format == "json":
        return json.dumps([as_librdkafka(client) for client in found], indent=2) + "\n"
    return "\n".join(as_properties(client) for client in found)


def _write(found: tuple[Client, ...], output_format: str, folder: Path) -> None:
    from kafka_topology.topology.client_formats import as_librdkafka, as_properties

    folder.mkdir(parents=True, exist_ok=True)
    for client in found:
        # Names come from the file; what a file name cannot hold becomes a hyphen.
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", client.name)
        file = folder / f"{client.kind}-{name}.{output_format}"
        text = as_properties(client) if output_format == "properties" else json.dumps(as_librdkafka(client), indent=2)
        file.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
        click.echo(str(file))
