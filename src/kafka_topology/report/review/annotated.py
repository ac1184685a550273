"""A review as findings on the changed lines, for the formats of findings that code hosts show there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kafka_topology.review.changes import Risk
from kafka_topology.review.grouping.rows import Row
from kafka_topology.review.masking import masked
from kafka_topology.review.result import Review, at_one_place
from kafka_topology.topology import Finding, Location, Severity
from kafka_topology.validators import installed_rules

from ..findings import formats as findings
from ..formats import Format
from ..run import Run
from .formats import Presented
from .words import acceptance_line, change_words, where

_SEVERITIES = {Risk.DESTRUCTIVE: Severity.WARNING, Risk.BREAKING: Severity.WARNING, Risk.CARE: Severity.ADVICE}


def format_like(name: str, description: str, *, with_known: bool = True) -> Format[Presented]:
    """The format of findings of that name, for reviews. `with_known`: `--all` adds what the earlier version has."""
    return Format(
        name=name,
        description=description,
        render=lambda presented: findings.render(name, as_run(presented, with_known=with_known)),
    )


def as_run(presented: Presented, *, with_known: bool = True) -> Run:
    """New findings and risky changes, each at the line that changed."""
    review = presented.review
    shown = list(at_one_place(review.new_findings))
    found = [each.finding for each in shown]
    if review.shows_all and with_known:
        known = at_one_place(each for each in review.findings if not each.is_new)
        found += [replace(each.finding, message=f"{each.finding.message} (the base has it, too)") for each in known]
    rules = installed_rules().rules
    changes = list(_changes(review))
    stopping = [each.finding for each in shown if review.is_failing(each)]
    stopping += [finding for finding, is_stopped in changes if is_stopped]
    return Run(
        subject=review.subject,
        folder=presented.folder,
        findings=(*found, *(finding for finding, _ in changes)),
        rules=rules,
        ran=frozenset(finding.id for finding in found),
        environment=", ".join(name for name in review.environments if name) or None,
        fail_on=review.gate.severity,
        stopping=tuple(stopping),
        command="review",
        could_not_check=review.could_not_check,
        quote=presented.quote,
    )


def _changes(review: Review) -> Iterator[tuple[Finding, bool]]:
    """The rows that no finding is about already, and those that fail; each with whether it fails."""
    for row in review.rows:
        at = _line(row)
        if row.risk is Risk.SAFE or at is None or (row.rules and not review.is_stopped(row)):
            continue
        is_stopped = review.is_stopped(row)
        finding = Finding(
            f"change-{row.risk.replace(' ', '-')}",
            Severity.ERROR if is_stopped else _SEVERITIES[row.risk],
            masked(_message(row, review)),
            at,
            row.title if row.is_shared else row.head.change.name,
            kind="" if row.is_shared else row.head.change.kind,
        )
        yield finding, is_stopped


def _line(row: Row) -> Location | None:
    if row.is_shared and row.cause is not None and row.cause.location is not None:
        return row.cause.location
    change = row.head.change
    return change.location or change.lost_at or change.was_at


def _message(row: Row, review: Review) -> str:
    change = row.head.change
    environments = where(row, review)
    what = f"{row.title}: {change_words(row)}" + (f", {environments}" if environments else "")
    accepted = acceptance_line(row, review)
    return ". ".join(
        (
            f"{row.risk}: {what}",
            *([accepted[:1].upper() + accepted[1:]] if accepted else ()),
            *(f"{part[:1].upper()}{part[1:]}" for part in (change.reason, *row.effects)),
        )
    )
