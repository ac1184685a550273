"""`kafka-topology import`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from kafka_topology.importing.inventory import parts

from ..arguments import format_option
from ..connecting import client_settings, connection_options, stack_options
from ..exits import Command, Exit, stop
from ..new_files import write_new_files
from ..writing import write_outputs

if TYPE_CHECKING:
    from kafka_topology.importing.files import Imported
    from kafka_topology.importing.inventory import Inventory
    from kafka_topology.importing.prefixes import Matches
    from kafka_topology.provider.config.settings import Owned
    from kafka_topology.report.findings.formats import Output

PULUMI_FILE = "pulumi-import.json"
DEFAULT_STACK = "dev"
EPILOG = """\b
Examples:
  kafka-topology import --bootstrap localhost:9092 --output topology
  kafka-topology import --client-config client.properties --topics shop. \\
      --groups shop. --principals User:shop- --stack prod --output topology
"""
EXITS = {
    Exit.FINE: "written",
    Exit.UNUSABLE: "wrong usage, or a file exists or cannot be written",
    Exit.COULD_NOT_CHECK: "the cluster could not be read completely; nothing was written",
}


def _prefix_option(section: str) -> Callable[..., Any]:
    return click.option(
        f"--{section}", metavar="PREFIX", multiple=True, help=f"Only {section} with this prefix; repeatable."
    )


@click.command(name="import", cls=Command, exits=EXITS, epilog=EPILOG)
@connection_options
@_prefix_option("topics")
@_prefix_option("groups")
@_prefix_option("principals")
@click.option("--without", type=click.Choice(parts()), multiple=True, help="Leave this out; repeatable.")
@click.option(
    "--of-applications",
    is_flag=True,
    help="Also import topics that Streams, Connect, MirrorMaker or a registry keep for themselves.",
)
@click.option(
    "--output",
    "folder",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the files.",
)
@click.option("--project", metavar="NAME", help="Pulumi project. Default: the one of the nearest Pulumi.yaml.")
@stack_options(names_stack=True)
@click.option("--force", is_flag=True, help="Overwrite files of an earlier import.")
@format_option(["text", "json"], "Lists the written files and the notes.")
def command(
    *,
    bootstrap: str | None,
    client_config: Path | None,
    timeout: float,
    topics: tuple[str, ...],
    groups: tuple[str, ...],
    principals: tuple[str, ...],
    without: tuple[str, ...],
    of_applications: bool,
    folder: Path,
    project: str | None,
    stack: str | None,
    force: bool,
    outputs: tuple[Output, ...],
) -> None:
    """Write an existing cluster as a topology, with a file for `pulumi import`. Only reads the cluster.

    Imports every resource that a topology can declare, or those with the given prefixes, which become the ownership.
    Settings that topics share become profiles. Users are written without passwords.
    """
    from kafka_topology.importing.files import imported, pulumi_import
    from kafka_topology.importing.prefixes import matches
    from kafka_topology.provider.config.settings import Owned

    client = client_settings(bootstrap, client_config)
    owned = Owned(topics or None, groups or None, principals or None)
    found = _inventory(client, timeout, owned, frozenset(without), of_applications=of_applications)
    made = imported(found, owned)
    matched = matches(found, owned)
    _stop_if_nothing(made, matched)
    stack = stack or DEFAULT_STACK
    project = project or _project(Path.cwd())
    files = _lowered(dict(made.files))
    if project is not None:
        files[PULUMI_FILE] = pulumi_import(made.resources, project, stack)
    write_new_files(folder, files, overwrite=force, hint="; overwrite them with --force")
    warnings = [each.warning for each in matched.unmatched]
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)
    listed = {
        "files": [str(folder / name) for name in files],
        "notes": list(made.notes),
        "warnings": warnings,
    }
    write_outputs(outputs, lambda name: _listing(listed, name))
    if any(output.name == "text" and output.file is None for output in outputs):
        _print_next_steps(folder, made, project, stack)


def _listing(listed: Mapping[str, list[str]], name: str) -> str:
    return json.dumps(listed, indent=2) + "\n" if name == "json" else "".join(f"{file}\n" for file in listed["files"])


def _inventory(
    client: Mapping[str, str], timeout: float, owned: Owned, without: frozenset[str], *, of_applications: bool
) -> Inventory:
    from kafka_topology.cluster.cluster import Cluster
    from kafka_topology.cluster.connecting.settings import client_only
    from kafka_topology.cluster.outcomes import ClusterUnreachableError
    from kafka_topology.importing.inventory import take_inventory

    try:
        cluster = Cluster(client_only(client, timeout))
        cluster.connect()
    except ClusterUnreachableError as error:
        stop(Exit.COULD_NOT_CHECK, str(error))
    found = take_inventory(cluster, owned, without, of_applications=of_applications)
    if found.unread:
        for reason in found.unread:
            click.echo(f"could not read: {reason}", err=True)
        stop(Exit.COULD_NOT_CHECK, "nothing was written; get the permission, or leave parts out with --without")
    return found


def _stop_if_nothing(made: Imported, matched: Matches) -> None:
    """Ends the command if there is nothing to import, or if no prefix matches: then the prefixes are wrong."""
    if matched.are_none:
        given = ", ".join(each.option for each in matched.unmatched)
        stop(
            Exit.UNUSABLE,
            f"nothing on the cluster has these prefixes: {given}; nothing was written; check the prefixes, and whether "
            "the client may describe what has them",
        )
    if not made.resources:
        where = " inside the given prefixes" if matched.given else ""
        stop(Exit.UNUSABLE, f"there is nothing to import on the cluster{where}; nothing was written")


def _lowered(files: dict[str, str]) -> dict[str, str]:
    """Makes the rules that the cluster breaks today warnings, so Pulumi can adopt it unchanged."""
    from kafka_topology.importing.files import with_lowered
    from kafka_topology.provider.resources.importer import CLUSTER_FILE
    from kafka_topology.topology import Severity, load
    from kafka_topology.validators import validate

    with TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        loaded = load(Path(folder))
    if loaded.topology is None:
        for problem in loaded.problems:
            click.echo(f"{Path(problem.location.file).name}:{problem.location.line}: {problem.message}", err=True)
        stop(Exit.COULD_NOT_CHECK, "the language cannot express something on the cluster; nothing was written")
    broken = {found.id for found in validate(loaded.topology) if found.severity is Severity.ERROR}
    return {**files, CLUSTER_FILE: with_lowered(files[CLUSTER_FILE], broken)}


def _project(folder: Path) -> str | None:
    from kafka_topology.stacks.project import find_project

    found = find_project(folder)
    return found.name if found is not None else None


def _print_next_steps(folder: Path, made: Imported, project: str | None, stack: str) -> None:
    from kafka_topology.importing.files import provider_urn

    for note in made.notes:
        click.echo(f"note: {note}", err=True)
    if project is None:
        click.echo(f"{PULUMI_FILE} was not written: found no Pulumi.yaml; name the project with --project.", err=True)
        return
    click.echo(
        "Next, put this topology into the stack's config, with a secret for each user's password, and run:\n"
        f"  pulumi up --target {quote(provider_urn(project, stack))}\n"
        f"  pulumi import --file {quote(str(folder / PULUMI_FILE))} --generate-code=false\n"
        "  pulumi preview --expect-no-changes",
        err=True,
    )
