"""Findings as JSON: stable names, everything a program needs."""

from __future__ import annotations

from typing import Any

from kafka_topology.topology import Finding, Location


def findings_json(findings: tuple[Finding, ...]) -> dict[str, Any]:
    return {"findings": [_finding(finding) for finding in findings]}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.id,
        "severity": finding.severity.value,
        "message": finding.message,
        "location": _location(finding.location),
        "resource": finding.resource,
        "remediation": finding.remediation,
        "related": [{"location": _location(r.location), "message": r.message} for r in finding.related],
    }


def _location(location: Location) -> dict[str, Any]:
    return {
        "file": location.file,
        "line": location.line,
        "column": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
    }
