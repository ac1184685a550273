"""Thousands of findings as text: in linear time, with a limit that is said, and every secret masked."""

from __future__ import annotations

from pathlib import Path

from kafka_topology.report.findings.text import MOST_SHOWN, render
from kafka_topology.report.run import SECRET_IN_FILE, Run
from kafka_topology.topology import Finding, Location, Severity


def finding(rule: str, line: int, *, last: int = 0, column: int = 1, end: int = 9) -> Finding:
    at = Location("t.yaml", line, column, last or line, end)
    return Finding(rule, Severity.ERROR, "a long message " * 20, at, "x", "fix it")


class Counted(tuple):
    """Findings that count how often somebody looks through all of them."""

    __slots__ = ()
    looks = 0

    def __iter__(self):
        Counted.looks += 1
        return super().__iter__()


def test_findings_are_not_looked_through_for_every_line():
    run = Run(subject="t.yaml", folder=Path(), findings=Counted(finding("KT101", line) for line in range(1, 300)))
    run = Run(subject="t.yaml", folder=Path(), findings=run.findings, quote=lambda at: f"line {at.line}")
    Counted.looks = 0
    assert "line 299" in render(run)
    assert Counted.looks < 20


def test_only_so_many_are_shown_and_the_rest_is_counted():
    run = Run(subject="t.yaml", folder=Path(), findings=tuple(finding("KT101", 1) for _ in range(MOST_SHOWN + 1234)))
    text = render(run)
    assert text.count("error KT101") == MOST_SHOWN
    assert "1,234 more findings are not shown; get all with --format json" in text
    assert f"{MOST_SHOWN + 1234:,} errors" in text


def test_a_secret_is_masked_on_every_one_of_its_lines():
    secret = finding(SECRET_IN_FILE, 2, last=4, column=5, end=4)
    others = tuple(finding("KT101", line) for line in range(1, 6))
    run = Run(subject="t", folder=Path(), findings=(*others, secret), quote=lambda at: f"line{at.line}-secret")
    lines = [run.line(each.location) for each in others]
    assert lines == ["line1-secret", "line" + "*" * 8, "*" * 12, "***e4-secret", "line5-secret"]
