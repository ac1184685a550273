"""An audit with a grace period: says on stderr what it waits for, and what it did not report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from ...topology.model.units import span_text
from ...topology.model.words import counted, listed

if TYPE_CHECKING:
    from ...audit.lasting.grace import Waiting
    from ...audit.run import Audited
    from ...topology import Finding


def patiently(look: Callable[[], Audited], graces: dict[str, timedelta]) -> Audited:
    """The findings that last. Without grace periods, those of one look."""
    from ...audit.lasting.grace import Clock, audit_patiently

    if not graces:
        return look()
    with _shown() as tell:
        audited = audit_patiently(look, graces, Clock(now, lambda pause: time.sleep(pause.total_seconds())), tell)
    if audited.waiting:
        click.echo(
            f"not reported, because it did not last for the grace period: {findings_text(audited.waiting)}", err=True
        )
    return audited


def now() -> datetime:
    return datetime.now(UTC)


def findings_text(findings: tuple[Finding, ...]) -> str:
    return listed([f"{each.id} {each.resource}" for each in findings])


def waiting_text(waiting: Waiting, at: datetime) -> str:
    """One line that fits 80 columns, but for long names."""
    found = waiting.followed.waiting
    what = f"{counted(len(found), 'finding')} may pass: {findings_text(found[:1])}" if found else "not all was read"
    more = ", …" if len(found) > 1 else ""
    return f"looking again for up to {span_text(waiting.until - at)}; {what}{more}"


@contextmanager
def _shown() -> Iterator[Callable[[Waiting], None]]:
    """A line that changes on a terminal; elsewhere, one line when the wait begins."""
    from rich.text import Text

    from ..consoles import safe_console

    console = safe_console(stderr=True)
    if console.is_terminal:
        with console.status("looking") as status:
            yield lambda waiting: status.update(
                Text(waiting_text(waiting, now()), no_wrap=True, overflow="ellipsis", style="dim")
            )
        return
    said: list[str] = []

    def once(waiting: Waiting) -> None:
        if not said:
            said.append(waiting_text(waiting, now()))
            click.echo(said[0], err=True)

    yield once
