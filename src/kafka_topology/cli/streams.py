"""Stdout and stderr of the executable. Output that cannot be printed must not look like a finding or like a bug."""

from __future__ import annotations

import io
import sys
from typing import Any, TextIO

from .exits import CLOSED_PIPE, Exit


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
    return io.TextIOWrapper(
        file if is_unbuffered else io.BufferedWriter(file),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
