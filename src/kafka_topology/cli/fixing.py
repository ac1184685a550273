"""`validate --fix` and `--diff`: mends the files, or shows how, and says what was done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from kafka_topology.fixes import FileChanged, Mended, Refused, find_fixes, unified_diff, write_fixes
from kafka_topology.report.run import relative
from kafka_topology.topology import Finding
from kafka_topology.validators import Outcome


def fix_files(
    path: Path,
    environment: str | None,
    select: Callable[[str], bool],
    wanted: Callable[[Outcome], Sequence[Finding]],
    *,
    only_show: bool,
) -> None:
    """The diff goes to stdout, what was done and what was not goes to stderr."""
    fixes = find_fixes(path, environment, select, wanted)
    folder = Path.cwd()
    if only_show:
        click.echo(unified_diff(fixes, folder), nl=False)
    else:
        try:
            write_fixes(fixes)
        except (OSError, FileChanged) as error:
            raise click.ClickException(str(error)) from error
    for line in _lines(fixes.mended, fixes.refused, folder, only_show=only_show):
        click.echo(line, err=True)


def _lines(mended: list[Mended], refused: list[Refused], folder: Path, *, only_show: bool) -> list[str]:
    lines = []
    for each in mended:
        verb = "would mend" if only_show else "mended"
        lines.append(f"{verb} {_what(each.finding, folder)}: {_short(each.old)} -> {_short(each.new)}")
    lines += [f"not mended: {_what(each.finding, folder)}: {each.reason}" for each in refused]
    return lines or ["nothing to mend automatically"]


def _what(finding: Finding, folder: Path) -> str:
    at = finding.location
    return f"{finding.id} {finding.resource} at {relative(at.file, folder)}:{at.line}:{at.column}"


def _short(text: str) -> str:
    shown = " ".join(text.split())
    return (shown if len(shown) <= 60 else f"{shown[:57]}...") or "nothing"
