"""A check's report in every form that was asked for, to stdout and to files."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...files import STDOUT, destination, why_not_writable
from ...report.findings.formats import BadFormat, Output, parse_outputs
from ..writing import write_or_exit

if TYPE_CHECKING:
    from ...spark_checks.results.report import Report
    from ...topology.model.declared import Topology

WIDTH = 80


def check_outputs(formats: tuple[str, ...], output: Path | None) -> tuple[Output, ...]:
    """With --output, what would go to stdout goes to that file, and the text to stdout."""
    try:
        outputs = parse_outputs(formats)
    except BadFormat as error:
        raise click.BadParameter(str(error), param_hint="--format") from error
    if output is None:
        return outputs
    if any(each.file is not None for each in outputs):
        raise click.UsageError("--output is for one format; write the others as NAME=FILE")
    problem = why_not_writable(output)
    if destination(output) == STDOUT:
        problem = "stdout gets the text; leave --output out to print the report there instead"
    if problem:
        raise click.BadParameter(problem, param_hint="--output")
    return (Output(outputs[0].name, output), Output("text"))


def write_report(
    report: Report, topology: Topology, outputs: tuple[Output, ...], path: Path, environment: str | None
) -> None:
    for output in outputs:
        if output.file is not None:
            write_or_exit(output.file, rendered(output.name, report, topology, path, environment))
            click.echo(f"Report: {output.file}", err=True)
    for output in outputs:
        if output.file is not None:
            continue
        if output.name == "text":
            from ...report.checks.text import render
            from ..consoles import safe_console

            safe_console(width=WIDTH).print(render(report))
        else:
            click.echo(rendered(output.name, report, topology, path, environment), nl=False)
    # What cannot be written must be known before a state file says that it was reported.
    sys.stdout.flush()


def rendered(name: str, report: Report, topology: Topology, path: Path, environment: str | None) -> str:
    match name:
        case "json":
            return json.dumps(report.to_json(), indent=2) + "\n"
        case "text":
            from rich.console import Console

            from ...report.checks.text import render

            stream = io.StringIO()
            Console(file=stream, width=WIDTH, highlight=False, no_color=True, markup=False).print(render(report))
            return stream.getvalue()
        case "junit":
            from ...report.checks.junit import render as junit

            return junit(report, topology)
        case "markdown":
            from ...report.checks.markdown import render as markdown

            return markdown(report)
    from ...report.checks.findings import as_run
    from ...report.findings import formats

    return formats.render(name, as_run(report, topology, str(path), environment))
