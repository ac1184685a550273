"""A check's report for people: 80 columns, the findings first in each topic, nothing hidden that was not checked."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kafka_topology.spark_checks.results.report import CheckResult, Report, TopicReport
from kafka_topology.topology.model.words import counted

from .hidden import hanging_fix, hidden_lines
from .words import empty, limits, none_violated, rows, verdict

EXAMPLES = 5
_TONES = {"violated": "bold red", "tolerated": "yellow", "could-not-check": "bold red", "passed": "green"}


def render(report: Report) -> RenderableType:
    return Group(*(part for topic in report.topics for part in _topic(topic)), _verdict(report), *_rows(report))


def _topic(report: TopicReport) -> Iterator[RenderableType]:
    if report.unreadable is not None:
        yield Text.assemble((report.topic, "bold"), ("  could not be checked", "bold red"))
        yield Padding(Text(report.unreadable), (0, 0, 1, 2))
        return
    partitions = counted(len(report.ranges), "partition")
    yield Text.assemble((report.topic, "bold"), f"  {counted(report.records, 'record')} in {partitions}")
    for said, style in _remarks(report):
        yield Padding(Text(said, style), (0, 0, 0, 2))
    if report.empty is not None:
        # Once for all checks: a table of checks that found nothing would look like good news.
        yield Padding(Text(f"nothing was checked: {report.empty}", "bold yellow"), (0, 0, 1, 2))
        return
    yield Padding(_overview(report.results, report.partial), (0, 0, 0, 2))
    for result in report.results:
        if result.violations:
            yield Padding(_details(result), (1, 0, 0, 2))
    if report.hot_keys:
        yield Padding(_hot_keys(report), (1, 0, 0, 2))
    yield Text()


def _remarks(report: TopicReport) -> Iterator[tuple[str, str]]:
    """What is to be known before the results, each with its style."""
    if report.partial and report.empty is None:
        yield report.partial, "yellow"
    for note in report.notes:
        yield note, "yellow"
    for scanned in report.ranges:
        if scanned.deleted_to is not None:
            pinned = scanned.pinned
            gap = f"offsets {pinned.start} to {scanned.deleted_to - 1} of partition {pinned.partition}"
            yield f"gap: {gap} were deleted before they were read", "yellow"
    for said in hidden_lines(report):
        yield said, "yellow"
    if report.hanging:
        yield f"fix: {hanging_fix(report)}", "red"


def _overview(results: tuple[CheckResult, ...], partial: str | None) -> Table:
    table = Table.grid(padding=(0, 2))
    for result in results:
        if result.status == "not-checked":
            state = (
                Text("could not check", "bold red")
                if result.outcome == "could-not-check"
                else Text("not checked", "yellow")
            )
            table.add_row(result.check, state, "; ".join(filter(None, [result.reason, *limits(result)])))
            continue
        count = Text(f"{result.violations:,}", _TONES[result.outcome])
        # What is about the whole topic is there or not: a number before it would read as something else.
        said = [f"{number:,} {fault}" if result.first else fault for fault, number in result.faults.items()]
        if not said:
            said.append("fine" if result.status == "exact" else "none seen")
        said.extend(limits(result))
        if result.exempt:
            said.append(f"{result.exempt:,} exempt")
        if result.status == "bounded":
            # What is missing of the topic is said above, once.
            reason = (result.reason or "").removesuffix(partial or "").rstrip("; ")
            said.append(f"bounded: {reason}" if reason else "bounded")
        if result.estimate is not None:
            guess = result.estimate
            said.append(
                f"in the whole topic about {guess.violations:,}, between {guess.low:,} and {guess.high:,}"
                f" with {guess.confidence:.0%} confidence"
            )
        said.extend(result.notes)
        noun = " violation" if result.violations == 1 else " violations"
        table.add_row(result.check, Text.assemble(count, noun), "; ".join(said))
    return table


def _details(result: CheckResult) -> RenderableType:
    facts = Table.grid(padding=(0, 2))
    facts.add_row(Text(result.check, "bold"), _span(result))
    if result.cause:
        facts.add_row("cause", result.cause)
    if result.fix:
        facts.add_row("fix", result.fix)
    if not result.examples:
        return facts
    parts: list[RenderableType] = [facts, Padding(_examples(result), (0, 0, 0, 2))]
    more = (result.violations or 0) - min(EXAMPLES, len(result.examples))
    if more > 0:
        parts.append(Padding(Text(f"and {more:,} more", "dim"), (0, 0, 0, 2)))
    return Group(*parts)


def _span(result: CheckResult) -> str:
    first, last = result.first, result.last
    if first is None or last is None:
        return "the whole topic"
    if first == last:
        return f"partition {first.partition} offset {first.offset}"
    return f"partition {first.partition} offset {first.offset} to partition {last.partition} offset {last.offset}"


def _examples(result: CheckResult) -> Table:
    """A column that would say the same in every row is left out: keys need the room."""
    kinds = len(result.faults) > 1
    placed = any(example.expected_partition is not None for example in result.examples)
    split = any(example.partitions for example in result.examples)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("partition", justify="right", no_wrap=True)
    table.add_column("offset", justify="right", no_wrap=True)
    if kinds:
        table.add_column("fault", no_wrap=True)
    table.add_column("key", overflow="fold")
    if placed:
        table.add_column("belongs in", justify="right", no_wrap=True)
    if split:
        table.add_column("in partitions")
    for example in result.examples[:EXAMPLES]:
        row = [str(example.position.partition), str(example.position.offset)]
        if kinds:
            row.append(example.fault)
        row.append("null" if example.key is None else example.key or '""')
        if placed:
            row.append("" if example.expected_partition is None else str(example.expected_partition))
        if split:
            row.append(", ".join(map(str, example.partitions)))
        table.add_row(*(Text(cell) for cell in row))
    return table


def _hot_keys(report: TopicReport) -> RenderableType:
    hottest = sorted(report.hot_keys, key=lambda hot: -hot.records)[:EXAMPLES]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("partition", justify="right", no_wrap=True)
    table.add_column("records", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("key", overflow="fold")
    for hot in hottest:
        share = f"{hot.records / report.records:.1%}" if report.records else ""
        row = (str(hot.partition), f"{hot.records:,}", share, hot.key or '""')
        table.add_row(*(Text(cell) for cell in row))
    return Group(Text("hot keys", "bold"), Padding(table, (0, 0, 0, 2)))


def _rows(report: Report) -> Iterator[RenderableType]:
    incomplete = report.written is not None and report.written.problem is not None
    for said in rows(report):
        yield Text(f"{said[0].upper()}{said[1:]}.", "bold red" if incomplete else "")


def _verdict(report: Report) -> Text:
    said = [] if report.complete else ["interrupted"]
    said += verdict(report, found=" found")
    tone = "bold red" if report.failing or report.unchecked else "yellow" if said or report.empty else "green"
    sentences = [*(said or none_violated(report)), *empty(report)]
    return Text(" ".join(f"{each[0].upper()}{each[1:]}." for each in sentences), tone)
