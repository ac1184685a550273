"""The temporary folder of a run's Spark, with its log: removed at the end, or by a later run if this one is killed."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_PREFIX = "kafka-topology-spark-"
_LOCK = ".in-use"
_NEW_S = 60.0  # between making a folder and locking it


@dataclass(slots=True)
class SparkFolder:
    """`keep_log`: somebody was shown where the log is, so it stays, if there is one."""

    path: Path
    keep_log: bool = False

    @property
    def log_file(self) -> Path:
        return self.path / "spark.log"

    @property
    def has_log(self) -> bool:
        return self.log_file.exists() and self.log_file.stat().st_size > 0


@contextmanager
def spark_folder() -> Iterator[SparkFolder]:
    """A folder of this run. First removes those of runs that were killed."""
    from filelock import FileLock

    remove_abandoned(Path(tempfile.gettempdir()))
    folder = SparkFolder(Path(tempfile.mkdtemp(prefix=_PREFIX)))
    lock = FileLock(folder.path / _LOCK)
    try:
        lock.acquire(timeout=0)
        yield folder
    finally:
        lock.release()
        if folder.keep_log and folder.has_log:
            (folder.path / _LOCK).unlink(missing_ok=True)  # so nobody takes it for one that was left behind
        else:
            _remove(folder.path)


def remove_abandoned(parent: Path) -> None:
    """The system frees the lock of a process that dies. Folders in use, and logs that were kept, stay."""
    from filelock import FileLock, Timeout

    for folder in parent.glob(f"{_PREFIX}*"):
        lock_file = folder / _LOCK
        with suppress(OSError, Timeout):
            if folder.is_symlink() or time.time() - lock_file.stat().st_mtime < _NEW_S:
                continue
            with FileLock(lock_file).acquire(timeout=0):
                _remove(folder)


def _remove(folder: Path) -> None:
    """A Java that is about to end may still add a file."""
    for _ in range(3):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1)
