"""Matches names with a regular expression that anybody may have written.

A pattern of ten characters can take hours (`(a+)+b`), and Python cannot be interrupted while it matches. So patterns
never run in this process, and the one that they run in has a limit of time and memory.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Final

_WORKER: Final = Path(__file__).with_name("pattern_worker.py")
LIMIT_SECONDS: Final = 1.0
LIMIT_MEMORY: Final = 512 * 2**20
_MEMORY_PER_BYTE: Final = 40  # of the request
_SECONDS_PER_NAME: Final = 0.0001
_WAIT_SECONDS: Final = 60.0  # for a machine so busy that the process hardly runs


class BadPattern(Exception):
    """The text is not a regular expression."""


class StoppedPattern(Exception):
    """The pattern could not be matched, so nothing is known about the names."""

    why = "could not be matched"


class SlowPattern(StoppedPattern):
    why = "takes too long to match"


class LargePattern(StoppedPattern):
    why = "needs too much memory"


@lru_cache(maxsize=8)
def not_fitting(pattern: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names that do not match as a whole. Raises BadPattern or StoppedPattern."""
    seconds = LIMIT_SECONDS + _SECONDS_PER_NAME * len(names)
    memory = max(LIMIT_MEMORY, _MEMORY_PER_BYTE * sum(len(each) for each in (pattern, *names)))
    request = json.dumps({"pattern": pattern, "names": names, "seconds": seconds, "memory": memory})
    try:
        done = subprocess.run(
            [sys.executable, "-P", str(_WORKER)],
            input=request.encode(),
            capture_output=True,
            check=False,
            timeout=_WAIT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise SlowPattern from None
    if done.returncode == -signal.SIGPROF:
        raise SlowPattern
    if done.returncode != 0:
        raise StoppedPattern  # such as one that the system ended for want of memory: nothing is said about the pattern
    answer = json.loads(done.stdout)
    if "large" in answer:
        raise LargePattern
    if "error" in answer:
        raise BadPattern(answer["error"])
    return tuple(answer["failed"])
