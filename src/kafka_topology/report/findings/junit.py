"""Findings as JUnit XML: each finding is a failed test, each rule without findings a passed one."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from kafka_topology.topology import Finding
from kafka_topology.topology.model.words import printable

from ..formats import Format
from ..run import Run
from .fingerprints import resource_title

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET


def render(run: Run) -> str:
    from xml.etree import ElementTree as ET  # noqa: PLC0415 - every command that lists formats imports this module

    failing = set(map(id, run.failing))
    found = {f.id for f in run.findings} | {s.finding.id for s in run.suppressed} | {f.id for f in run.baselined}
    # If something could not be checked, no rule has passed.
    ran = run.ran if not run.could_not_check else frozenset()
    passed = [rule for rule in run.rules if rule.id in ran and rule.id not in found]
    skipped = [(each.finding, each.by.reason) for each in run.suppressed]
    skipped += [(finding, "listed in the baseline file") for finding in run.baselined]
    counts = {
        "tests": str(len(run.findings) + len(skipped) + len(passed) + len(run.could_not_check)),
        "failures": str(len(failing)),
        "errors": str(len(run.could_not_check)),
        "skipped": str(len(skipped)),
    }
    root = ET.Element("testsuites", {"name": "kafka-topology", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": clean(run.path(run.subject)), **counts})
    for finding in run.findings:
        case = _case(suite, finding, run)
        if id(finding) in failing:
            message = {"message": clean(finding.message), "type": finding.severity.value}
            ET.SubElement(case, "failure", message).text = clean(_details(finding, run))
        else:
            ET.SubElement(case, "system-out").text = clean(_details(finding, run))
    for finding, reason in skipped:
        ET.SubElement(_case(suite, finding, run), "skipped", {"message": clean(reason)})
    for number, reason in enumerate(run.could_not_check, 1):
        case = ET.SubElement(suite, "testcase", {"classname": "could-not-check", "name": str(number)})
        ET.SubElement(case, "error", {"message": clean(reason), "type": "could-not-check"})
    for rule in passed:
        ET.SubElement(suite, "testcase", {"classname": rule.id, "name": clean(rule.name)})
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _case(suite: ET.Element, finding: Finding, run: Run) -> ET.Element:
    from xml.etree import ElementTree as ET  # noqa: PLC0415 - as above

    path = run.path(finding.location.file)
    title = resource_title(finding) or path
    name = f"{title} ({path}:{finding.location.line}:{finding.location.column})"
    attributes = {"classname": finding.id, "name": clean(name), "file": clean(path)}
    return ET.SubElement(suite, "testcase", {**attributes, "line": str(finding.location.line)})


def _details(finding: Finding, run: Run) -> str:
    at = finding.location
    lines = [f"{run.path(at.file)}:{at.line}:{at.column}: {finding.severity.value} {finding.id}", finding.message]
    lines += [f"{run.path(r.location.file)}:{r.location.line}: {r.message}" for r in finding.related]
    return "\n".join([*lines, f"fix: {finding.fix}"] if finding.fix else lines)


def clean(text: str) -> str:
    """What XML can contain, and nothing that reorders or hides text where the file is shown."""
    return printable(_forbidden().sub("\ufffd", text))


@cache
def _forbidden() -> re.Pattern[str]:
    """Characters that XML 1.0 cannot contain, even escaped. Compiled late: every command that lists formats is here."""
    return re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


FORMAT = Format(
    name="junit",
    description="JUnit XML: a finding at or above `--fail-on` is a failed test, a rule without findings a passed one.",
    render=render,
)
