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
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable


class Neighbours:
    """`engine` identifies the run: the address that the engine passes to all its plugins."""

    def __init__(self, engine: str, temporary: Path | None = None) -> None:
        name = hashlib.sha256(f"{engine} {os.getppid()}".encode()).hexdigest()[:16]
        folder = (temporary or Path(tempfile.gettempdir())) / f"kafka-topology-{os.getuid()}"
        self._own: Path | None = None
        with contextlib.suppress(OSError):  # without a folder, other providers do not see this one
            folder.mkdir(mode=0o700, exist_ok=True)
            # Every user may write to the parent folder, so do not trust a folder of another user.
            if folder.stat().st_uid == os.getuid() and not folder.is_symlink():
                self._own = folder / f"{name}.{os.getpid()}"

    def note(self, cluster: str, parts: Collection[Hashable]) -> None:
        if self._own is not None and parts:
            with contextlib.suppress(OSError), self._own.open("a") as notes:
                notes.writelines(f"{_line(cluster, part)}\n" for part in parts)

    def declared(self, cluster: str, parts: Collection[Hashable]) -> frozenset[Hashable]:
        """The parts that another provider of this run declares on this cluster."""
        if self._own is None:
            return frozenset()
        lines: set[str] = set()
        for other in self._own.parent.glob(f"{self._own.stem}.*"):
            if other != self._own and _is_alive(other.suffix[1:]):
                with contextlib.suppress(OSError):
                    lines.update(other.read_text().splitlines())
        return frozenset(part for part in parts if _line(cluster, part) in lines)

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
