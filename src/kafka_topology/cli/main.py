"""The command line. Imports a command's module only when that command runs, to start quickly."""

from __future__ import annotations

import keyword
import os
from importlib import import_module

import click

from kafka_topology import __version__
from kafka_topology.cli.exits import CLOSED_PIPE, Exit, write_exits
from kafka_topology.topology.model.words import did_you_mean
from kafka_topology.topology.reading.collector import many_new_objects

DEBUG = "KAFKA_TOPOLOGY_DEBUG"
GROUPS = {
    "Start": {
        "init": "Write a new repository: topology, Pulumi program, workflow and hooks.",
        "import": "Write an existing cluster as a topology, with a file for `pulumi import`.",
        "local": "Run a real Kafka on this machine.",
        "schema": "Print the topology language as JSON Schema, for editors.",
    },
    "Write and check files": {
        "validate": "Check a topology against the rules. Needs no cluster.",
        "fmt": "Order and format topology files; keeps all comments.",
        "rules": "List the rules.",
        "explain": "Print the page of a rule.",
    },
    "Review a change": {
        "review": "Review a change against a git revision, for the terminal or a pull request.",
        "diff": "Show what changes between two versions of a topology, by risk.",
        "what-if": "Show what losing a broker or rack stops, or which keys move with more partitions.",
    },
    "Look at a topology": {
        "show": "Print the resolved topology, with the origin of each value.",
        "graph": "Draw a topology: Mermaid, SVG or JSON.",
        "clients": "Print the client settings that each producer, group and streams application needs.",
        "report": "Write one HTML page: graph, findings, audit, record checks and access.",
    },
    "Verify a live cluster": {
        "preflight": "Say whether a topology may be deployed to a cluster now, and why not.",
        "audit": "Compare the live cluster with the topology: drift, replicas, lag, access.",
        "check": "Compare live records with the declared keys, on Spark.",
    },
}
COMMANDS = {name: said for commands in GROUPS.values() for name, said in commands.items()}
NEWCOMERS = """\b
Start here:
  kafka-topology init my-topology            a repository with an example
  kafka-topology validate my-topology/topology
"""


class LazyGroup(click.Group):
    """Lists commands without importing them; `kafka_topology.cli.commands.NAME` holds `command`."""

    def invoke(self, ctx: click.Context) -> object:
        """A missing extra or a bug of ours must not look like findings (1) or like fine (0), nor print a traceback."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            raise SystemExit(CLOSED_PIPE) from None
        except Exception as error:
            if os.environ.get(DEBUG):
                raise
            click.echo(_explained(error, f"kafka-topology {ctx.invoked_subcommand}"), err=True)
            raise SystemExit(Exit.COULD_NOT_CHECK) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            hint = did_you_mean(args[0], COMMANDS) or "list the commands with `kafka-topology --help`"
            ctx.fail(f"no command is called {args[0]}; {hint}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
            return None
        module = name.replace("-", "_") + ("_" if keyword.iskeyword(name) else "")
        with many_new_objects():
            command = import_module(f"kafka_topology.cli.commands.{module}").command
        assert isinstance(command, click.Command)  # noqa: S101 - each of our modules promises it
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        widest = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), said) for name, said in commands.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_exits(formatter, {code: code.meaning for code in Exit})
        super().format_epilog(ctx, formatter)


def _explained(error: Exception, command: str) -> str:
    from kafka_topology.extras import explained

    missing = explained(error, command) if isinstance(error, ModuleNotFoundError) else None
    if missing is not None:
        return str(missing)
    return (
        f"kafka-topology failed: {type(error).__name__}: {error}\n"
        f"This is a bug in kafka-topology. Report it with the output of the same command and {DEBUG}=1."
    )


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=NEWCOMERS,
)
@click.version_option(__version__, prog_name="kafka-topology")
def main() -> None:
    """Kafka topology as code: validate it, apply it with Pulumi, verify it on live records."""
