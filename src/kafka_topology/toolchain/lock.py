"""A lock between processes, held on an open file: the system frees it when its holder dies."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_POLL_SECONDS = 0.1


@contextmanager
def file_lock(path: Path, *, timeout: float, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold `path` alone. `waiting` is called once when another process holds it; TimeoutError when it keeps it."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - of the extra `local`; looking into the cache needs no lock

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if waiting is not None:
            waiting()
        lock.acquire(timeout=timeout, poll_interval=_POLL_SECONDS)
    try:
        yield
    finally:
        lock.release()
