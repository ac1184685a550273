"""`kafka-topology clients`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kafka_topology.files import why
from kafka_topology.topology.model.words import did_you_mean

from ..arguments import environment_option, format_option, topology_argument
from ..exits import TOPOLOGY_UNREADABLE, Command, Exit
from ..loading import load_or_exit, loaded_topology
from ..writing import files_of, write_or_exit, write_outputs

if TYPE_CHECKING:
    from kafka_topology.report.findings.formats import Output
    from kafka_topology.topology.kafka.clients.model import Client

EXITS = {Exit.FINE: "printed or written", Exit.UNUSABLE: f"{TOPOLOGY_UNREADABLE}, or a file cannot be written"}


@click.command(
    name="clients",
    cls=Command,
    exits=EXITS,
    epilog="Example: kafka-topology clients topology/ --env prod --name checkout",
)
@topology_argument
@environment_option
@click.option(
    "--name", "wanted", metavar="NAME", help="Only this producer, consumer group, share group or streams application."
)
@format_option(
    ["native", "properties", "json"],
    "native is as the declared library takes it (Java properties without one); json has the names of the declared"
    " library (librdkafka's without one).",
)
@click.option(
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write one file per client into this folder instead of printing them.",
)
def command(
    *, path: Path, environment: str | None, wanted: str | None, outputs: tuple[Output, ...], output: Path | None
) -> None:
    """Print the client settings that each producer, group, share group and streams application of PATH needs, and why.

    Declared settings are kept unless they break the declared delivery. Then the needed value is printed, with a note.
    Other errors that `validate` reports about a client are notes, too.
    """
    from kafka_topology.topology.kafka.clients.settings import client_settings
    from kafka_topology.validators import with_errors

    if output is not None and any(each.file is not None for each in outputs):
        raise click.UsageError("--output writes one file per client; leave =FILE out of --format")
    loaded = load_or_exit(path, environment)
    topology = loaded_topology(loaded)
    found = with_errors(topology, client_settings(topology))
    if not found:
        nothing = f"{path} declares no producer, consumer group, share group or streams application"
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
        write_outputs(outputs, lambda name: _together(found, name), files_of(path, loaded))
    else:
        for each in outputs:
            _write(found, each.name, output)


def _together(found: tuple[Client, ...], output_format: str) -> str:
    if output_format == "json":
        return json.dumps([_data(client) for client in found], indent=2) + "\n"
    return "\n".join(_text(client, output_format) for client in found)


def _data(client: Client) -> dict[str, Any]:
    from kafka_topology.topology.kafka.clients.formats import as_data
    from kafka_topology.topology.kafka.clients.libraries.librdkafka import LIBRDKAFKA

    own = client.library is not None and not client.library.has_java_names
    return as_data(client, client.library if own and client.library is not None else LIBRDKAFKA)


def _text(client: Client, output_format: str) -> str:
    from kafka_topology.topology.kafka.clients.code import as_native
    from kafka_topology.topology.kafka.clients.formats import as_properties

    if output_format == "json":
        return json.dumps(_data(client), indent=2) + "\n"
    return as_properties(client) if output_format == "properties" else as_native(client)


def _write(found: tuple[Client, ...], output_format: str, folder: Path) -> None:
    from kafka_topology.topology.kafka.clients.code import suffix

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.BadParameter(f"{folder}: {why(error)}", param_hint="--output") from error
    for client in found:
        # Names come from the topology; characters that a file name cannot hold become hyphens.
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", client.name)
        end = suffix(client) if output_format == "native" else output_format
        file = folder / f"{client.kind}-{name}.{end}"
        write_or_exit(file, _text(client, output_format).rstrip("\n") + "\n")
        click.echo(str(file))
