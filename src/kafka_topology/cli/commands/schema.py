"""`kafka-topology schema`."""

from __future__ import annotations

import click

from kafka_topology.topology.language.schema import published_schema

from ..exits import Command, Exit


@click.command(
    name="schema",
    cls=Command,
    exits={Exit.FINE: "printed"},
    epilog="Example: kafka-topology schema > topology.schema.json",
)
def command() -> None:
    """Print the topology language as JSON Schema 2020-12.

    \b
    Editors use it for files that start with
      # yaml-language-server: $schema=topology.schema.json
    """
    click.echo(published_schema(), nl=False)
