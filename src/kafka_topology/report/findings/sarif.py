"""Findings as SARIF 2.1.0, which code hosts and editors show at their lines."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from kafka_topology import __version__
from kafka_topology.topology import Edit, Finding, Location, Severity
from kafka_topology.validators import Rule

from ..formats import Format
from ..links import docs_base, docs_url
from ..rule_page import category, rule_page
from ..run import Run
from .fingerprints import resource_title, unique_fingerprints

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "kafkaTopologyFinding/v1"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "note"}
Json = dict[str, Any]


def render(run: Run) -> str:
    suppressions: dict[int, Json] = {}
    for each in run.suppressed:
        suppressions[id(each.finding)] = {
            "kind": "inSource",
            "justification": each.by.reason,
            "location": {"physicalLocation": _physical(each.by.location, run)},
        }
    for finding in run.baselined:
        suppressions[id(finding)] = {"kind": "external", "justification": "listed in the baseline file"}
    findings = [*run.findings, *(each.finding for each in run.suppressed), *run.baselined]
    found = {finding.id for finding in findings}
    rules = [rule for rule in run.rules if rule.id in run.ran or rule.id in found]
    index = {rule.id: position for position, rule in enumerate(rules)}
    driver: Json = {"name": "kafka-topology", "version": __version__, "rules": [_rule(rule) for rule in rules]}
    base = docs_base()
    if base is not None:
        driver["informationUri"] = base
    results = [
        _result(finding, name, run, index, suppressions.get(id(finding)))
        for finding, name in zip(findings, unique_fingerprints(findings), strict=True)
    ]
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "automationDetails": {"id": f"{_category(run)}/{run.environment or 'default'}/"},
                "columnKind": "unicodeCodePoints",
                "invocations": [_invocation(run)],
                "results": results,
            }
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _category(run: Run) -> str:
    """A category per command: a code host treats findings missing in a later run of the category as fixed."""
    return "kafka-topology" if run.command == "validate" else f"kafka-topology-{run.command}"


def _invocation(run: Run) -> Json:
    invocation: Json = {"executionSuccessful": not run.unchecked}
    if run.unchecked:
        invocation["toolExecutionNotifications"] = [
            {"level": "error", "message": {"text": f"could not check: {reason}"}} for reason in run.unchecked
        ]
    return invocation


def _rule(rule: Rule) -> Json:
    described: Json = {
        "id": rule.id,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{rule.why}\n\nTo fix it: {rule.fix}", "markdown": rule_page(rule)},
        "defaultConfiguration": {"level": LEVELS[rule.severity], "enabled": rule.enabled},
        "properties": {"tags": [category(rule), *rule.requirements]},
    }
    if rule.replaces:
        described["deprecatedIds"] = list(rule.replaces)
    url = docs_url(rule.id)
    if url is not None:
        described["helpUri"] = url
    return described


def _result(finding: Finding, name: str, run: Run, index: dict[str, int], suppression: Json | None) -> Json:
    text = f"{finding.message}. To fix it: {finding.fix}" if finding.fix else finding.message
    place: Json = {"physicalLocation": _physical(finding.location, run)}
    if finding.resource:
        title = resource_title(finding)
        place["logicalLocations"] = [{"name": finding.resource, "fullyQualifiedName": title, "kind": "resource"}]
    result: Json = {
        "ruleId": finding.id,
        "level": LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [place],
        "partialFingerprints": {FINGERPRINT: name},
        "suppressions": [suppression] if suppression is not None else [],
    }
    if finding.id in index:
        result["ruleIndex"] = index[finding.id]
    if finding.related:
        result["relatedLocations"] = [
            {"id": n, "physicalLocation": _physical(related.location, run), "message": {"text": related.message}}
            for n, related in enumerate(finding.related, 1)
        ]
    if finding.edits:
        result["fixes"] = [_fix(finding, run)]
    return result


def _fix(finding: Finding, run: Run) -> Json:
    by_file: dict[str, list[Edit]] = {}
    for edit in finding.edits:
        by_file.setdefault(edit.location.file, []).append(edit)
    return {
        "description": {"text": finding.fix},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(file, run),
                "replacements": [
                    {"deletedRegion": _region(edit.location), "insertedContent": {"text": edit.text}} for edit in edits
                ],
            }
            for file, edits in by_file.items()
        ],
    }


def _physical(location: Location, run: Run) -> Json:
    return {"artifactLocation": _artifact(location.file, run), "region": _region(location)}


def _artifact(file: str, run: Run) -> Json:
    path = run.path(file)
    if path.startswith("/"):
        return {"uri": PurePosixPath(path).as_uri()}
    return {"uri": quote(path), "uriBaseId": "%SRCROOT%"}


def _region(location: Location) -> Json:
    return {
        "startLine": location.line,
        "startColumn": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
    }


FORMAT = Format(
    name="sarif",
    description="SARIF 2.1.0, for code scanning and editors.",
    render=render,
)
