"""What `validate`, `audit` and `check` share: `--format` with the formats of findings, and writing the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from kafka_topology.report.findings.formats import BadFormat, Output, finding_formats, parse_outputs
from kafka_topology.report.run import Run

from .connecting.taken import described
from .writing import deliver, keep_inputs


def formats_option(command: Callable[..., Any]) -> Callable[..., Any]:
    names = ", ".join(finding_formats().by_name)
    return click.option(
        "--format",
        "formats",
        metavar="NAME[=FILE],…",
        multiple=True,
        default=("text",),
        help=f"Output format, to stdout or to a file: {names}. Separate several with commas. Default: text.",
    )(command)


def outputs_of(formats: tuple[str, ...]) -> tuple[Output, ...]:
    try:
        return parse_outputs(formats)
    except BadFormat as error:
        raise click.BadParameter(str(error), param_hint="--format") from error


def keep_inputs_of_formats(outputs: tuple[Output, ...], inputs: Iterable[Path | None]) -> None:
    """End with wrong usage if one of the outputs would overwrite a file that the command reads."""
    held = list(inputs)
    for output in outputs:
        keep_inputs(output.file, held, "--format")


def report(outputs: tuple[Output, ...], run: Run) -> None:
    run = replace(run, stack=described())
    found = finding_formats()
    for broken in found.broken:
        click.echo(f"the output format {broken.name} cannot be loaded: {broken.reason}", err=True)
    for output in outputs:
        deliver(found.by_name[output.name], run, output.file, "--format")
