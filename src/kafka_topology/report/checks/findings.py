"""What the checks of live records found, as findings: at the lines that declare what the records break."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kafka_topology.spark_checks.planning.check import About
from kafka_topology.spark_checks.registry import descriptions
from kafka_topology.spark_checks.results.report import CheckResult, Report, TopicReport
from kafka_topology.topology import Finding, Location, Severity, Topology
from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.rule import Rule, found_elsewhere

from ..run import COULD_NOT_CHECK as NOT_CHECKED
from ..run import Run
from .hidden import HANGING, hanging_fix, hanging_message, hidden_lines
from .words import limits, unwritten

NO_RECORDS = "no-records"


def record_findings(report: Report, topology: Topology) -> tuple[Finding, ...]:
    return tuple(finding for topic in report.topics for finding in _topic(topic, topology.topics[topic.topic]))


def as_run(report: Report, topology: Topology, subject: str, environment: str | None) -> Run:
    """As the reporters of findings take it."""
    made = {result.check for topic in report.topics for result in topic.results if result.status != "not-checked"}
    return Run(
        subject=subject,
        folder=Path.cwd(),
        environment=environment,
        findings=record_findings(report, topology),
        rules=tuple(map(_rule, descriptions().values())),
        ran=frozenset(made),
        could_not_check=unwritten(report),
    )


def declared_at(topic: Topic, check: str) -> Location:
    """Where the declaration stands that a check compares with; the topic's own place where there is none."""
    path = descriptions()[check].declared_at
    return topic.place(*path).location if path else topic.location


def message(topic: str, result: CheckResult) -> str:
    """What is wrong, in one sentence."""
    faults = ", ".join(f"{count:,} {fault}" for fault, count in result.faults.items())
    violations = counted(result.violations or 0, descriptions()[result.check].counts)
    verb = "breaks" if result.violations == 1 else "break"
    parts = [f"{topic}: {violations} {verb} the declaration ({faults or result.check})"]
    if result.first is not None:
        parts.append(f"the first is at partition {result.first.partition}, offset {result.first.offset}")
    if result.cause:
        parts.append(f"likely cause: {result.cause}")
    return "; ".join(parts)


def _topic(report: TopicReport, topic: Topic) -> Iterator[Finding]:
    if report.unreadable is not None:
        said = f"{topic.name}: could not be checked: {report.unreadable}"
        yield Finding(NOT_CHECKED, Severity.ERROR, said, topic.location, topic.name, kind="topic")
        return
    if report.hanging:
        said, fix = hanging_message(report), hanging_fix(report)
        yield Finding(HANGING, Severity.ERROR, said, topic.location, topic.name, fix, kind="topic")
    elif report.hidden:
        said = f"{topic.name}: could not be checked to its end: {'; '.join(hidden_lines(report))}"
        yield Finding(NOT_CHECKED, Severity.ERROR, said, topic.location, topic.name, kind="topic")
    if report.missed:
        said = f"{topic.name}: {counted(report.missed, 'offset')} deleted before this check could read them"
        yield Finding(NOT_CHECKED, Severity.ERROR, said, topic.location, topic.name, kind="topic")
    if report.empty is not None:
        # A new topic is empty, so this is no error; but nobody should read it as fine.
        said = f"{topic.name}: nothing was checked: {report.empty}"
        yield Finding(NO_RECORDS, Severity.ADVICE, said, topic.location, topic.name, kind="topic")
    for result in report.results:
        place = declared_at(topic, result.check)
        if result.too_few_judged or result.unable:
            said = "; ".join(filter(None, [f"{topic.name}: {result.check} {result.reason}", *limits(result)]))
            yield Finding(NOT_CHECKED, Severity.ERROR, said, place, topic.name, kind="topic")
        if result.violations:
            severity = Severity.ADVICE if result.tolerated else descriptions()[result.check].severity
            yield Finding(
                result.check,
                severity,
                "; ".join([message(topic.name, result), *limits(result)])
                if result.tolerated
                else message(topic.name, result),
                place,
                topic.name,
                result.fix or "",
                evidence={"status": result.status, "violations": result.violations, "faults": dict(result.faults)},
                kind="topic",
            )


def _rule(described: About) -> Rule:
    return Rule(
        id=described.id,
        name=described.id,
        severity=described.severity,
        summary=described.summary,
        why=described.why,
        fix=described.fix,
        check=found_elsewhere,
        good=(),
        bad=(),
    )
