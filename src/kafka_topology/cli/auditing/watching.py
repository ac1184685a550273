"""`audit --watch`: looks again and again, and shows what is new, what is gone, and since when."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import click
from rich.console import Group
from rich.text import Text

from ...report.findings.text import COLOURS, outcome_text
from ...topology.model.units import format_duration, format_moment, parse_moment
from ...topology.model.words import visible
from .waiting import now

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from rich.console import Console

    from ...audit.lasting.following import Followed, Following
    from ...audit.run import Audited
    from ...report.run import Run
    from ...topology import Finding

_GONE_SHOWN: Final = 10  # lines


@dataclass(frozen=True, slots=True)
class Look:
    """One look of a watch: the run as it is reported, and how it differs from the looks before."""

    run: Run
    followed: Followed
    at: datetime
    unread: tuple[str, ...] = ()  # which the look before did not report
    unread_before: tuple[str, ...] = ()  # if all was read now


@dataclass(slots=True)
class Watch:
    """`last` is the run of the last look, whose exit code counts."""

    look: Callable[[], Audited]
    as_run: Callable[[Audited, datetime], Run]
    following: Following
    last: Run | None = None
    _unread: frozenset[str] = frozenset()

    def next(self) -> Look:
        at = now()
        audited = self.look()
        followed = self.following.after(audited.outcome.findings, at, is_complete=not audited.may_pass)
        run = self.as_run(replace(audited, outcome=replace(audited.outcome, findings=followed.reported)), at)
        missing = frozenset(audited.could_not_check)
        # The same may be missing in other words, or nobody asks a broker that is gone: only a whole look ends it.
        before = () if missing else tuple(sorted(self._unread))
        look = Look(run, followed, at, tuple(sorted(missing - self._unread)), before)
        self._unread, self.last = missing, run
        return look


def watch(watched: Watch, every: timedelta, deliver: Callable[[Run], None]) -> None:
    """Looks until Ctrl-C. `deliver` writes each run to files, or serves it."""
    with _shown(every) as show:
        while True:
            look = watched.next()
            deliver(look.run)
            show(look)
            threading.Event().wait(every.total_seconds())


@contextmanager
def _shown(every: timedelta) -> Iterator[Callable[[Look], None]]:
    from rich.live import Live

    from ..consoles import safe_console

    console = safe_console()
    if not console.is_terminal:
        yield Lines()
        return
    screen = Screen(every)
    with Live(console=console, auto_refresh=False, vertical_overflow="visible") as live:
        yield lambda look: live.update(screen.after(look, console), refresh=True)


@dataclass(slots=True)
class Lines:
    """One line for each change, for logs."""

    is_first: bool = True

    def __call__(self, look: Look) -> None:
        when = format_moment(look.at.replace(microsecond=0))
        for word, findings in (("new", look.followed.new), ("gone", look.followed.gone)):
            for each in findings:
                click.echo(visible(f"{when} {word} {each.severity.value} {each.id}: {each.message}"))
        for reason in look.unread:
            click.echo(visible(f"{when} could not check: {reason}"))
        if look.unread_before:
            click.echo(f"{when} everything could be checked again")
        if self.is_first and not look.followed.new and not look.unread:
            click.echo(f"{when} {outcome_text(look.run.findings, look.run.could_not_check)}")
        self.is_first = False


@dataclass(slots=True)
class Screen:
    """All that is there now, worst first, then what went away. One line each, cut at the width of the terminal."""

    every: timedelta
    gone: deque[tuple[datetime, Finding]] = field(default_factory=lambda: deque(maxlen=_GONE_SHOWN))

    def after(self, look: Look, console: Console) -> Group:
        self.gone.extend((look.at, each) for each in look.followed.gone)
        every = format_duration(round(self.every.total_seconds() * 1000))
        counts = outcome_text(look.run.findings, look.run.could_not_check)
        subject = visible(look.run.path(look.run.subject))
        head = Text(f"{_clock(look.at)}  {subject}: {counts}", style="bold", no_wrap=True, overflow="ellipsis")
        foot = Text(f"looks every {every}; Ctrl-C ends", style="dim")
        new = {id(each) for each in look.followed.new}
        rows = [
            self._row("new" if id(each) in new else "", _since(each), each, COLOURS[each.severity])
            for each in sorted(look.run.findings, key=lambda each: -each.severity.rank)
        ]
        rows += [self._row("waits", _since(each), each, "dim") for each in look.followed.waiting]
        rows += [self._row("gone", _clock(at), each, "green") for at, each in reversed(self.gone)]
        unread = [
            Text(visible(f"could not check: {reason}"), style="bold red", no_wrap=True, overflow="ellipsis")
            for reason in look.run.could_not_check
        ]
        lines = [*unread, *rows]
        room = max(console.height - 4, 1)
        if len(lines) > room:
            lines[room:] = [Text(f"and {len(lines) - room:,} more; `--format json=FILE` has all", style="dim")]
        return Group(head, *lines, foot)

    @staticmethod
    def _row(word: str, when: str, finding: Finding, style: str) -> Text:
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(f"{word:<5} {when} ", style="bold" if word == "new" else "dim")
        line.append(f"{finding.severity.value:<7} {finding.id} ", style=style)
        return line.append(visible(finding.message))


def _since(finding: Finding) -> str:
    moment = parse_moment(str(finding.evidence.get("since")))
    return _clock(moment) if moment is not None else " " * 8


def _clock(moment: datetime) -> str:
    """The local time: whoever watches looks at a local clock."""
    return f"{moment.astimezone():%H:%M:%S}"
