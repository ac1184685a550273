"""Checks of live records as Markdown, for a comment or a job's summary."""

from __future__ import annotations

from kafka_topology.spark_checks.results.report import CheckResult, Report, TopicReport
from kafka_topology.topology.model.words import counted

from .. import escaping
from .hidden import hanging_fix, hidden_lines

# GitHub takes 65,536 characters; topics without violations come last and may be left out.
MAX_TOPICS = 100


def render(report: Report) -> str:
    lines = [f"### kafka-topology check: {_verdict(report)}", ""]
    if not report.complete:
        lines += ["The check was interrupted: what follows is not all.", ""]
    order = sorted(report.topics, key=lambda topic: (not topic.violations, topic.unreadable is None, not topic.hidden))
    for topic in order[:MAX_TOPICS]:
        lines += _topic(topic)
    if len(order) > MAX_TOPICS:
        lines.append(f"{len(order) - MAX_TOPICS:,} more topics are not shown.")
    return "\n".join(lines).rstrip() + "\n"


def _verdict(report: Report) -> str:
    said = [counted(report.violations, "violation")] if report.violations else []
    if report.hanging:
        said.append(counted(report.hanging, "hanging transaction"))
    if report.unreadable:
        said.append(f"{len(report.unreadable):,} of {len(report.topics):,} topics could not be checked")
    if report.hidden:
        said.append(f"open transactions hide the end of {counted(len(report.hidden), 'topic')}")
    checked = len(report.topics) - len(report.empty)
    if not said and (checked or not report.topics):
        said.append(f"no violations in {counted(checked, 'topic')}")
    if report.empty:
        said.append(f"no record was read of {counted(len(report.empty), 'topic')}")
    return ", ".join(said)


def _topic(report: TopicReport) -> list[str]:
    if report.unreadable is not None:
        return [f"**{escaping.text(report.topic)}** could not be checked: {escaping.text(report.unreadable)}", ""]
    size = f"{counted(report.records, 'record')} in {counted(len(report.ranges), 'partition')}"
    lines = [f"**{escaping.text(report.topic)}**: {size}", ""]
    lines += [
        f"- {escaping.text(said)}" for said in (*filter(None, [report.partial]), *report.notes, *hidden_lines(report))
    ]
    if report.hanging:
        lines.append(f"- **fix:** {escaping.text(hanging_fix(report))}")
    if report.empty is not None:
        return [*lines, f"- nothing was checked: {escaping.text(report.empty)}", ""]
    if lines[-1]:
        lines.append("")
    lines += ["| check | violations | details |", "|---|---|---|"]
    return [*lines, *(_row(result) for result in report.results), ""]


def _unread(report: TopicReport) -> list[str]:
    return [report.partial] if report.partial and report.empty is None else []


def _row(result: CheckResult) -> str:
    if result.violations is None:
        return f"| {result.check} | not checked | {escaping.text(result.reason or '')} |"
    said = [f"{count:,} {fault}" for fault, count in result.faults.items()]
    if result.unjudged:
        said.append(f"{result.unjudged:,} not judged")
    if result.status == "bounded":
        said.append(f"bounded: {result.reason}")
    if result.estimate is not None:
        low, high = result.estimate.low, result.estimate.high
        said.append(f"between {low:,} and {high:,} in the whole topic with {result.estimate.confidence:.0%} confidence")
    if result.first is not None:
        said.append(f"first at partition {result.first.partition}, offset {result.first.offset}")
    text = escaping.text("; ".join([*said, *result.notes]))
    if result.cause:
        text += f"<br>**cause:** {escaping.text(result.cause)}"
    if result.fix:
        text += f"<br>**fix:** {escaping.text(result.fix)}"
    return f"| {result.check} | {result.violations:,} | {text or 'fine'} |"
