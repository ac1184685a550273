"""Stdout and stderr of the executable. Output that cannot be printed must not look like a finding or like a bug.

Names and texts come from files and clusters that anybody may write to. Whatever is printed passes here, so a terminal
or the runner of a job obeys none of it. Rich writes colours of its own, and passes by: see `safe_console`.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Mapping
from typing import Any, TextIO, cast

from kafka_topology.topology.model.words import printable, without_commands

from .exits import CLOSED_PIPE, Exit

_RUNNERS = ("GITHUB_ACTIONS", "TF_BUILD", "GITEA_ACTIONS")  # set where a log is searched for commands


class _Stdout(io.FileIO):
    """Ends the command when nothing more can be printed: quietly if the reader is gone, else with the reason."""

    is_lost = False

    def write(self, data: Any, /) -> int:
        if self.is_lost:  # Python flushes what is left when it ends
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except BrokenPipeError:
            self.is_lost = True
            raise SystemExit(CLOSED_PIPE) from None
        except OSError as error:
            self.is_lost = True
            reason = (error.strerror or str(error)).lower()
            sys.stderr.write(f"kafka-topology: the output cannot be written: {reason}\n")
            raise SystemExit(Exit.UNUSABLE) from None


class _Stderr(io.FileIO):
    """Drops messages that cannot be printed: nobody would see them, and the exit code must stay."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class Guarded(io.TextIOWrapper):
    """Text that nobody obeys. A file that somebody redirected the output to gets the text as it is."""

    in_a_job = False

    def write(self, text: str, /) -> int:
        super().write(without_commands(printable(text)) if self.in_a_job else printable(text))
        return len(text)

    @property
    def unguarded(self) -> TextIO:
        return cast("TextIO", _Unguarded(self))


class _Unguarded(io.TextIOBase):
    """The same stream for Rich, which escapes what it is given and adds colours."""

    def __init__(self, stream: Guarded) -> None:
        self._stream = stream

    def write(self, text: str, /) -> int:
        return io.TextIOWrapper.write(self._stream, without_commands(text) if self._stream.in_a_job else text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding


def replace_streams() -> None:
    """Use these streams from now on. Characters that the stream's encoding does not have are printed as escapes."""
    sys.stdout = _replaced(sys.stdout, _Stdout)
    sys.stderr = _replaced(sys.stderr, _Stderr)


def _replaced(stream: TextIO, kind: type[io.FileIO]) -> TextIO:
    """The stream itself where it is none of the operating system's files: closed, or a console of Windows."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    is_unbuffered = not hasattr(stream.buffer, "raw")  # PYTHONUNBUFFERED
    if type(stream.buffer if is_unbuffered else stream.buffer.raw) is not io.FileIO:
        return stream
    stream.flush()
    file = kind(stream.fileno(), "w", closefd=False)
    is_file = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    kept = (io.TextIOWrapper if is_file else Guarded)(
        file if is_unbuffered else io.BufferedWriter(file),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
    if isinstance(kept, Guarded):
        kept.in_a_job = _in_a_job(os.environ)
    return kept


def _in_a_job(environment: Mapping[str, str]) -> bool:
    return any(environment.get(name) for name in _RUNNERS)
