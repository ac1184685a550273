"""Checks of live records as Markdown, for a comment or a job's summary."""

from __future__ import annotations

from kafka_topology.spark_checks.results.report import CheckResult, Report, TopicReport
from kafka_topology.topology.model.words import counted

from .. import escaping
from .hidden import hanging_fix, hidden_lines
from .words import empty, limits, none_violated, rows, verdict

# GitHub takes 65,536 characters; topics without violations come last and may be left out.
MAX_TOPICS = 100


def render(report: Report) -> str:
    lines = [f"### kafka-topology check: {_verdict(report)}", ""]
    if not report.complete:
        lines += ["The check was interrupted: what follows is not all.", ""]
    for said in rows(report):
        lines += [escaping.text(f"{said[0].upper()}{said[1:]}."), ""]
    order = sorted(report.topics, key=lambda topic: (not topic.violations, topic.unreadable is None, not topic.hidden))
    for topic in order[:MAX_TOPICS]:
        lines += _topic(topic)
    if len(order) > MAX_TOPICS:
        lines.append(f"{len(order) - MAX_TOPICS:,} more topics are not shown.")
    return "\n".join(lines).rstrip() + "\n"


def _verdict(report: Report) -> str:
    return ", ".join([*(verdict(report) or none_violated(report)), *empty(report)])


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
        state = "could not check" if result.outcome == "could-not-check" else "not checked"
        reason = "; ".join(filter(None, [result.reason, *limits(result)]))
        return f"| {result.check} | {state} | {escaping.text(reason)} |"
    said = [f"{count:,} {fault}" for fault, count in result.faults.items()]
    if not said and result.status == "bounded":
        said.append("none seen")
    said.extend(limits(result))
    if result.exempt:
        said.append(f"{result.exempt:,} exempt")
    if result.status == "bounded":
        said.append(f"bounded: {result.reason}")
    if result.estimate is not None:
        low, high = result.estimate.low, result.estimate.high
        said.append(f"between {low:,} and {high:,} in the whole topic with {result.estimate.confidence:.0%} confidence")
    if result.first is not None:
        said.append(f"first at partition {result.first.partition}, offset {result.first.offset}")
    if result.violations == 0 and result.status == "exact":
        said.insert(0, "fine")
    text = escaping.text("; ".join([*said, *result.notes]))
    if result.cause:
        text += f"<br>**cause:** {escaping.text(result.cause)}"
    if result.fix:
        text += f"<br>**fix:** {escaping.text(result.fix)}"
    return f"| {result.check} | {result.violations:,} | {text} |"
