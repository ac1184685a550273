"""Findings as Markdown, for a comment or a job's summary."""

from __future__ import annotations

from kafka_topology.topology import Finding

from .. import escaping
from ..formats import Format
from ..run import Run
from .text import outcome_text

# Hosts cut off very long reports; GitHub accepts 65,536 characters.
MAX_FINDINGS = 200


def render(run: Run) -> str:
    environment = f" in {run.environment}" if run.environment else ""
    counts = outcome_text(run.findings, run.could_not_check)
    lines = [f"### kafka-topology{'' if run.command == 'validate' else f' {run.command}'}: {counts}{environment}", ""]
    if run.could_not_check:
        lines += [*(f"- **could not check:** {escaping.text(reason)}" for reason in run.could_not_check), ""]
    if run.findings:
        lines += ["| | rule | where | finding |", "|---|---|---|---|"]
        lines += [_row(finding, run) for finding in run.findings[:MAX_FINDINGS]]
        if len(run.findings) > MAX_FINDINGS:
            lines += ["", f"{len(run.findings) - MAX_FINDINGS:,} more are not shown."]
        lines.append("")
    for count, what in ((len(run.suppressed), "suppressed"), (len(run.baselined), "in the baseline")):
        if count:
            lines.append(f"{count:,} {what}.")
    if run.stale:
        lines.append(f"{len(run.stale):,} entries of the baseline no longer occur.")
    return "\n".join(lines).rstrip() + "\n"


def _row(finding: Finding, run: Run) -> str:
    where = f"{run.path(finding.location.file)}:{finding.location.line}"
    text = escaping.text(finding.message)
    if finding.fix:
        text += f"<br>**fix:** {escaping.text(finding.fix)}"
    return f"| {finding.severity.value} | {finding.id} | {escaping.text(where)} | {text} |"


FORMAT = Format(
    name="markdown",
    description="A table, for a comment or a job summary.",
    render=render,
)
