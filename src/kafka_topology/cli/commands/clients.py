"""`kafka-topology clients`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
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
    names = dict(_names(found))  # of all clients, so that --name writes the same file
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
            _write(found, each.name, output, names)


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


def _names(clients: Iterable[Client]) -> Iterator[tuple[str, str]]:
    """Each client's title, and the start of its file's name, which no other has, even if case does not matter.

    Names come from the topology; characters that a file name cannot hold become hyphens. A client whose name then
    belongs to another gets a digest of its own name. Those whose names need no change come first.
    """
    taken: set[str] = set()
    for client in sorted(clients, key=lambda client: _safe(client) != f"{client.kind}-{client.name}"):
        name = _safe(client)
        digest = hashlib.sha256(client.name.encode()).hexdigest()
        length = 8
        while name.lower() in taken:
            name = f"{_safe(client)}-{digest[:length]}"
            length += 8
        taken.add(name.lower())
        yield client.title, name


def _safe(client: Client) -> str:
    return f"{client.kind}-" + re.sub(r"[^A-Za-z0-9._-]+", "-", client.name)


def _write(found: tuple[Client, ...], output_format: str, folder: Path, names: dict[str, str]) -> None:
    from kafka_topology.topology.kafka.clients.code import suffix

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.BadParameter(f"{folder}: {why(error)}", param_hint="--output") from error
    for client in found:
        end = suffix(client) if output_format == "native" else output_format
        file = folder / f"{names[client.title]}.{end}"
        write_or_exit(file, _text(client, output_format).rstrip("\n") + "\n")
        click.echo(str(file))
