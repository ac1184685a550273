"""`kafka-topology init`."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..exits import Command, Exit
from ..new_files import write_new_files
from ..writing import write_or_exit

if TYPE_CHECKING:
    from kafka_topology.starter import CI

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
@click.option(
    "--ci",
    type=click.Choice(["github", "gitlab", "none"]),
    default="github",
    show_default=True,
    help="The host whose pipeline to write: review, preflight and plan, approval, deployment, audit, nightly look.",
)
@click.option(
    "--stack", default="prod", show_default=True, metavar="NAME", help="Pulumi stack that the pipeline deploys."
)
@click.option("--branch", default="main", show_default=True, metavar="NAME", help="Branch whose merges are deployed.")
def command(*, folder: Path, name: str | None, package: str | None, ci: CI, stack: str, branch: str) -> None:
    """Write a working repository into DIR: topology, Pulumi program, pipeline, hooks, and a README with the steps.

    DIR may be a repository already: its README stays, and .gitignore gets the missing lines. Writes nothing if any
    other of the files exists.
    """
    from kafka_topology.starter import OPTIONAL, WHEEL, files

    project = _project(folder, name)
    if package is not None and (not package.strip() or not package.isprintable()):
        raise click.BadParameter("name a wheel or a git checkout, on one line", param_hint="--package")
    for option, text in (("--stack", stack), ("--branch", branch)):
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,99}", text):
            raise click.BadParameter("use letters, digits, hyphens, dots, slashes and underscores", param_hint=option)
    has_readme = (folder / OPTIONAL).exists()
    _write(folder, files(project, package or WHEEL, ci=ci, stack=stack, branch=branch))
    if package is None:
        click.echo(f"First: copy the wheel to {folder / WHEEL}, or name another source in requirements.txt.", err=True)
    if has_readme:
        click.echo(
            f"{folder / OPTIONAL} stays as it is. Next: `pulumi stack init {stack}`, and set its config.", err=True
        )
    else:
        click.echo(f"Next: {folder / OPTIONAL} has the steps up to `pulumi up`.", err=True)


def _write(folder: Path, wanted: dict[str, str]) -> None:
    """All files. Keeps a README that is there, and adds to a .gitignore."""
    from kafka_topology.starter import MERGED, OPTIONAL, merged

    ignored = folder / MERGED
    before = _text(ignored) if ignored.is_file() and not ignored.is_symlink() else None
    kept = {OPTIONAL} if (folder / OPTIONAL).exists() else set()
    kept |= {MERGED} if before is not None else set()
    new = {path: text for path, text in wanted.items() if path not in kept}
    write_new_files(folder, new)
    for path in new:
        click.echo(str(folder / path))
    if before is not None and (after := merged(before, wanted[MERGED])) != before:
        write_or_exit(ignored, after, "DIR")
        click.echo(f"{ignored}: added the lines that were missing", err=True)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{file}: cannot be read: {error}") from error


def _project(folder: Path, name: str | None) -> str:
    from kafka_topology.starter import PROVIDER

    project = name or _project_name(folder.resolve().name)
    if project == PROVIDER:
        given = "" if name else f", {folder.resolve().name}, which is the folder's name"
        reason = f"the project cannot have the provider's name{given}: its secrets would become the provider's config"
        raise click.UsageError(f"{reason}; pass another, such as --name {project}-shop")
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", project):
        raise click.BadParameter("use letters, digits, hyphens, dots and underscores", param_hint="--name")
    return project


def _project_name(folder: str) -> str:
    """The folder's name in the letters of a project's name. Ends the command when a letter has no such form."""
    letters = "".join(char for char in unicodedata.normalize("NFKD", folder) if not unicodedata.combining(char))
    if any(char.isalnum() and not char.isascii() for char in letters):
        raise click.UsageError(
            f"the folder's name, {folder}, cannot name a Pulumi project; pass a name with --name NAME"
        )
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", letters).strip("-") or "topology"
