"""Findings as Markdown, for a comment or a job's summary."""

from __future__ import annotations

import re

from kafka_topology.topology import Finding

from .run import Run
from .text import outcome_text

# The rest of a very long report would be cut off by who shows it; GitHub takes 65,536 characters.
MAX_FINDINGS = 200
_SPECIAL = re.compile(r"([\\`*_\[\]|~])")


def render(run: Run) -> str:
    environment = f" in {run.environment}" if run.environment else ""
    counts = outcome_text(run.findings, run.could_not_check)
    lines = [f"### kafka-topology{'' if run.command == 'validate' else f' {run.command}'}: {counts}{environment}", ""]
    if run.could_not_check:
        lines += [*(f"- **could not check:** {escaped(reason)}" for reason in run.could_not_check), ""]
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
    text = escaped(finding.message)
    if finding.remediation:
        text += f"<br>**fix:** {escaped(finding.remediation)}"
    return f"| {finding.severity.value} | {finding.id} | {escaped(where)} | {text} |"


def escaped(text: str) -> str:
    """Text as it is, whatever Markdown or HTML would make of it."""
    html = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", html).replace("\n", " ").replace("\r", "")
