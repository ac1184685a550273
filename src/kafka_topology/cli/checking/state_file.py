"""The file of an incremental check: one run at a time, read before and replaced as a whole after the report."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...extras import require
from ...files import why, write_atomically
from ..exits import Exit, stop

if TYPE_CHECKING:
    from ...spark_checks.reading.state import State

_OPTION = "--incremental"


@contextmanager
def held_alone(file: Path) -> Iterator[None]:
    """Holds the state for this run, or ends the command at once: of two runs the slower would undo the other's state.

    The lock is a hidden file beside the state. The system frees it when its holder dies.
    """
    require("spark", "an incremental check")
    from filelock import FileLock, Timeout

    target = Path(os.path.realpath(file))
    if not target.parent.is_dir():
        raise click.BadParameter(f"{file}: there is no folder {file.parent}", param_hint=_OPTION)
    lock = FileLock(target.with_name(f".{target.name[:200]}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        stop(
            Exit.COULD_NOT_CHECK,
            f"{file}: another check is using this state file: wait until it has ended, or give each check a file of"
            " its own",
        )
    except OSError as error:
        raise click.BadParameter(f"{file}: {why(error)}", param_hint=_OPTION) from None
    try:
        yield
    finally:
        lock.release()


def read_state(file: Path) -> State:
    """What the last check remembered; an empty state if there was none. Ends the command if the file is unusable."""
    from ...documents import STATE, mistake_in
    from ...spark_checks.reading.state import State, WrongState, parse_state

    text = ""
    try:
        text = file.read_text(encoding="utf-8")
        return parse_state(text)
    except FileNotFoundError:
        return State()
    except (WrongState, UnicodeDecodeError) as error:
        reason = "it is not text: restore it, or delete it"
        if isinstance(error, WrongState):
            wrong = mistake_in(text, STATE)
            reason = f"{error} ({wrong})" if wrong else str(error)
        raise click.BadParameter(f"{file}: {reason}", param_hint=_OPTION) from None
    except OSError as error:
        raise click.BadParameter(f"{file}: {why(error)}", param_hint=_OPTION) from None


def remember(file: Path, state: State) -> None:
    """After the report: what is in the file was reported, and a crash before means that it is read again.

    A check that finished no topic of a new state leaves no file: there is nothing to continue from.
    """
    if state.cluster is None:
        return
    try:
        write_atomically(file, state.to_json().encode())
    except OSError as error:
        stop(Exit.UNUSABLE, f"{file}: {why(error)}; the next check reads the same records again")
