"""How far a check is, on stderr: a bar on a terminal, a line per topic elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ...topology.model.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from ...spark_checks.reading.progress import Listener
    from ...spark_checks.reading.progress import Progress as Scan

NAME_WIDTH = 22  # what 80 columns leave beside the bar and the numbers


@contextmanager
def shown_progress() -> Iterator[Listener]:
    from ..consoles import safe_console

    console = safe_console(stderr=True)
    if console.is_terminal:
        with _bar(console) as listener:
            yield listener
        return
    seen: set[str] = set()

    def line(now: Scan) -> None:
        if now.topic not in seen:
            seen.add(now.topic)
            click.echo(f"Reading {now.topic}: up to {counted(now.offsets, 'record')} …", err=True)

    yield line


@contextmanager
def _bar(console: Console) -> Iterator[Listener]:
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
    from rich.table import Column

    tasks: dict[str, TaskID] = {}
    name = Column(max_width=NAME_WIDTH, no_wrap=True, overflow="ellipsis")
    shown = Progress(
        TextColumn("{task.description}", table_column=name),
        BarColumn(12),
        TextColumn("{task.fields[count]}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(compact=True),
        console=console,
        transient=True,
    )

    def show(now: Scan) -> None:
        if now.topic not in tasks:
            tasks[now.topic] = shown.add_task(now.topic, total=now.offsets, rate="", count="")
        task = tasks[now.topic]
        speed = next((each.finished_speed or each.speed for each in shown.tasks if each.id == task), None)
        shown.update(
            task,
            completed=now.records,
            count=f"{short(now.records)}/{short(now.offsets)}",
            rate=f"{short(speed)}/s" if speed else "",
        )

    with shown:
        yield show


def short(number: float) -> str:
    """At most five characters, as a bar has no room for a billion in digits."""
    for size, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.1f}{unit}" if number < 100 * size else f"{number / size:.0f}{unit}"
    return f"{number:.0f}"
