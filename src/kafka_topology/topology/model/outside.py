"""Code of other distributions (rule packs, check packs, formats): whatever it raises, no command ends in silence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .words import visible

_LONGEST = 500


class OutsideCodeFailed(Exception):
    """Code of others raised something that would have ended the program, such as SystemExit."""


@contextmanager
def outside_code() -> Iterator[None]:
    """Raises `Exception`s only: `SystemExit(0)` from a pack would look like a command that found nothing.

    Ctrl-C stays what it is.
    """
    try:
        yield
    except (Exception, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        raise OutsideCodeFailed(_named(error)) from error


def described(error: Exception) -> str:
    """The kind of the error and what it says, in one line and without control characters."""
    said = str(error) if isinstance(error, OutsideCodeFailed) else _named(error)
    line = " ".join(visible(said).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _named(error: BaseException) -> str:
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - an exception of others is code of others as well
        said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
