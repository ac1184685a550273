"""The section about the live cluster: findings of an audit, lag of groups, load of brokers."""

from __future__ import annotations

from datetime import timedelta

from kafka_topology.graph.model import resource_id
from kafka_topology.topology import Severity
from kafka_topology.topology.model.units import span_text
from kafka_topology.topology.model.words import counted

from .live.audits import AuditedBroker, AuditedGroup, AuditFile
from .markup.charts import chart, left_out, meter, table
from .markup.html import Html, el, name
from .markup.tables import Cell, Column, Table, render
from .subject import Subject

MOST_GROUPS = 40
MOST_BROKERS = 60


def audit(subject: Subject) -> Html:
    file = subject.audit
    if file is None:
        how = "kafka-topology audit PATH --bootstrap HOST:PORT --format json=audit.json"
        body = el("p", "The live cluster was not audited. Run ", el("code", how), " and pass its file with --audit.")
        return subject.section("audit", "Audit", body)
    unread = (el("li", reason) for reason in file.could_not_check)
    return subject.section(
        "audit",
        "Audit",
        _verdict(file),
        el("ul", *unread, class_="unread") if file.could_not_check else None,
        el("div", _lag(file.groups), _brokers(file.brokers), class_="charts"),
        _findings(subject, file),
    )


def _verdict(file: AuditFile) -> Html:
    counts = [
        counted(number, severity.value, "advice" if severity is Severity.ADVICE else None)
        for severity in Severity
        if (number := file.count(severity))
    ]
    said = [f"{', '.join(counts)} found on the live cluster." if counts else "No findings on the live cluster."]
    if file.could_not_check:
        said.append("Not everything could be checked:")
    if file.not_understood:
        said.append(f"Not understood and not shown: {counted(file.not_understood, 'part')} of the file.")
    if file.count(Severity.ERROR) or file.could_not_check:
        tone = "error"
    else:
        tone = "fine" if not counts and file.is_complete else "warning"
    return el("p", " ".join(said), class_="verdict", data_value=tone)


def _lag(groups: tuple[AuditedGroup, ...]) -> Html | None:
    if not groups:
        return None
    # Groups above their declared maximum first, then by lag.
    order = sorted(groups, key=lambda group: (not group.is_late, -(group.lag or 0), group.name))
    most = max(group.lag or 0 for group in groups) or 1
    rows = [
        el(
            "tr",
            el("th", name(group.name), scope="row", class_="name"),
            el("td", meter(group.lag or 0, most), class_="bar-cell"),
            el(
                "td",
                _lag_text(group),
                class_="number",
                data_value="error" if group.is_late else None,
            ),
            el("td", _allowed(group), class_="number"),
            el("td", f"{group.members:,}", class_="number"),
        )
        for group in order[:MOST_GROUPS]
    ]
    drawn = table("Lag of each group", ("Group", "", "Lag", "Allowed", "Members"), rows, class_="chart")
    return chart("Records that each group has not read yet", drawn, left_out(len(order), MOST_GROUPS, "group"))


def _lag_text(group: AuditedGroup) -> str:
    """With the age of the oldest record, where that is what counts."""
    if group.lag is None:
        return "unknown"
    if group.max_lag_seconds is None:
        return f"{group.lag:,}"
    age = "unknown" if group.lag_seconds is None else span_text(timedelta(seconds=group.lag_seconds))
    return f"{group.lag:,} ({age})"


def _allowed(group: AuditedGroup) -> str:
    if group.max_lag_seconds is not None:
        return span_text(timedelta(seconds=group.max_lag_seconds))
    return "" if group.max_lag is None else f"{group.max_lag:,}"


def _brokers(brokers: tuple[AuditedBroker, ...]) -> Html | None:
    if not brokers:
        return None
    most = max(broker.leaders for broker in brokers) or 1
    rows = [
        el(
            "tr",
            el("th", f"{broker.id}{f' ({broker.rack})' if broker.rack else ''}", scope="row"),
            el("td", meter(broker.leaders, most), class_="bar-cell"),
            el("td", f"{broker.leaders:,}", class_="number"),
            el("td", f"{broker.replicas:,}", class_="number"),
            el("td", "up" if broker.up else "down", class_="number", data_value=None if broker.up else "error"),
        )
        for broker in brokers[:MOST_BROKERS]
    ]
    drawn = table("Partitions of each broker", ("Broker", "", "Leads", "Holds", "State"), rows, class_="chart")
    return chart("Partitions that each broker leads", drawn, left_out(len(brokers), MOST_BROKERS, "broker"))


def _findings(subject: Subject, file: AuditFile) -> Html | None:
    if not file.findings:
        return None
    rows = [
        (
            finding.severity.value,
            finding.rule,
            Cell(finding.resource, subject.href(resource_id(finding.kind, finding.resource)), finding.kind),
            Cell(finding.message, None, f"fix: {finding.fix}" if finding.fix else ""),
            Cell(finding.where, subject.address_of(finding.file, finding.line)),
        )
        for finding in sorted(file.findings, key=lambda each: -each.severity.rank)
    ]
    columns = (
        Column("Severity", "severity", filtered=True), Column("Check", "rule", filtered=True),
        Column("Resource", "name", header=True), Column("Finding", "text"), Column("Declared at", "where"),
    )  # fmt: skip
    return render(
        Table(
            id=subject.anchor("audit-table"),
            caption="Findings of the audit",
            noun="findings",
            columns=columns,
            rows=rows,
            elsewhere="See the audit's file for all.",
        )
    )
