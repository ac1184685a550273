"""Findings for a terminal: where, what, the line itself with a caret, and how to mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from kafka_topology.topology import Finding, Location, Severity

COLOURS = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.ADVICE: "cyan"}
Quote = Callable[[Location], str]


def findings_text(findings: Iterable[Finding], quote: Quote) -> RenderableType:
    """All findings, each as a paragraph of its own."""
    return Group(*(part for finding in findings for part in _finding(finding, quote)))


def summary_text(findings: tuple[Finding, ...], subject: str) -> Text:
    counts = [(severity, sum(f.severity is severity for f in findings)) for severity in Severity]
    parts = [_plural(count, severity) for severity, count in counts if count]
    return Text(f"{subject}: {', '.join(parts) if parts else 'nothing to mend'}")


def _plural(count: int, severity: Severity) -> str:
    name = severity.value
    return f"{count} {name}" if count == 1 or severity is Severity.ADVICE else f"{count} {name}s"


def _finding(finding: Finding, quote: Quote) -> Iterator[RenderableType]:
    head = Text(str(finding.location), style="bold")
    head.append(": ", style="not bold")
    head.append(finding.severity.value, style=COLOURS[finding.severity])
    head.append(f" {finding.id}", style="not bold")
    yield head
    yield Padding(Text(finding.message), (0, 0, 0, 2), expand=False)
    yield from _quoted(finding.location, quote, COLOURS[finding.severity])
    for related in finding.related:
        yield Padding(Text(f"{related.location}: {related.message}", style="dim"), (0, 0, 0, 2), expand=False)
    if finding.remediation:
        yield Padding(Text.assemble(("fix: ", "green"), finding.remediation), (0, 0, 0, 2), expand=False)
    yield Text("")


def _quoted(location: Location, quote: Quote, style: str) -> Iterator[Text]:
    line = quote(location).replace("\t", " ")
    if not line.strip():
        return
    margin = f"{location.line:>6} | "
    width = location.end_column - location.column if location.end_line == location.line else 1
    # A very long line is shown around the place that matters.
    start = max(0, location.column - 41) if len(line) > 72 else 0
    shown = line[start : start + 72]
    caret = " " * (location.column - 1 - start) + "^" * max(1, min(width, 72 - (location.column - 1 - start)))
    yield Text(margin, style="dim").append(shown, style="not dim")
    yield Text(" " * 6 + " | ", style="dim").append(caret, style=f"not dim {style}")
