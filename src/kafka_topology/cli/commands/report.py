"""`kafka-topology report`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from kafka_topology.files import why
from kafka_topology.topology.model.words import counted

from ..arguments import environment_option, focus_option, input_file_option, topology_argument
from ..drawing import drawn_graph
from ..exits import Command, Exit
from ..loading import load_or_exit, loaded_topology
from ..writing import files_of, keep_inputs, output_option, write_or_exit

if TYPE_CHECKING:
    from kafka_topology.report.page import AuditFile, CheckFile

T = TypeVar("T", "CheckFile", "AuditFile")
MOST_DRAWN = 300
EPILOG = """\b
Examples:
  kafka-topology report topology/ --env prod --output report.html
  kafka-topology check topology/ --bootstrap localhost:9092 \\
      --format json=checks.json
  kafka-topology audit topology/ --bootstrap localhost:9092 \\
      --format json=audit.json
  kafka-topology report topology/ --check checks.json --audit audit.json
"""
EXITS = {
    Exit.FINE: "written, even with findings",
    Exit.UNUSABLE: "wrong usage, or a file cannot be read as a topology, a check or an audit",
}


@click.command(name="report", cls=Command, exits=EXITS, epilog=EPILOG)
@topology_argument
@environment_option
@input_file_option("check", "Output of `kafka-topology check --format json`, shown with charts.")
@input_file_option("audit", "Output of `kafka-topology audit --format json`, shown with charts.")
@focus_option
@output_option("File for the page.", default=Path("report.html"), show_default=True)
def command(
    *,
    path: Path,
    environment: str | None,
    check_file: Path | None,
    audit_file: Path | None,
    focus: str | None,
    output: Path,
) -> None:
    """Write one HTML page about the topology at PATH: graph, findings, audit, record checks and access.

    The page is one file that loads nothing else. Record keys appear as in the check's file: masked, unless it was
    made with --show-keys.
    """
    from kafka_topology.documents import CHECKS, FINDINGS
    from kafka_topology.report.findings.text import counts_text
    from kafka_topology.report.page import Subject, parse_audit, parse_checks, render
    from kafka_topology.report.run import Run, quoting
    from kafka_topology.validators import run

    checks = _read(check_file, "--check", parse_checks, CHECKS) if check_file is not None else None
    audit = _read(audit_file, "--audit", parse_audit, FINDINGS) if audit_file is not None else None
    loaded = load_or_exit(path, environment)
    keep_inputs(output, [*files_of(path, loaded), check_file, audit_file])
    topology = loaded_topology(loaded)
    drawn = drawn_graph(topology, focus).most_connected(MOST_DRAWN)
    outcome = run(topology)
    found = Run(
        subject=str(path),
        folder=Path.cwd(),
        environment=environment,
        findings=outcome.findings,
        suppressed=outcome.suppressed,
        rules=outcome.rules,
        ran=outcome.ran,
        quote=quoting(loaded),
    )
    write_or_exit(output, render(Subject(topology, found, checks, drawn, audit)))
    click.echo(f"{output}: rules: {counts_text(outcome.findings)}{_audit_text(audit)}{_checks_text(checks)}", err=True)


def _checks_text(checks: CheckFile | None) -> str:
    """The record checks in a few words: how many violations, and whether everything was checked."""
    if checks is None:
        return ""
    if checks.violations:
        return f"; records: {counted(checks.violations, 'violation')}"
    return f"; records: {'no violations' if checks.is_fine else 'not all checked'}"


def _audit_text(audit: AuditFile | None) -> str:
    if audit is None:
        return ""
    found = counted(len(audit.findings), "finding") if audit.findings else "no findings"
    return f"; cluster: {found}{'' if audit.is_complete else ', not all checked'}"


def _read(file: Path, option: str, parse: Callable[[str], T], schema: str) -> T:
    from kafka_topology.documents import mistake_in

    text = None
    try:
        text = file.read_text(encoding="utf-8")
        parsed = parse(text)
    except OSError as error:
        reason = why(error)
    except ValueError as error:  # also what is not UTF-8, or not what the option takes
        wrong = None if text is None else mistake_in(text, schema)
        reason = str(error) if wrong is None or wrong.startswith("not JSON") else f"{error} ({wrong})"
    else:
        if parsed.not_understood:
            wrong = mistake_in(text, schema)
            where = f" ({wrong})" if wrong else ""
            again = f"Write the file again with `kafka-topology {option.lstrip('-')} --format json`."
            left_out = f"the page leaves out {parsed.not_understood:,} parts that it cannot read"
            click.echo(f"{file}: {left_out}{where}. {again}", err=True)
        return parsed
    raise click.BadParameter(f"{file}: {reason}", param_hint=option)
