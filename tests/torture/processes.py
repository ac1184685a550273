"""Commands that run while something fails, and how they ended."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# A plugin or command that dies natively says so, because PYTHONFAULTHANDLER is set; or the engine says it for it.
_CRASH = re.compile(
    r"Fatal Python error|[Ss]egmentation fault|SIGSEGV|SIGABRT|SIGBUS|core dumped|signal: (?!killed)\w+"
)
_TRACEBACK = re.compile(r"Traceback \(most recent call last\)|panic: ")
STUCK = "did not end"
CRASHED = "native crash"


@dataclass(frozen=True)
class Done:
    """How a command ended. `killed`: by the fault, so its exit code says nothing."""

    name: str
    code: int
    text: str
    seconds: float
    killed: bool = False

    def faults(self) -> list[str]:
        """What no command may do whatever happens around it."""
        found = []
        if not self.killed and (self.code < 0 or _CRASH.search(self.text)):
            found.append(f"{self.name}: {CRASHED}, exit code {self.code}")
        if not self.killed and _TRACEBACK.search(self.text):
            found.append(f"{self.name}: traceback, exit code {self.code}")
        if STUCK in self.text[-200:]:
            found.append(f"{self.name}: {STUCK} within {self.seconds:.0f} s")
        return found


_STARTED: list[Running] = []  # in this turn
_LINGERS = 30.0  # seconds that a process may outlive the command that started it


class Running:
    """A command under way. Its output goes to a file, so that nobody must read it meanwhile."""

    def __init__(self, name: str, command: list[str], folder: Path, environment: dict[str, str], log: Path) -> None:
        self.name = name
        self.log = log
        self.killed = False
        self._began = time.monotonic()
        _STARTED.append(self)
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env={**environment, "PYTHONFAULTHANDLER": "1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def runs(self) -> bool:
        return self.process.poll() is None

    def wait(self, seconds: float) -> bool:
        """Whether it ended by then."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        return not self.runs

    def kill(self) -> bool:
        """The command itself, as a crash would; what it started goes on. Whether it ran until now."""
        ran = self.runs
        self.process.kill()
        self.killed = self.killed or ran
        return ran

    def kill_inside(self, word: str) -> list[int]:
        """Those of its processes whose command has this word. The command goes on, and its answer counts."""
        pids = [pid for pid in descendants(self.process.pid) if word in command_of(pid)]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return pids

    def end(self, patience: float) -> Done:
        ended = self.wait(patience)
        if not ended:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        seconds = time.monotonic() - self._began
        text = self.log.read_text(encoding="utf-8", errors="replace")
        if not ended:
            return Done(self.name, 124, f"{text}\n{STUCK}", seconds, self.killed)
        return Done(self.name, self.process.returncode, text, seconds, self.killed)


def end_leftovers() -> list[str]:
    """Ends what the commands of this turn left behind, and names it: they end what they start, killed or not."""
    deadline = time.monotonic() + _LINGERS
    while (left := _left()) and time.monotonic() < deadline:
        time.sleep(0.1)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    _STARTED.clear()
    return [f"still runs after {_LINGERS:.0f} s: {command[:300]}" for command in left.values()]


def _left() -> dict[int, str]:
    """The processes in the sessions of this turn's commands."""
    sessions = {one.process.pid for one in _STARTED}
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        state, _, _, session = _read(folder / "stat").rpartition(")")[2].split()[:4] or ("Z", 0, 0, 0)
        if int(session) in sessions and state not in "ZX":
            found[int(folder.name)] = command_of(int(folder.name))
    return found


def descendants(pid: int) -> list[int]:
    found = [int(child) for file in Path(f"/proc/{pid}/task").glob("*/children") for child in _read(file).split()]
    return found + [below for child in found for below in descendants(child)]


def command_of(pid: int) -> str:
    return _read(Path(f"/proc/{pid}/cmdline")).replace("\0", " ")


def _read(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""
