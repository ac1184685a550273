"""Findings as GitHub workflow commands, which annotate the lines of a pull request."""

from __future__ import annotations

from kafka_topology.topology import Finding, Severity
from kafka_topology.topology.model.words import printable

from ..formats import Format
from ..run import Run

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "notice"}


def render(run: Run) -> str:
    names = {rule.id: rule.name for rule in run.rules}
    unchecked = (f"::error title=could not check::{_data(reason)}\n" for reason in run.could_not_check)
    return "".join((*(_command(finding, run, names.get(finding.id, "")) for finding in run.findings), *unchecked))


def _command(finding: Finding, run: Run, name: str) -> str:
    at = finding.location
    properties = {"file": run.path(at.file), "line": str(at.line), "endLine": str(at.end_line), "col": str(at.column)}
    if at.line == at.end_line:
        properties["endColumn"] = str(at.end_column)  # GitHub supports columns within one line only
    properties["title"] = f"{finding.id} {name}".strip()
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    lines = [finding.message, *(f"fix: {finding.fix}" for _ in range(bool(finding.fix)))]
    lines += [f"{run.path(each.location.file)}:{each.location.line}: {each.message}" for each in finding.related]
    text = "\n".join(lines)
    return f"::{COMMANDS[finding.severity]} {listed}::{_data(text)}\n"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMAT = Format(
    name="github",
    description="Workflow commands, which GitHub shows at the changed lines of a pull request.",
    render=render,
)
