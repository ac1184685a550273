"""`kafka-topology report`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from kafka_topology.cli.loading import load_or_exit
from kafka_topology.cli.writing import write_or_exit

if TYPE_CHECKING:
    from kafka_topology.graph import Graph
    from kafka_topology.report.page import AuditFile, CheckFile
    from kafka_topology.topology import Topology

T = TypeVar("T")
MOST_DRAWN = 300
EPILOG = """\b
Examples:
  kafka-topology report topology/ --env prod --output report.html
  kafka-topology check topology/ --bootstrap localhost:9092 --format json --output checks.json
  kafka-topology audit topology/ --bootstrap localhost:9092 --format json=audit.json
  kafka-topology report topology/ --check checks.json --audit audit.json
"""


@click.command(name="report", epilog=EPILOG)
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--env", "environment", metavar="NAME", help="Lay this environment over the topology.")
@click.option(
    "--check",
    "check_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="What `kafka-topology check --format json` wrote: shown with charts.",
)
@click.option(
    "--audit",
    "audit_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="What `kafka-topology audit --format json` wrote: shown with charts.",
)
@click.option("--focus", metavar="NAME", help="Draw only the part of the graph around this resource or team.")
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="Where to write the page.",
)
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

    The page is one file that loads nothing from anywhere. Keys of records are shown as the check's file has them:
    masked, unless it was made with --show-keys.

    \b
    Exit codes: 0 written, whatever the findings; 2 the files cannot be read as a topology, a check or an audit.
    """
    from kafka_topology.report.page import Subject, parse_audit, parse_checks, render
    from kafka_topology.report.run import Run, quoting
    from kafka_topology.report.text import counts_text
    from kafka_topology.validators import run

    checks = _read(check_file, "--check", parse_checks) if check_file is not None else None
    audit = _read(audit_file, "--audit", parse_audit) if audit_file is not None else None
    loaded = load_or_exit(path, environment)
    topology = loaded.topology
    assert topology is not None  # noqa: S101 - it would have ended above
    drawn = _drawn(topology, focus)
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
    """The record checks in a few words: what was found, and what nobody looked at."""
    if checks is None:
        return ""
    found = (
        f"{checks.violations:,} violations" if checks.violations else "fine" if checks.is_fine else "not all checked"
    )
    return f"; records: {found}"


def _audit_text(audit: AuditFile | None) -> str:
    if audit is None:
        return ""
    found = f"{len(audit.findings):,} findings" if audit.findings else "nothing found"
    return f"; cluster: {found}{'' if audit.is_complete else ', not all checked'}"


def _drawn(topology: Topology, focus: str | None) -> Graph:
    from kafka_topology.graph import UnknownName, focused, topology_graph

    graph = topology_graph(topology)
    if focus is not None:
        try:
            graph = focused(graph, focus)
        except UnknownName as unknown:
            raise click.BadParameter(str(unknown), param_hint="--focus") from unknown
    return graph.most_connected(MOST_DRAWN)


def _read(file: Path, option: str, parse: Callable[[str], T]) -> T:
    try:
        return parse(file.read_text(encoding="utf-8"))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    except ValueError as error:  # also what is not UTF-8, or not what the option takes
        reason = str(error)
    raise click.BadParameter(f"{file}: {reason}", param_hint=option)
