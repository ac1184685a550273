"""The command line. A command's module is imported only when that command runs, so that start-up is quick."""

from __future__ import annotations

from importlib import import_module

import click

from kafka_topology import __version__

COMMANDS = {
    "check": "Compare the live records with the declared keys, on Spark.",
    "clients": "Print the client settings that each producer, group and streams application needs.",
    "explain": "Print the page of a rule.",
    "fmt": "Order and format topology files, keeping every comment.",
    "graph": "Draw a topology: Mermaid, SVG or JSON.",
    "local": "Run a real Kafka on this machine.",
    "report": "Write one HTML page: graph, findings, access and record checks.",
    "rules": "List the rules.",
    "schema": "Print the language as JSON Schema, for editors.",
    "show": "Print the resolved topology, with the origin of each value.",
    "validate": "Judge a topology by the rules. Needs no cluster.",
}


class LazyGroup(click.Group):
    """Lists commands without importing them; `kafka_topology.cli.NAME` holds `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
            return None
        command = import_module(f"kafka_topology.cli.{name}").command
        assert isinstance(command, click.Command)  # noqa: S101 - a promise of our own modules
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="kafka-topology")
def main() -> None:
    """Kafka topology as code: validate it, apply it with Pulumi, prove it on the live records.

    \b
    Exit codes: 0 fine, 1 findings, 2 wrong usage or unreadable input, 3 could not check.
    """
