"""Findings for a terminal: where, what, the line itself with a caret, and how to mend it."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.text import Text

from kafka_topology.topology import Finding, Location, Severity

from .links import docs_page
from .run import Run, relative

COLOURS = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.ADVICE: "cyan"}
FILE_WIDTH = 120
Quote = Callable[[Location], str]


def render(run: Run) -> str:
    """As text without colours, for a file."""
    stream = io.StringIO()
    print_run(run, Console(file=stream, width=FILE_WIDTH, highlight=False, no_color=True))
    return stream.getvalue()


def print_run(run: Run, console: Console) -> None:
    if run.findings:
        console.print(findings_text(run.findings, run.line, run.folder))
    for reason in run.could_not_check:
        console.print(_Paragraph(reason, "could not check: ", label_style="bold red", indent=""))
    if run.could_not_check:
        console.print()
    console.print(summary_text(run.findings, run.path(run.subject), run.could_not_check), soft_wrap=True)
    for line in _footnotes(run):
        console.print(Text(line, style="dim"), soft_wrap=True)


def findings_text(findings: Iterable[Finding], quote: Quote, folder: Path | None = None) -> RenderableType:
    """All findings, each as a paragraph of its own."""
    return Group(*(part for finding in findings for part in _finding(finding, quote, folder or Path())))


def summary_text(findings: tuple[Finding, ...], subject: str, could_not_check: tuple[str, ...] = ()) -> Text:
    return Text(f"{subject}: {outcome_text(findings, could_not_check)}")


def outcome_text(findings: tuple[Finding, ...], could_not_check: tuple[str, ...]) -> str:
    """The counts, so that what nobody looked at does not look fine."""
    if not could_not_check:
        return counts_text(findings)
    things = "1 thing" if len(could_not_check) == 1 else f"{len(could_not_check):,} things"
    return f"{counts_text(findings) if findings else 'nothing found'}; {things} could not be checked"


def counts_text(findings: tuple[Finding, ...]) -> str:
    counts = [(severity, sum(f.severity is severity for f in findings)) for severity in Severity]
    return ", ".join(_plural(count, severity) for severity, count in counts if count) or "nothing to mend"


def _plural(count: int, severity: Severity) -> str:
    name = severity.value
    return f"{count:,} {name}" if count == 1 or severity is Severity.ADVICE else f"{count:,} {name}s"


def _footnotes(run: Run) -> Iterator[str]:
    known = [(len(run.suppressed), "suppressed"), (len(run.baselined), "in the baseline")]
    shown = [f"{count:,} {what}" for count, what in known if count]
    if shown:
        yield f"not counted: {', '.join(shown)}"
    for entry in run.stale[:10]:
        yield f"no longer occurs, remove it from the baseline: {entry.rule} {entry.resource}"
    if len(run.stale) > 10:
        yield f"and {len(run.stale) - 10:,} more; --update-baseline removes them"
    mendable = sum(bool(finding.edits) for finding in run.findings)
    if mendable:
        yield f"{mendable:,} can be mended by --fix; --diff shows how"
    explained = next((finding.id for finding in run.findings if docs_page(finding.id)), None)
    if explained is not None:
        yield f"more about a rule: kafka-topology explain {explained}"


def _finding(finding: Finding, quote: Quote, folder: Path) -> Iterator[RenderableType]:
    style = COLOURS[finding.severity]
    head = Text(_place(finding.location, folder), style="bold", no_wrap=True, overflow="ignore")
    head.append(": ", style="not bold")
    head.append(finding.severity.value, style=style)
    head.append(f" {finding.id}", style="not bold")
    yield head
    yield _Paragraph(finding.message)
    line = quote(finding.location)
    if line.strip():
        yield _Quoted(finding.location, line, style)
    for related in finding.related:
        yield _Paragraph(f"{_place(related.location, folder)}: {related.message}", style="dim")
    if finding.remediation:
        yield _Paragraph(finding.remediation, "fix: ", label_style="green")
    yield Text("")


def _place(location: Location, folder: Path) -> str:
    return f"{relative(location.file, folder)}:{location.line}:{location.column}"


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """Text below a heading, indented, broken at the width of the terminal."""

    text: str
    label: str = ""
    style: str = ""
    label_style: str = ""
    indent: str = "  "

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        width = max(20, options.max_width)
        lines = textwrap.wrap(
            self.label + self.text,
            width,
            initial_indent=self.indent,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for number, line in enumerate(lines):
            text = Text(line, style=self.style, no_wrap=True, overflow="ignore")
            if number == 0 and self.label:
                text.stylize(self.label_style, len(self.indent), len(self.indent) + len(self.label))
            yield text


@dataclass(frozen=True, slots=True)
class _Quoted:
    """The line of the file, and a caret below the value. A long line is shown around the place that matters."""

    location: Location
    line: str
    style: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        line = "".join(character if character.isprintable() else " " for character in self.line)
        margin = f"{self.location.line:>6} | "
        room = max(20, options.max_width - len(margin))
        column = self.location.column - 1
        start = max(0, min(column - room // 2, len(line) - room)) if len(line) > room else 0
        one_line = self.location.end_line == self.location.line
        width = self.location.end_column - self.location.column if one_line else len(line) - column
        caret = "^" * max(1, min(width, room - (column - start)))
        yield self._row(margin, line[start : start + room], "not dim")
        yield self._row(" " * 6 + " | ", " " * (column - start) + caret, f"not dim {self.style}")

    @staticmethod
    def _row(margin: str, text: str, style: str) -> Text:
        return Text(margin, style="dim", no_wrap=True, overflow="ignore").append(text, style=style)
