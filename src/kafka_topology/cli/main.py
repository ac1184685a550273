"""The command line. A command's module is imported only when that command runs, so that start-up is quick."""

from __future__ import annotations

import difflib
import keyword
import os
from importlib import import_module

import click

from kafka_topology import __version__

DEBUG = "KAFKA_TOPOLOGY_DEBUG"
COMMANDS = {
    "audit": "Compare the live cluster with the topology: drift, replicas, lag, access.",
    "check": "Compare the live records with the declared keys, on Spark.",
    "clients": "Print the client settings that each producer, group and streams application needs.",
    "diff": "Show what changes between two versions of a topology, by risk.",
    "explain": "Print the page of a rule.",
    "fmt": "Order and format topology files, keeping every comment.",
    "import": "Write an existing cluster down as a topology, and the file for `pulumi import`.",
    "init": "Write a new repository: topology, Pulumi program, workflow and hooks.",
    "local": "Run a real Kafka on this machine.",
    "review": "Review a change against a git revision: risks, effects, rules, a comment for the pull request.",
    "graph": "Draw a topology: Mermaid, SVG or JSON.",
    "report": "Write one HTML page: graph, findings, audit, record checks and access.",
    "rules": "List the rules.",
    "schema": "Print the language as JSON Schema, for editors.",
    "show": "Print the resolved topology, with the origin of each value.",
    "validate": "Judge a topology by the rules. Needs no cluster.",
    "what-if": "Show what a lost broker or rack stops, or which keys more partitions move.",
}


class LazyGroup(click.Group):
    """Lists commands without importing them; `kafka_topology.cli.NAME` holds `command`."""

    def invoke(self, ctx: click.Context) -> object:
        """A fault of the product must not look like findings (1) or like fine (0), nor spill a traceback."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            if os.environ.get(DEBUG):
                raise
            click.echo(f"kafka-topology failed: {type(error).__name__}: {error}", err=True)
            click.echo(
                f"This is a fault of ours. Please report it with the output of the same command and {DEBUG}=1.",
                err=True,
            )
            raise SystemExit(3) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            ctx.fail(f"No such command '{args[0]}'." + (f" Did you mean '{near[0]}'?" if near else ""))
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
            return None
        module = name.replace("-", "_") + ("_" if keyword.iskeyword(name) else "")
        command = import_module(f"kafka_topology.cli.{module}").command
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
