"""How far a check is, on stderr: a bar on a terminal, a line per topic elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..spark_checks.progress import Listener


@contextmanager
def shown_progress() -> Iterator[Listener]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    from ..spark_checks import progress as scan

    tasks: dict[str, TaskID] = {}
    console = Console(stderr=True)
    shown = Progress(
        TextColumn("{task.description}"),
        BarColumn(20),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )

    def tell(now: scan.Progress) -> None:
        if now.topic not in tasks:
            tasks[now.topic] = shown.add_task(now.topic, total=now.offsets, rate="")
            if not console.is_terminal:
                click.echo(f"Reading {now.topic}: up to {now.offsets:,} records …", err=True)
        task = tasks[now.topic]
        speed = next((each.speed for each in shown.tasks if each.id == task), None)
        shown.update(task, completed=now.records, rate=f"{speed:,.0f}/s" if speed else "")

    with shown:
        yield tell
