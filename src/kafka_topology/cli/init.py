"""`kafka-topology init`."""

from __future__ import annotations

import re
from pathlib import Path

import click

from .reviewing import USAGE, stop


@click.command(name="init", epilog="Example: kafka-topology init my-topology")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".", metavar="[DIR]")
@click.option("--name", metavar="NAME", help="The Pulumi project's name; by default the folder's.")
def command(folder: Path, name: str | None) -> None:
    """Write a working repository into DIR: topology, Pulumi program, workflow, hooks, and a README of a few steps.

    Nothing that exists is overwritten: then nothing at all is written.

    \b
    Exit codes: 0 written, 2 a file is there already or cannot be written.
    """
    from kafka_topology.starter import existing, files, write

    project = name or re.sub(r"[^A-Za-z0-9_.-]+", "-", folder.resolve().name).strip("-") or "topology"
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", project):
        raise click.BadParameter("use letters, digits, hyphens, dots and underscores", param_hint="--name")
    wanted = files(project)
    there = existing(folder, wanted)
    if there:
        stop(USAGE, f"{folder}: nothing is written, because these exist: {', '.join(there)}")
    try:
        write(folder, wanted)
    except OSError as error:
        stop(USAGE, f"{error.filename or folder}: {(error.strerror or str(error)).lower()}")
    for path in wanted:
        click.echo(str(folder / path))
    click.echo(f"Next: {folder / 'README.md'} has the steps up to `pulumi up`.", err=True)
