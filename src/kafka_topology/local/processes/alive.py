"""Processes that outlive the one that started them: is that pid still the process we mean?"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_POLL_SECONDS = 0.05
_PROC = Path("/proc")


def start_mark(pid: int) -> str | None:
    """Identifies a process, as pids are reused. None when it has ended."""
    with suppress(ChildProcessError, OSError):
        os.waitpid(pid, os.WNOHANG)  # a child of ours that ended must not linger as a zombie
    return _linux_mark(pid) if (_PROC / "self" / "stat").exists() else _ps_mark(pid)


def is_paused(pid: int) -> bool:
    """Whether the process is stopped by a signal or a debugger: it lives, and the kernel still accepts connections."""
    if (_PROC / "self" / "stat").exists():
        fields = _linux_fields(pid)
        return bool(fields) and fields[0] in "Tt"
    return _ps(pid)[0].startswith("T")


def _linux_fields(pid: int) -> list[str]:
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return stat[stat.rindex(")") + 2 :].split()  # the name before may hold spaces and brackets


def _linux_mark(pid: int) -> str | None:
    try:
        boot = (_PROC / "sys" / "kernel" / "random" / "boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
    fields = _linux_fields(pid)
    return None if not fields or fields[0] in "ZX" else f"{boot}/{fields[19]}"


def _ps_mark(pid: int) -> str | None:
    state, started = _ps(pid)
    return None if not started or state.startswith("Z") else started


def _ps(pid: int) -> tuple[str, str]:
    """Its state and when it started. Empty if it has ended."""
    run = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    state, _, started = run.stdout.strip().partition(" ")
    return state, started.strip()


def is_running(pid: int | None, mark: str | None) -> bool:
    """Whether this very process lives, not another one that got its pid."""
    return pid is not None and mark is not None and start_mark(pid) == mark


def send(pid: int | None, mark: str | None, number: signal.Signals) -> None:
    if pid is not None and is_running(pid, mark):
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def end_all(processes: Iterable[tuple[int | None, str | None]], *, grace: float, wait: float = 10.0) -> list[int]:
    """Ask to end, wait, then kill. Returns the pids that are still alive."""
    alive = [(pid, mark) for pid, mark in processes if is_running(pid, mark)]
    for number, patience in ((signal.SIGTERM, grace), (signal.SIGKILL, wait)):
        if patience <= 0:
            continue
        for pid, mark in alive:
            send(pid, mark, number)
        deadline = time.monotonic() + patience
        while alive and time.monotonic() < deadline:
            alive = [(pid, mark) for pid, mark in alive if is_running(pid, mark)]
            if alive:
                time.sleep(_POLL_SECONDS)
    return [pid for pid, _ in alive if pid is not None]
