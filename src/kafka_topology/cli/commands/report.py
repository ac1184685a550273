"""`kafka-topology report`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kafka_topology.files import why
from kafka_topology.topology.model.words import counted

from ..arguments import deployed_argument, environments_option, focus_option
from ..connecting import stack_options
from ..drawing import drawn_graph
from ..exits import Command, Exit
from ..loading import load_or_exit, loaded_topology
from ..reviewing import line_address, link_base_option
from ..writing import files_of, keep_inputs, output_option, write_or_exit

if TYPE_CHECKING:
    from kafka_topology.report.page import AuditFile, CheckFile, Subject
    from kafka_topology.report.run import Run
    from kafka_topology.topology import Finding, Loaded

T = TypeVar("T", "CheckFile", "AuditFile")
MOST_DRAWN = 300
EPILOG = """\b
Examples:
  kafka-topology report topology/ --env prod --output report.html
  kafka-topology report topology/ --env staging --env prod
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


def _input_option(command: str) -> Callable[..., Any]:
    """A file that another command wrote, for each environment of the page."""
    return click.option(
        f"--{command}",
        f"{command}_files",
        metavar="[ENV=]FILE",
        multiple=True,
        help=f"Output of `kafka-topology {command} --format json`, shown with charts. With several environments, "
        "repeat it and put the name of the environment before the file.",
    )


@click.command(name="report", cls=Command, exits=EXITS, epilog=EPILOG)
@deployed_argument
@environments_option
@stack_options(lambda _: False, by_default=lambda _: True)
@_input_option("check")
@_input_option("audit")
@focus_option
@link_base_option
@output_option("File for the page.", default=Path("report.html"), show_default=True)
def command(
    *,
    path: Path,
    environments: tuple[str, ...],
    check_files: tuple[str, ...],
    audit_files: tuple[str, ...],
    focus: str | None,
    link_base: str | None,
    output: Path,
) -> None:
    """Write one HTML page about the topology at PATH: graph, findings, audit, record checks and access.

    With several environments, the page also shows what differs between them. For a page about a change, use
    `kafka-topology review --format page=FILE`.

    The page is one file that loads nothing else. Record keys appear as in the check's file: masked, unless it was
    made with --show-keys.
    """
    from kafka_topology.documents import CHECKS, FINDINGS
    from kafka_topology.report.page import Subject, parse_audit, parse_checks, render

    names: tuple[str | None, ...] = tuple(dict.fromkeys(environments)) or (None,)
    check_of, audit_of = _by_environment(check_files, "--check", names), _by_environment(audit_files, "--audit", names)
    checks = {name: _read(file, "--check", parse_checks, CHECKS) for name, file in check_of.items()}
    audits = {name: _read(file, "--audit", parse_audit, FINDINGS) for name, file in audit_of.items()}
    for name, audit in audits.items():
        _refuse_other_environment(audit_of[name], audit.environment, name)
    address = line_address(link_base)
    subjects: list[Subject] = []
    inputs: list[Path] = [*check_of.values(), *audit_of.values()]
    for number, name in enumerate(names):
        loaded = load_or_exit(path, name)
        inputs += files_of(path, loaded)
        topology = loaded_topology(loaded)
        subject = Subject(
            topology,
            _judged(path, loaded, name),
            checks.get(name),
            drawn_graph(topology, focus).most_connected(MOST_DRAWN),
            audits.get(name),
            prefix=f"e{number}-" if len(names) > 1 else "",
            address=address,
            link_base=(link_base or "").rstrip("/"),
        )
        subjects.append(subject)
    keep_inputs(output, inputs)
    write_or_exit(output, render(*subjects))
    for subject in subjects:
        click.echo(f"{output}: {_summary(subject, is_named=len(subjects) > 1)}", err=True)


def _judged(path: Path, loaded: Loaded, environment: str | None) -> Run:
    from kafka_topology.report.run import Run, quoting
    from kafka_topology.validators import run

    outcome = run(loaded_topology(loaded))
    return Run(
        subject=str(path),
        folder=Path.cwd(),
        environment=environment,
        findings=outcome.findings,
        suppressed=outcome.suppressed,
        rules=outcome.rules,
        ran=outcome.ran,
        quote=quoting(loaded),
    )


def _by_environment(given: Sequence[str], option: str, names: tuple[str | None, ...]) -> dict[str | None, Path]:
    """The file of each environment. Ends the command if one is for no environment, or several are for one."""
    found: dict[str | None, Path] = {}
    for text in given:
        before, equals, after = text.partition("=")
        name = before if equals and before in names else names[0] if len(names) == 1 else None
        if name not in names:
            known = " or ".join(f"{each}=" for each in names)
            raise click.BadParameter(f"{text}: say which environment it is of: put {known} first", param_hint=option)
        if name in found:
            whose = f" of {name}" if name else ""
            message = f"give one file{whose}; {found[name]} and {text} were given"
            raise click.BadParameter(message, param_hint=option)
        found[name] = Path(after if equals and before == name else text)
    return found


def _refuse_other_environment(file: Path, audited: str | None, shown: str | None) -> None:
    """An audit of another environment would be taken for this one's."""
    if audited is not None and audited != shown:
        of = f"is of {shown}" if shown else "applies no environment"
        message = f"{file} is an audit of the environment {audited}, but the page {of}; pass --env {audited}"
        raise click.BadParameter(message, param_hint="--audit")


def _summary(subject: Subject, *, is_named: bool) -> str:
    from kafka_topology.report.findings.text import counts_text

    environment = f"{subject.environment}: " if is_named else ""
    found: tuple[Finding, ...] = subject.run.findings
    return f"{environment}rules: {counts_text(found)}{_audit_text(subject.audit)}{_checks_text(subject.checks)}"


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
