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
    from kafka_topology.starter import CI, Starter

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
@click.option(
    "--topology",
    default="topology",
    show_default=True,
    metavar="PATH",
    help="Where the topology is, relative to DIR. If it does not exist, an example is written there.",
)
@click.option(
    "--environments",
    default="",
    metavar="NAMES",
    help="Environments that the pipeline reviews, separated by commas. Default: the topology without an environment.",
)
@click.option(
    "--only-pipeline",
    "is_pipeline_only",
    is_flag=True,
    help="For a repository that has a topology: write the pipeline and what it needs. Files that exist stay.",
)
def command(
    *,
    folder: Path,
    name: str | None,
    package: str | None,
    ci: CI,
    stack: str,
    branch: str,
    topology: str,
    environments: str,
    is_pipeline_only: bool,
) -> None:
    """Write a working repository into DIR: topology, Pulumi program, pipeline, hooks, and a README with the steps.

    DIR may be a repository already: its README and its topology stay, and .gitignore gets the missing lines. If any
    other of the files exists, --only-pipeline keeps it, and without that option nothing is written.
    """
    from kafka_topology.starter import OPTIONAL, WHEEL, Starter, files

    project = _project(folder, name)
    if package is not None and (not package.strip() or not package.isprintable()):
        raise click.BadParameter("name a wheel or a git checkout, on one line", param_hint="--package")
    for option, text in (("--stack", stack), ("--branch", branch)):
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,99}", text):
            raise click.BadParameter("use letters, digits, hyphens, dots, slashes and underscores", param_hint=option)
    place = _place(topology)
    wanted = Starter(
        name=project,
        package=package or WHEEL,
        ci=ci,
        stack=stack,
        branch=branch,
        topology=place,
        environments=_environments(environments, folder / place),
        has_topology=_is_there(folder / place),
        is_pipeline_only=is_pipeline_only,
    )
    _refuse_what_cannot_be_written(wanted, folder)
    has_readme = (folder / OPTIONAL).exists()
    kept = _write(folder, files(wanted), keeps_all=is_pipeline_only)
    if package is None and "requirements.txt" not in kept:
        click.echo(f"First: copy the wheel to {folder / WHEEL}, or name another source in requirements.txt.", err=True)
    if has_readme or is_pipeline_only:
        stays = f"{folder / OPTIONAL} stays as it is. " if has_readme else ""
        path = "" if place == "topology" else f" (kafka-topology:path is {place})"
        click.echo(f"{stays}Next: `pulumi stack init {stack}`, and set its config{path}.", err=True)
    else:
        click.echo(f"Next: {folder / OPTIONAL} has the steps up to `pulumi up`.", err=True)


def _place(topology: str) -> str:
    """A path below the repository, in letters that mean nothing in shell, YAML, and the path filters of both hosts."""
    place = topology.rstrip("/").removeprefix("./")
    parts = place.split("/")
    if len(place) > 200 or not all(re.fullmatch(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*", each) for each in parts):
        raise click.BadParameter("use letters, digits, hyphens, dots, slashes and underscores", param_hint="--topology")
    if {".", ".."} & set(parts):
        raise click.BadParameter("name a folder or a file below DIR", param_hint="--topology")
    return place


def _is_there(topology: Path) -> bool:
    return topology.is_file() or (topology.is_dir() and any(topology.iterdir()))


def _environments(names: str, topology: Path) -> tuple[str, ...]:
    """Those that are named, each once. Ends the command if the topology, or the example, does not have one of them."""
    from kafka_topology.starter import EXAMPLE_ENVIRONMENTS
    from kafka_topology.topology import load
    from kafka_topology.topology.model.words import did_you_mean

    given = tuple(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    for name in given:
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", name):
            raise click.BadParameter("use letters, digits, hyphens, dots and underscores", param_hint="--environments")
    if not given:
        return ()
    known: tuple[str, ...] | None = EXAMPLE_ENVIRONMENTS
    if _is_there(topology):
        read = load(topology).topology
        known = tuple(read.environments) if read is not None else None  # its review says what is wrong with it
    for name in given:
        if known is not None and name not in known:
            hint = did_you_mean(name, known) or f"it has {', '.join(sorted(known)) or 'none'}"
            raise click.BadParameter(f"{topology} has no environment `{name}`; {hint}", param_hint="--environments")
    return given


def _refuse_what_cannot_be_written(wanted: Starter, folder: Path) -> None:
    if wanted.is_pipeline_only and wanted.ci == "none":
        raise click.UsageError("--only-pipeline writes a pipeline, and --ci none asks for none; pass one of them")
    if wanted.has_topology:
        return
    if wanted.is_pipeline_only:
        raise click.UsageError(f"there is no topology at {folder / wanted.topology}; name it with --topology PATH")
    if wanted.topology.endswith((".yaml", ".yml")):
        raise click.UsageError(f"{folder / wanted.topology} does not exist; name a folder for the example")


def _write(folder: Path, wanted: dict[str, str], *, keeps_all: bool) -> set[str]:
    """All files. Adds to a .gitignore, keeps a README and, with `keeps_all`, all that exist. Returns those it kept."""
    from kafka_topology.starter import MERGED, OPTIONAL, merged, must

    ignored = folder / MERGED
    before = _text(ignored) if ignored.is_file() and not ignored.is_symlink() else None
    kept = {OPTIONAL} if (folder / OPTIONAL).exists() else set()
    if keeps_all:
        kept = {path for path in wanted if (folder / path).exists() or (folder / path).is_symlink()}
    kept |= {MERGED} if before is not None else set()
    new = {path: text for path, text in wanted.items() if path not in kept}
    write_new_files(folder, new)
    for path in new:
        click.echo(str(folder / path))
    for path in sorted(kept - {MERGED, OPTIONAL}):
        if _differs(folder / path, wanted[path]):
            click.echo(f"{folder / path} stays as it is: {must(path)}", err=True)
    if before is not None and (after := merged(before, wanted[MERGED])) != before:
        write_or_exit(ignored, after, "DIR")
        click.echo(f"{ignored}: added the lines that were missing", err=True)
    return kept


def _differs(file: Path, wanted: str) -> bool:
    try:
        return file.read_text(encoding="utf-8") != wanted
    except (OSError, ValueError):
        return True


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
