"""`kafka-topology init`."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import click

from ..exits import Command, Exit
from ..new_files import write_new_files

EXITS = {Exit.FINE: "written", Exit.UNUSABLE: "wrong usage, or a file exists or cannot be written"}


@click.command(name="init", cls=Command, exits=EXITS, epilog="Example: kafka-topology init my-topology")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".", metavar="[DIR]")
@click.option("--name", metavar="NAME", help="Name of the Pulumi project. Default: the folder's name.")
@click.option(
    "--package",
    metavar="REQUIREMENT",
    help="Where pip gets kafka-topology: the path of a wheel, relative to DIR, its URL, or git+https://…@TAG. "
    "Default: a wheel of this version in DIR/wheels.",
)
def command(folder: Path, name: str | None, package: str | None) -> None:
    """Write a working repository into DIR: topology, Pulumi program, workflow, hooks, and a README with the steps.

    Writes nothing if any of the files exists.
    """
    from kafka_topology.starter import PROVIDER, WHEEL, files

    project = name or _project_name(folder.resolve().name)
    if project == PROVIDER:
        given = "" if name else f", {folder.resolve().name}, which is the folder's name"
        reason = f"the project cannot have the provider's name{given}: its secrets would become the provider's config"
        raise click.UsageError(f"{reason}; pass another, such as --name {project}-shop")
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", project):
        raise click.BadParameter("use letters, digits, hyphens, dots and underscores", param_hint="--name")
    if package is not None and (not package.strip() or not package.isprintable()):
        raise click.BadParameter("name a wheel or a git checkout, on one line", param_hint="--package")
    wanted = files(project, package or WHEEL)
    write_new_files(folder, wanted)
    for path in wanted:
        click.echo(str(folder / path))
    if package is None:
        click.echo(f"First: copy the wheel to {folder / WHEEL}, or name another source in requirements.txt.", err=True)
    click.echo(f"Next: {folder / 'README.md'} has the steps up to `pulumi up`.", err=True)


def _project_name(folder: str) -> str:
    """The folder's name in the letters of a project's name. Ends the command when a letter has no such form."""
    letters = "".join(char for char in unicodedata.normalize("NFKD", folder) if not unicodedata.combining(char))
    if any(char.isalnum() and not char.isascii() for char in letters):
        raise click.UsageError(
            f"the folder's name, {folder}, cannot name a Pulumi project; pass a name with --name NAME"
        )
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", letters).strip("-") or "topology"
