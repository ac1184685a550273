"""Findings as a GitLab code quality report."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from kafka_topology.topology import Severity

from ..formats import Format
from ..run import Run
from .fingerprints import unique_fingerprints

SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.ADVICE: "info"}


def render(run: Run) -> str:
    issues: list[dict[str, Any]] = [
        {
            "type": "issue",
            "check_name": finding.id,
            "description": f"{finding.message}. To fix it: {finding.fix}" if finding.fix else finding.message,
            "fingerprint": name,
            "severity": SEVERITIES[finding.severity],
            "location": {
                "path": run.path(finding.location.file),
                "lines": {"begin": finding.location.line, "end": finding.location.end_line},
            },
        }
        for finding, name in zip(run.findings, unique_fingerprints(run.findings), strict=True)
    ]
    issues += [
        {
            "type": "issue",
            "check_name": "could-not-check",
            "description": f"could not check: {reason}",
            "fingerprint": hashlib.sha256(reason.encode()).hexdigest()[:32],
            "severity": "blocker",
            "location": {"path": run.path(run.subject), "lines": {"begin": 1, "end": 1}},
        }
        for reason in run.could_not_check
    ]
    return json.dumps(issues, indent=2) + "\n"


FORMAT = Format(
    name="gitlab",
    description="A code quality report, which GitLab shows in a merge request.",
    render=render,
)
