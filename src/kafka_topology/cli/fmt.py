"""`kafka-topology fmt`."""

from __future__ import annotations

import difflib
import os
import tempfile
from pathlib import Path

import click

BOM = "\ufeff"


@click.command(name="fmt", epilog="Example: kafka-topology fmt topology/ --check --diff")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Change nothing; list the files that would change, and end with 1 if any.")
@click.option("--diff", "show_diff", is_flag=True, help="Change nothing; print what would change.")
def command(path: Path, check: bool, show_diff: bool) -> None:
    """Order and format the topology files at PATH, a file or a folder.

    Sections and fields come in the order of the language, indented by 2; topics and other named things keep their own
    order. Comments, blank lines, anchors, quotes and {…} stay. A file whose meaning would change is left as it is.

    \b
    Exit codes: 0 fine, 1 files would change (--check), 2 a file cannot be formatted.
    """
    from kafka_topology.topology.layout import CannotFormat
    from kafka_topology.topology.source import read_sources

    sources = read_sources(path)
    for unreadable in sources.unreadable:
        click.echo(f"{unreadable.location}: {unreadable.message}; {unreadable.remediation}", err=True)
    failed = bool(sources.unreadable)
    changed = 0
    for file in sources.files:
        try:
            before, after = _formatted(file.path)
        except CannotFormat as reason:
            click.echo(f"{file.name}: left as it is: {reason}", err=True)
            failed = True
            continue
        if before == after:
            continue
        changed += 1
        if show_diff:
            click.echo(_difference(file.name, before, after), nl=False)
        if check:
            click.echo(f"{file.name}: would be formatted", err=show_diff)
        elif not show_diff:
            _replace(file.path, after)
            click.echo(f"{file.name}: formatted")
    if failed:
        raise SystemExit(2)
    if check and changed:
        raise SystemExit(1)


def _formatted(path: Path) -> tuple[str, str]:
    """The text as it is and as it should be, each with its line ends and its byte order mark."""
    from kafka_topology.topology.formatting import format_text

    before = path.read_bytes().decode("utf-8")
    mark = BOM if before.startswith(BOM) else ""
    return before, mark + format_text(before.removeprefix(BOM))


def _difference(name: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), name, f"{name} (formatted)"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _replace(path: Path, text: str) -> None:
    """The file is either the old one or the new one, whatever happens in between."""
    target = path.resolve()
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(target.stat().st_mode & 0o7777)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
