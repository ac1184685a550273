"""Findings for a terminal: the place, the message, the line with a caret, and the fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment
from rich.text import Text

from kafka_topology.topology import Finding, Location, Severity
from kafka_topology.topology.model.words import counted, visible

from ..formats import Format, as_plain_text
from ..links import docs_page
from ..paragraphs import Paragraph
from ..run import Run, relative

COLOURS = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.ADVICE: "cyan"}
_NOUNS = {Severity.ERROR: ("error",), Severity.WARNING: ("warning",), Severity.ADVICE: ("advice", "advice")}
MOST_SHOWN = 5_000  # nobody reads more, and a machine reads another format
WIDEST_QUOTE = 1_000  # thousands of findings may be on one line
Quote = Callable[[Location], str]


def render(run: Run) -> str:
    """Without colours, for a file."""
    return as_plain_text(lambda console: print_run(run, console))


def print_run(run: Run, console: Console) -> None:
    if run.findings:
        console.print(findings_text(run.findings[:MOST_SHOWN], run.line, run.folder))
    if len(run.findings) > MOST_SHOWN:
        left_out = len(run.findings) - MOST_SHOWN
        console.print(f"{left_out:,} more findings are not shown; get all with --format json\n", soft_wrap=True)
    for reason in run.could_not_check:
        console.print(Paragraph(reason, "could not check: ", label_style="bold red", indent=""))
    if run.could_not_check:
        console.print()
    console.print(summary_text(run.findings, run.path(run.subject), run.could_not_check), soft_wrap=True)
    for line in _footnotes(run):
        console.print(Text(line, style="dim"), soft_wrap=True)


def findings_text(findings: Iterable[Finding], quote: Quote, folder: Path | None = None) -> RenderableType:
    """All findings, each a paragraph of its own."""
    return Group(*(part for finding in findings for part in _finding(finding, quote, folder or Path())))


def summary_text(findings: tuple[Finding, ...], subject: str, could_not_check: tuple[str, ...] = ()) -> Text:
    return Text(f"{visible(subject)}: {outcome_text(findings, could_not_check)}")


def outcome_text(findings: tuple[Finding, ...], could_not_check: tuple[str, ...]) -> str:
    """The counts, and how much could not be checked, which must not look like success."""
    if not could_not_check:
        return counts_text(findings)
    return f"{counts_text(findings)}; {counted(len(could_not_check), 'thing')} could not be checked"


def counts_text(findings: tuple[Finding, ...]) -> str:
    counts = [(severity, sum(f.severity is severity for f in findings)) for severity in Severity]
    return ", ".join(counted(count, *_NOUNS[severity]) for severity, count in counts if count) or "no findings"


def _footnotes(run: Run) -> Iterator[str]:
    known = [(len(run.suppressed), "suppressed"), (len(run.baselined), "in the baseline")]
    shown = [f"{count:,} {what}" for count, what in known if count]
    if shown:
        yield f"not counted: {', '.join(shown)}"
    for entry in run.stale[:10]:
        yield visible(f"no longer occurs, remove it from the baseline: {entry.rule} {entry.resource}")
    if len(run.stale) > 10:
        yield f"and {len(run.stale) - 10:,} more; remove them with --update-baseline"
    fixable = sum(bool(finding.edits) for finding in run.findings)
    if fixable:
        yield f"{fixable:,} fixable with --fix; preview with --diff"
    explained = next((finding.id for finding in run.findings if docs_page(finding.id)), None)
    if explained is not None:
        yield f"learn more about a rule: kafka-topology explain {explained}"


def _finding(finding: Finding, quote: Quote, folder: Path) -> Iterator[RenderableType]:
    style = COLOURS[finding.severity]
    place, severity = _place(finding.location, folder), finding.severity.value
    yield _Line((place, "bold"), (": ", ""), (severity, f"bold {style}"), (f" {finding.id}", ""))
    yield Paragraph(finding.message)
    if since := finding.evidence.get("since"):
        yield Paragraph(f"seen since {since}", style="dim")
    line = quote(finding.location)
    if line.strip():
        yield _Quoted(finding.location, line, style)
    for related in finding.related:
        yield Paragraph(f"{_place(related.location, folder)}: {related.message}", style="dim")
    if finding.fix:
        yield Paragraph(finding.fix, "fix: ", label_style="green")
    yield _Line()


def _place(location: Location, folder: Path) -> str:
    return visible(f"{relative(location.file, folder)}:{location.line}:{location.column}")


class _Line:
    """One line of texts, each with its style. Segments, because Text takes a hundred times as long."""

    def __init__(self, *parts: tuple[str, str]) -> None:
        self._parts = parts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for text, style in self._parts:
            yield Segment(text, console.get_style(style) if style else None)
        yield Segment.line()


@dataclass(frozen=True, slots=True)
class _Quoted:
    """The line of the file with a caret below the value. A long line is cut around it."""

    location: Location
    line: str
    style: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[_Line]:
        margin = f"{self.location.line:>6} | "
        room = max(20, min(options.max_width, WIDEST_QUOTE) - len(margin))
        column = self.location.column - 1
        length = len(self.line)
        start = max(0, min(column - room // 2, length - room)) if length > room else 0
        one_line = self.location.end_line == self.location.line
        width = self.location.end_column - self.location.column if one_line else length - column
        caret = "^" * max(1, min(width, room - (column - start)))
        shown = self.line[start : start + room]
        if not shown.isprintable():
            shown = "".join(map(visible, shown))  # one by one: the caret counts characters
        yield _Line((margin, "dim"), (shown, ""))
        yield _Line((" " * 6 + " | ", "dim"), (" " * (column - start) + caret, self.style))


FORMAT = Format(
    name="text",
    description="For people: place, message, the line with a caret, and the fix.",
    render=render,
    show=print_run,
)
