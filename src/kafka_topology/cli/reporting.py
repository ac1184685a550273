"""What commands with findings have in common: the formats, the severity that counts, and writing the report."""

from __future__ import annotations

import click

from kafka_topology.report.formats import FORMATS, BadFormat, Output, parse_outputs, render, write
from kafka_topology.report.run import Run
from kafka_topology.topology import Severity

formats_option = click.option(
    "--format",
    "formats",
    metavar="NAME[=FILE],…",
    multiple=True,
    default=("text",),
    help=f"How to report, to stdout or to a file: {', '.join(FORMATS)}. Several are separated by commas.",
)
fail_on_option = click.option(
    "--fail-on",
    type=click.Choice([severity.value for severity in Severity]),
    default=Severity.ERROR.value,
    show_default=True,
    help="The mildest finding that makes the exit code 1.",
)


def outputs_of(formats: tuple[str, ...]) -> tuple[Output, ...]:
    try:
        return parse_outputs(formats)
    except BadFormat as error:
        raise click.BadParameter(str(error), param_hint="--format") from error


def report(outputs: tuple[Output, ...], run: Run) -> None:
    for output in outputs:
        if output.file is not None:
            try:
                write(output, run)
            except BadFormat as error:
                raise click.UsageError(str(error)) from error
        elif output.name == "text":
            from kafka_topology.cli.loading import plain_console
            from kafka_topology.report.text import print_run

            print_run(run, plain_console())
        else:
            click.echo(render(output.name, run), nl=False)
