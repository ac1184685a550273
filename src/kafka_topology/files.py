"""Files written whole or not at all, the reasons why one cannot be, and differences between two texts."""

from __future__ import annotations

import difflib
import errno
import os
import re
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

# How Linux and macOS name a stream that this process has open.
_OPEN_STREAM = re.compile(r"/(?:dev/fd|proc/self/fd)/(\d+)")
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
STDOUT = "stdout"


def write_atomically(path: Path, data: bytes) -> None:
    """Replace the file by a new one with the same permissions. A link stays, and the file it points to is replaced.

    A pipe, a device or a stream such as `/dev/stdout` is never replaced: the data goes into it. An `OSError` names the
    path.
    """
    try:
        stream = _open_stream(path)
        if stream is not None:
            _write_into(os.dup(stream), data)
        elif path.exists() and not path.is_file():
            _write_into(os.open(path, os.O_WRONLY), data)
        else:
            _replace(path, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def destination(path: Path) -> str:
    """What a path leads to, equal for two paths that lead to the same: a resolved path, or `STDOUT`."""
    return STDOUT if _open_stream(path) == 1 else os.path.realpath(path)


def _open_stream(path: Path) -> int | None:
    name = str(path.absolute())
    found = _OPEN_STREAM.fullmatch(name)
    return int(found[1]) if found else _STREAMS.get(name)


def _write_into(handle: int, data: bytes) -> None:
    """Write after whatever this process has printed so far. Closes the handle."""
    with os.fdopen(handle, "wb") as stream:
        for printed in (sys.stdout, sys.stderr):
            if printed is not None:
                printed.flush()
        stream.write(data)


def _replace(path: Path, data: bytes) -> None:
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    # The beginning of the name is enough: with all of a long name, the temporary one would be too long.
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def why(error: OSError) -> str:
    """The operating system's reason, as part of a sentence."""
    return (error.strerror or str(error)).lower()


def why_not_writable(file: Path) -> str:
    """Why no file can be written there; empty when one can."""
    try:
        if file.is_dir():
            return f"{file} is a folder"
        if not file.parent.is_dir():
            return f"there is no folder {file.parent}"
    except OSError as error:
        return f"{file}: {why(error)}"
    return ""


def unified_diff(before: str, after: str, old_name: str, new_name: str) -> str:
    """The difference as `diff -u` prints it, also where a last line has no end."""
    lines = difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), old_name, new_name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _umask() -> int:
    """The process's mask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
