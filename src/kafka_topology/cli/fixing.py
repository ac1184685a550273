"""`validate --fix` and `--diff`: fixes findings in the files, or shows how, and reports what was done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from kafka_topology.cli.exits import Exit, stop
from kafka_topology.files import why
from kafka_topology.fixing.fixes import FileChanged, Fixed, Refused, diff_of, find_fixes, write_fixes
from kafka_topology.report.run import relative
from kafka_topology.topology import Finding
from kafka_topology.topology.model.words import visible
from kafka_topology.validators import Outcome


def fix_files(
    path: Path,
    environment: str | None,
    select: Callable[[str], bool],
    wanted: Callable[[Outcome], Sequence[Finding]],
    *,
    only_show: bool,
) -> list[Refused]:
    """Print the diff on stdout, or write the files; list fixed and refused findings on stderr. Returns the refused."""
    fixes = find_fixes(path, environment, select, wanted)
    folder = Path.cwd()
    if only_show:
        click.echo(diff_of(fixes, folder), nl=False)
    else:
        try:
            write_fixes(fixes)
        except FileChanged as error:
            stop(Exit.UNUSABLE, str(error))
        except OSError as error:
            stop(Exit.UNUSABLE, f"{error.filename}: not fixed: cannot be written: {why(error)}")
    for line in _lines(fixes.fixed, fixes.refused, folder, only_show=only_show):
        click.echo(line, err=True)
    return fixes.refused


def _lines(fixed: list[Fixed], refused: list[Refused], folder: Path, *, only_show: bool) -> list[str]:
    verb = "would fix" if only_show else "fixed"
    lines = [f"{verb} {_what(each.finding, folder)}: {_short(each.old)} -> {_short(each.new)}" for each in fixed]
    lines += [f"not fixed: {_what(each.finding, folder)}: {each.reason}" for each in refused]
    return lines or ["no automatic fixes"]


def _what(finding: Finding, folder: Path) -> str:
    at = finding.location
    return f"{finding.id} {visible(finding.resource)} at {relative(at.file, folder)}:{at.line}:{at.column}"


def _short(text: str) -> str:
    shown = " ".join(visible(text).split())
    return (shown if len(shown) <= 60 else f"{shown[:57]}...") or "nothing"
