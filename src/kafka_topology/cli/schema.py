"""`kafka-topology schema`."""

from __future__ import annotations

import click

from kafka_topology.topology.schema import published_schema


@click.command(name="schema", epilog="Example: kafka-topology schema > topology.schema.json")
def command() -> None:
    """Print the language as JSON Schema 2020-12.

    \b
    Editors use it when a file starts with
      # yaml-language-server: $schema=topology.schema.json
    """
    click.echo(published_schema(), nl=False)
