"""Checks of live records as JUnit XML: a suite for each topic, a test for each check, skipped where not checked."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from kafka_topology.spark_checks.results.report import CheckResult, Report, TopicReport
from kafka_topology.topology import Topology
from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.words import counted

from ..findings.junit import clean
from ..run import COULD_NOT_CHECK as NOT_CHECKED
from .findings import declared_at, message
from .hidden import HANGING, hanging_fix, hanging_message, hidden_lines
from .words import limits, unwritten


def render(report: Report, topology: Topology) -> str:
    missing = unwritten(report)
    root = ET.Element("testsuites", {"name": "kafka-topology check", **_counts(report.topics, len(missing))})
    for topic in report.topics:
        _suite(root, topic, topology.topics[topic.topic])
    if missing:
        suite = ET.SubElement(root, "testsuite", {"name": "report", **_counts((), len(missing))})
        for number, reason in enumerate(missing, 1):
            case = ET.SubElement(suite, "testcase", {"classname": NOT_CHECKED, "name": str(number)})
            ET.SubElement(case, "error", {"message": clean(reason), "type": NOT_CHECKED})
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, report: TopicReport, topic: Topic) -> None:
    suite = ET.SubElement(root, "testsuite", {"name": clean(report.topic), **_counts((report,))})
    if report.unreadable is not None:
        case = _case(suite, report.topic, "read", topic.location.file, topic.location.line)
        ET.SubElement(case, "error", {"message": clean(report.unreadable), "type": NOT_CHECKED})
    if report.hidden:
        case = _case(suite, report.topic, "open transactions", topic.location.file, topic.location.line)
        _hidden(case, report)
    if report.missed:
        case = _case(suite, report.topic, "deleted records", topic.location.file, topic.location.line)
        deleted = f"{counted(report.missed, 'offset')} deleted before this check could read them"
        ET.SubElement(case, "error", {"message": deleted, "type": NOT_CHECKED})
    for result in report.results:
        at = declared_at(topic, result.check)
        case = _case(suite, report.topic, result.check, at.file, at.line)
        if result.outcome == "could-not-check":
            short = "; ".join(filter(None, [result.reason, *limits(result)]))
            ET.SubElement(case, "error", {"message": clean(short), "type": "could-not-check"})
        elif result.outcome == "not-checked":
            ET.SubElement(case, "skipped", {"message": clean(result.reason or "")})
        elif result.outcome == "tolerated":
            tolerated = "; ".join([message(report.topic, result), *limits(result)])
            ET.SubElement(case, "system-out").text = clean(tolerated)
        elif result.violations:
            said = {"message": clean(message(report.topic, result)), "type": result.status}
            ET.SubElement(case, "failure", said).text = clean("\n".join(_details(result)))
        elif result.status == "bounded":
            ET.SubElement(case, "system-out").text = clean(f"bounded: {result.reason}")


def _hidden(case: ET.Element, report: TopicReport) -> None:
    if report.hanging:
        said = {"message": clean(hanging_message(report)), "type": HANGING}
        ET.SubElement(case, "failure", said).text = clean(
            "\n".join([f"fix: {hanging_fix(report)}", *hidden_lines(report)])
        )
        return
    said = {"message": clean(report.partial or ""), "type": NOT_CHECKED}
    ET.SubElement(case, "error", said).text = clean("\n".join(hidden_lines(report)))


def _case(suite: ET.Element, topic: str, check: str, file: str, line: int) -> ET.Element:
    attributes = {"classname": clean(topic), "name": check, "file": clean(file), "line": str(line)}
    return ET.SubElement(suite, "testcase", attributes)


def _details(result: CheckResult) -> list[str]:
    lines = [f"fix: {result.fix}"] if result.fix else []
    if result.status == "bounded":
        lines.append(f"bounded: {result.reason}")
    lines += [
        f"partition {example.position.partition} offset {example.position.offset}: {example.fault}"
        for example in result.examples
    ]
    return lines


def _counts(topics: tuple[TopicReport, ...], missing: int = 0) -> dict[str, str]:
    """`missing` are errors of the report as a whole."""
    results = [result for topic in topics for result in topic.results]
    unreadable = sum(topic.unreadable is not None for topic in topics)
    hidden = sum(bool(topic.hidden) for topic in topics)
    hanging = sum(bool(topic.hanging) for topic in topics)
    missed = sum(bool(topic.missed) for topic in topics)
    unable = sum(result.outcome == "could-not-check" for result in results)
    return {
        "tests": str(len(results) + unreadable + hidden + missed + missing),
        "failures": str(sum(result.outcome == "violated" for result in results) + hanging),
        "errors": str(unreadable + hidden - hanging + missed + unable + missing),
        "skipped": str(sum(result.outcome == "not-checked" for result in results)),
    }
