"""Shares with the other providers of the same run what this one declares.

Each provider of a program is its own process. When a resource moves to another provider and its URN changes too, one
process adopts the thing on the cluster, and the engine asks the other one to delete it. So each process writes what it
declares to a file, and the others of the same engine read it before they delete.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable


# The time of a folder's last change counts in ticks of the kernel. A later one in the same tick does not show.
_TICK: Final = 50_000_000


class Neighbours:
    """`engine` identifies the run: the address that the engine passes to all its plugins."""

    def __init__(self, engine: str, temporary: Path | None = None) -> None:
        name = hashlib.sha256(f"{engine} {os.getppid()}".encode()).hexdigest()[:16]
        folder = (temporary or Path(tempfile.gettempdir())) / f"kafka-topology-{os.getuid()}"
        self._own: Path | None = None
        self._noted: set[str] = set()
        self._listed: tuple[int, list[Path]] = (0, [])  # the other files, and when the folder had changed by then
        self._read: dict[Path, tuple[int, frozenset[str]]] = {}  # their lines, by their size
        with contextlib.suppress(OSError):  # without a folder, other providers do not see this one
            folder.mkdir(mode=0o700, exist_ok=True)
            # Every user may write to the parent folder, so do not trust a folder of another user.
            if folder.stat().st_uid == os.getuid() and not folder.is_symlink():
                self._own = folder / f"{name}.{os.getpid()}"

    def note(self, cluster: str, parts: Collection[Hashable]) -> None:
        lines = {_line(cluster, part) for part in parts} - self._noted if self._own is not None else set()
        if self._own is not None and lines:
            with contextlib.suppress(OSError), self._own.open("a") as notes:
                notes.writelines(f"{line}\n" for line in lines)
                self._noted |= lines

    def declared(self, cluster: str, parts: Collection[Hashable]) -> frozenset[Hashable]:
        """The parts that another provider of this run declares on this cluster."""
        lines = [self._lines_of(other) for other in self._others() if _is_alive(other.suffix[1:])]
        if not any(lines):
            return frozenset()
        return frozenset(part for part in parts if any(_line(cluster, part) in known for known in lines))

    def _others(self) -> list[Path]:
        """The files of the other processes. Lists the folder again only after it has changed."""
        if self._own is None:
            return []
        try:
            changed = self._own.parent.stat().st_mtime_ns
        except OSError:
            return []
        if changed != self._listed[0]:
            looked = time.time_ns()
            found = [other for other in self._own.parent.glob(f"{self._own.stem}.*") if other != self._own]
            self._listed = (changed if looked - changed > _TICK else 0, found)
        return self._listed[1]

    def _lines_of(self, other: Path) -> frozenset[str]:
        """What it noted. A file only grows, so one of the same size is not read again."""
        size, lines = self._read.get(other, (0, frozenset()))
        with contextlib.suppress(OSError):
            now = other.stat().st_size
            if now != size:
                lines = frozenset(other.read_text().splitlines())
                self._read[other] = (now, lines)
        return lines

    def close(self) -> None:
        if self._own is not None:
            with contextlib.suppress(OSError):
                self._own.unlink(missing_ok=True)


def _is_alive(pid: str) -> bool:
    """Whether the process still runs: the file of a killed process is stale."""
    try:
        os.kill(int(pid), 0)
    except (OSError, ValueError):
        return False
    return True


def _line(cluster: str, part: Hashable) -> str:
    return hashlib.sha256(f"{cluster} {part!r}".encode()).hexdigest()[:32]
