"""`kafka-topology import`."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from kafka_topology.cli.connecting import client_settings, connection_options
from kafka_topology.cli.reviewing import COULD_NOT_CHECK, USAGE, stop

if TYPE_CHECKING:
    from kafka_topology.importing import Imported
    from kafka_topology.provider.inventory import Inventory, Part
    from kafka_topology.provider.settings import Owned

PARTS = ("groups", "access", "users", "quotas")
PULUMI_FILE = "pulumi-import.json"
EPILOG = """\b
Examples:
  kafka-topology import --bootstrap localhost:9092 --output topology
  kafka-topology import --client-config client.properties --topics shop. --groups shop. \\
      --principals User:shop- --stack prod --output topology
"""


@click.command(name="import", epilog=EPILOG)
@connection_options
@click.option("--topics", metavar="PREFIX", multiple=True, help="Only topics that begin so; repeatable.")
@click.option("--groups", metavar="PREFIX", multiple=True, help="Only groups that begin so; repeatable.")
@click.option("--principals", metavar="PREFIX", multiple=True, help="Only principals that begin so; repeatable.")
@click.option("--without", type=click.Choice(PARTS), multiple=True, help="Leave these out; repeatable.")
@click.option(
    "--output",
    "folder",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the files go.",
)
@click.option("--project", metavar="NAME", help="The Pulumi project; by default that of the nearest Pulumi.yaml.")
@click.option("--stack", metavar="NAME", default="dev", show_default=True, help="The Pulumi stack.")
@click.option("--force", is_flag=True, help="Overwrite files of an earlier import.")
def command(
    *,
    bootstrap: str | None,
    client_config: Path | None,
    timeout: float,
    topics: tuple[str, ...],
    groups: tuple[str, ...],
    principals: tuple[str, ...],
    without: tuple[Part, ...],
    folder: Path,
    project: str | None,
    stack: str,
    force: bool,
) -> None:
    """Write an existing cluster down as a topology, and the file for `pulumi import`. Reads only.

    Topics, consumer groups that have committed offsets, access rules, users (without passwords) and quotas, all of
    them or only what begins with the given prefixes, which become the ownership. What topics share becomes profiles.

    \b
    Exit codes: 0 written, 2 a file is there already or cannot be written,
    3 the cluster could not be read completely, and nothing was written.
    """
    from kafka_topology.importing import imported, pulumi_import
    from kafka_topology.provider.settings import Owned

    client = client_settings(bootstrap, client_config)
    owned = Owned(topics or None, groups or None, principals or None)
    found = _inventory(dict(client), timeout, owned, frozenset(without))
    made = imported(found, owned)
    if not made.resources:
        stop(USAGE, "nothing of the cluster begins so, and nothing is written: look at the prefixes")
    project = project or _project(Path.cwd())
    files = _lowered(dict(made.files))
    if project is not None:
        files[PULUMI_FILE] = pulumi_import(made.resources, project, stack)
    _write(folder, files, force=force)
    _tell(folder, files, made, project, stack)


def _inventory(client: dict[str, str], timeout: float, owned: Owned, without: frozenset[Part]) -> Inventory:
    from kafka_topology.provider.cluster import Cluster
    from kafka_topology.provider.inventory import take_inventory
    from kafka_topology.provider.outcomes import ClusterUnreachableError
    from kafka_topology.provider.settings import client_only

    try:
        cluster = Cluster(client_only(client, timeout))
        cluster.connect()
    except ClusterUnreachableError as error:
        stop(COULD_NOT_CHECK, str(error))
    found = take_inventory(cluster, owned, without)
    if found.unread:
        for reason in found.unread:
            click.echo(f"could not read: {reason}", err=True)
        stop(COULD_NOT_CHECK, "nothing is written; get the permission, or leave parts out with --without")
    return found


def _lowered(files: dict[str, str]) -> dict[str, str]:
    """With the rules that the cluster breaks today as warnings, so that Pulumi can take it over as it is."""
    from kafka_topology.importing import CLUSTER_FILE, with_lowered
    from kafka_topology.topology import Severity, load
    from kafka_topology.validators import validate

    with TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        loaded = load(Path(folder))
    if loaded.topology is None:
        for problem in loaded.problems:
            click.echo(f"{Path(problem.location.file).name}:{problem.location.line}: {problem.message}", err=True)
        stop(COULD_NOT_CHECK, "the cluster holds what the language cannot say, and nothing is written")
    broken = {found.id for found in validate(loaded.topology) if found.severity is Severity.ERROR}
    return {**files, CLUSTER_FILE: with_lowered(files[CLUSTER_FILE], broken)}


def _project(folder: Path) -> str | None:
    for candidate in (folder, *folder.parents):
        file = candidate / "Pulumi.yaml"
        if file.is_file():
            named = re.search(r"^name:\s*[\"']?([\w.-]+)", file.read_text(encoding="utf-8"), re.MULTILINE)
            return named[1] if named else None
    return None


def _write(folder: Path, files: dict[str, str], *, force: bool) -> None:
    from kafka_topology.files import write_atomically

    there = [name for name in files if (folder / name).exists() or (folder / name).is_symlink()]
    if there and not force:
        stop(USAGE, f"{folder}: nothing is written, because these exist: {', '.join(there)}; --force overwrites them")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            write_atomically(folder / name, text.encode())
    except OSError as error:
        stop(USAGE, f"{error.filename or folder}: {(error.strerror or str(error)).lower()}")


def _tell(folder: Path, files: dict[str, str], made: Imported, project: str | None, stack: str) -> None:
    from kafka_topology.importing import provider_urn

    for name in files:
        click.echo(str(folder / name))
    for note in made.notes:
        click.echo(f"note: {note}", err=True)
    if project is None:
        click.echo(f"{PULUMI_FILE} is not written: no Pulumi.yaml is here; --project names the project.", err=True)
        return
    click.echo(
        "Next, with this topology in the stack's config, and a secret for each user's password:\n"
        f"  pulumi up --target {provider_urn(project, stack)}\n"
        f"  pulumi import --file {folder / PULUMI_FILE} --generate-code=false\n"
        "  pulumi preview --expect-no-changes",
        err=True,
    )
