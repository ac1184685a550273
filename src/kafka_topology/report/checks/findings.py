"""What the checks of live records found, as findings: at the lines that declare what the records break."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .report.run import Run
from .spark_checks.report import CheckResult, Report, TopicReport
from .topology import Finding, Location, Severity, Topology
from .topology.model import Topic
from .validators.rule import Rule, found_elsewhere

NOT_CHECKED = "could-not-check"

# For each check: what it compares with, what breaks when it fails, and the value of the topic that declares it.
CHECKS = {
    "placement": (
        "Each record lies in the partition that its key belongs to.",
        "Readers that join or aggregate by key look for it in one partition only.",
        ("key", "partitioner"),
    ),
    "single-partition": (
        "All records of a key lie in one partition.",
        "The order of a key's records is lost when they lie in several.",
        ("key", "partitioner"),
    ),
    "key-type": (
        "Each key is what a serializer of the declared type writes.",
        "A reader cannot deserialize other keys, and equal keys in two forms go to two partitions.",
        ("key", "type"),
    ),
    "key-field": (
        "The key equals the declared field of the value.",
        "Records are ordered and compacted by another thing than the one that is meant.",
        ("key", "field"),
    ),
    "nulls": (
        "Null keys, empty keys and tombstones appear only where they are allowed.",
        "A record without a key goes anywhere, and compaction refuses it.",
        ("key", "nulls"),
    ),
    "compaction": (
        "A compacted topic holds few records that later ones supersede, and no duplicates.",
        "Readers replay what is long out of date.",
        ("config", "cleanup.policy"),
    ),
    "order": (
        "Records of a key, or of the topic, are in the order of their sequence or time.",
        "The last record read is not the latest state.",
        ("ordering",),
    ),
    "value-schema": (
        "Each value fits the declared schema.",
        "Readers fail at the first record of another kind.",
        ("value", "schema"),
    ),
    "headers": (
        "Each record has the required headers, and not more bytes of them than declared.",
        "What routes or traces records by their headers loses them.",
        ("headers",),
    ),
    "timestamps": (
        "Timestamps are of the configured type and not in the future.",
        "Retention by time and windows go by timestamps: a wrong one deletes records early or never.",
        ("config", "message.timestamp.type"),
    ),
    "skew": (
        "Records spread evenly over the partitions.",
        "One reader gets most of the work while others wait.",
        ("partitions",),
    ),
    "cardinality": (
        "The number of distinct keys is about as declared, and at least that of the partitions.",
        "Partitions without keys stand idle.",
        ("key", "distinct"),
    ),
}


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
        rules=tuple(_rule(check) for check in CHECKS),
        ran=frozenset(made),
    )


def declared_at(topic: Topic, check: str) -> Location:
    """Where the declaration stands that a check compares with; the topic's own place where there is none."""
    _, _, path = CHECKS.get(check, ("", "", ()))
    return topic.place(*path).location if path else topic.location


def message(topic: str, result: CheckResult) -> str:
    """What is wrong, in one sentence."""
    faults = ", ".join(f"{count:,} {fault}" for fault, count in result.faults.items())
    parts = [f"{topic}: {result.violations or 0:,} records break the declaration ({faults or result.check})"]
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
    for result in report.results:
        if result.violations:
            yield Finding(
                result.check,
                Severity.ERROR,
                message(topic.name, result),
                declared_at(topic, result.check),
                topic.name,
                result.remediation or "",
                evidence={"status": result.status, "violations": result.violations, "faults": dict(result.faults)},
                kind="topic",
            )


def _rule(check: str) -> Rule:
    summary, why, _ = CHECKS[check]
    return Rule(
        id=check,
        name=check,
        severity=Severity.ERROR,
        summary=summary,
        why=why,
        fix="Mend the producer that the evidence points at, or correct the declaration.",
        check=found_elsewhere,
        good=(),
        bad=(),
    )
