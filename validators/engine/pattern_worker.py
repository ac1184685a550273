"""Matches names with a regular expression in a separate process, which ends itself when its time or memory is up.

Run as a script, never imported: reads one JSON request from stdin, writes one JSON answer.
"""

from __future__ import annotations

import contextlib
import json
import re
import resource
import signal
import sys
from typing import Any


def main() -> None:
    request = json.load(sys.stdin)
    for limit, value in ((resource.RLIMIT_AS, request["memory"]), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(limit, (value, value))
    try:
        answer = judge(request)
    except MemoryError:
        answer = {"large": True}
    json.dump(answer, sys.stdout)


def judge(request: dict[str, Any]) -> dict[str, Any]:
    # Time of the processor, not of the clock: a busy machine changes nothing. The signal ends the process.
    signal.setitimer(signal.ITIMER_PROF, request["seconds"])
    try:
        fits = re.compile(request["pattern"]).fullmatch
    except (re.error, RecursionError, OverflowError) as error:
        return {"error": str(error)}
    return {"failed": [name for name in request["names"] if not fits(name)]}


if __name__ == "__main__":
    main()
