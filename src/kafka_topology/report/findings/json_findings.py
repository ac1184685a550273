"""Findings as JSON with stable names, described by `findings.schema.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kafka_topology.topology import Finding, Location, Severity

from ..formats import Format
from ..links import docs_page, docs_url
from ..run import Run, relative
from .fingerprints import unique_fingerprints

VERSION = 1


def render(run: Run) -> str:
    counts = {severity.value: sum(f.severity is severity for f in run.findings) for severity in Severity}
    names = {rule.id: rule.name for rule in run.rules}
    suppressed = [each.finding for each in run.suppressed]
    document: dict[str, Any] = {
        "version": VERSION,
        "subject": run.path(run.subject),
        "environment": run.environment,
        "summary": {**counts, "suppressed": len(run.suppressed), "baselined": len(run.baselined)},
        **findings_json(run.findings, run.folder, names),
        "suppressed": [
            {**found, "reason": each.by.reason, "suppressedAt": _location(each.by.location, run.folder)}
            for each, found in zip(run.suppressed, _findings(suppressed, run.folder, names), strict=True)
        ],
        "baselined": _findings(run.baselined, run.folder, names),
        "staleBaseline": [
            {"rule": entry.rule, "resource": entry.resource, "message": entry.message} for entry in run.stale
        ],
        "couldNotCheck": list(run.could_not_check),
    }
    if run.stack is not None:
        document["stack"] = {"name": run.stack.name, "project": run.stack.project, "gave": list(run.stack.parts)}
    if run.live is not None:
        document["live"] = run.live
    return json.dumps(document, indent=2) + "\n"


def findings_json(
    findings: tuple[Finding, ...], folder: Path | None = None, names: dict[str, str] | None = None
) -> dict[str, Any]:
    return {"findings": _findings(findings, folder or Path(), names or {})}


def _findings(findings: tuple[Finding, ...] | list[Finding], folder: Path, names: dict[str, str]) -> list[Any]:
    unique = unique_fingerprints(findings)
    return [
        _finding(finding, name, folder, names.get(finding.id)) for finding, name in zip(findings, unique, strict=True)
    ]


def _finding(finding: Finding, name: str, folder: Path, rule_name: str | None) -> dict[str, Any]:
    return {
        "rule": finding.id,
        "name": rule_name,
        "severity": finding.severity.value,
        "message": finding.message,
        "location": _location(finding.location, folder),
        "resource": finding.resource,
        "resourceKind": finding.kind,
        "fix": finding.fix,
        "remediation": finding.fix,  # the old name, for one release
        "evidence": dict(finding.evidence),
        "related": [{"location": _location(r.location, folder), "message": r.message} for r in finding.related],
        "edits": [{"location": _location(edit.location, folder), "text": edit.text} for edit in finding.edits],
        "docs": docs_url(finding.id) or docs_page(finding.id),
        "fingerprint": name,
    }


def _location(location: Location, folder: Path) -> dict[str, Any]:
    return {
        "file": relative(location.file, folder),
        "line": location.line,
        "column": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
    }


FORMAT = Format(
    name="json",
    description="Everything, for programs. `findings.schema.json` describes it.",
    render=render,
)
