"""Matches names with a regular expression that anybody may have written.

A pattern of ten characters can take hours (`(a+)+b`), and Python cannot be interrupted while it matches. So patterns
never run in this process.
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
_SECONDS_PER_NAME: Final = 0.0001
_WAIT_SECONDS: Final = 60.0  # for a machine so busy that the process hardly runs


class BadPattern(Exception):
    """The text is not a regular expression."""


class SlowPattern(Exception):
    """The pattern could not be matched in time, so nothing is known about the names."""


@lru_cache(maxsize=8)
def not_fitting(pattern: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names that do not match as a whole. Raises BadPattern or SlowPattern."""
    seconds = LIMIT_SECONDS + _SECONDS_PER_NAME * len(names)
    request = json.dumps({"pattern": pattern, "names": names, "seconds": seconds})
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
        raise BadPattern("it could not be evaluated")
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise BadPattern(answer["error"])
    return tuple(answer["failed"])
