"""`kafka-topology fmt`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafka_topology.files import unified_diff, why, write_atomically

from ..arguments import topology_argument
from ..exits import Command, Exit

if TYPE_CHECKING:
    from kafka_topology.topology.reading.source import SourceFile

BOM = "\ufeff"
EXITS = {
    Exit.FINE: "formatted, or nothing to format",
    Exit.FINDINGS: "files would change (--check)",
    Exit.UNUSABLE: "a file cannot be read, formatted or written",
}


@click.command(name="fmt", cls=Command, exits=EXITS, epilog="Example: kafka-topology fmt topology/ --check --diff")
@topology_argument
@click.option("--check", is_flag=True, help="Change nothing; list the files that would change, and exit with 1 if any.")
@click.option("--diff", "show_diff", is_flag=True, help="Change nothing; print the changes as a diff.")
def command(path: Path, check: bool, show_diff: bool) -> None:
    """Order and format the topology files at PATH, a file or a folder.

    Puts sections and fields in the order of the language, indented by 2. Topics and other named resources keep their
    order; comments, blank lines, anchors, quotes and {…} stay. Skips a file whose meaning would change.
    """
    from kafka_topology.topology.reading.source import read_sources
    from kafka_topology.topology.writing.layout import CannotFormat

    sources = read_sources(path)
    for unreadable in sources.unreadable:
        click.echo(f"{unreadable.location}: {unreadable.message}; {unreadable.fix}", err=True)
    failed = bool(sources.unreadable)
    changed = 0
    for file in sources.files:
        try:
            before, after = _formatted(file.path)
        except CannotFormat as reason:
            click.echo(f"{file.name}: not formatted: {reason}", err=True)
            failed = True
            continue
        if before == after:
            continue
        changed += 1
        if show_diff:
            click.echo(unified_diff(before, after, file.name, f"{file.name} (formatted)"), nl=False)
        if check:
            click.echo(f"{file.name}: would be formatted", err=show_diff)
        elif not show_diff:
            failed |= not _written(file, after)
    if failed:
        raise SystemExit(Exit.UNUSABLE)
    if check and changed:
        raise SystemExit(Exit.FINDINGS)


def _written(file: SourceFile, text: str) -> bool:
    try:
        write_atomically(file.path, text.encode())
    except OSError as error:
        click.echo(f"{file.name}: not formatted: cannot be written: {why(error)}", err=True)
        return False
    click.echo(f"{file.name}: formatted")
    return True


def _formatted(path: Path) -> tuple[str, str]:
    """The text before and after, each with its line ends and its byte order mark."""
    from kafka_topology.topology.writing.formatting import format_text

    before = path.read_bytes().decode("utf-8")
    mark = BOM if before.startswith(BOM) else ""
    return before, mark + format_text(before.removeprefix(BOM))
