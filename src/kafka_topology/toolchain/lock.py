"""A lock between processes, held on an open file: the system frees it when its holder dies."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_POLL_SECONDS = 0.1


@contextmanager
def file_lock(path: Path, *, timeout: float, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold `path` alone. `waiting` is called once when another holds it; then TimeoutError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + timeout
    while (descriptor := _try_lock(path)) is None:
        if waiting is not None:
            waiting()
            waiting = None
        if time.monotonic() > deadline:
            raise TimeoutError(str(path))
        time.sleep(_POLL_SECONDS)
    try:
        yield
    finally:
        os.close(descriptor)


def _try_lock(path: Path) -> int | None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The last holder may have deleted the file: a lock on that one guards nothing.
        if _same(descriptor, path):
            return descriptor
    except BlockingIOError:
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
