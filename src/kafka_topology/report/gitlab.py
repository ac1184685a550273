"""Findings as a GitLab code quality report."""

from __future__ import annotations

import json
from typing import Any

from kafka_topology.topology import Severity

from .fingerprints import unique_fingerprints
from .run import Run

SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.ADVICE: "info"}


def render(run: Run) -> str:
    issues: list[dict[str, Any]] = [
        {
            "type": "issue",
            "check_name": finding.id,
            "description": f"{finding.message}. To fix it: {finding.remediation}"
            if finding.remediation
            else finding.message,
            "fingerprint": name,
            "severity": SEVERITIES[finding.severity],
            "location": {
                "path": run.path(finding.location.file),
                "lines": {"begin": finding.location.line, "end": finding.location.end_line},
            },
        }
        for finding, name in zip(run.findings, unique_fingerprints(run.findings), strict=True)
    ]
    return json.dumps(issues, indent=2) + "\n"
