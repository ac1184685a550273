"""Matches names with a regular expression in a separate process, which ends itself when its time is up.

Run as a script, never imported: reads one JSON request from stdin, writes one JSON answer.
"""

from __future__ import annotations

import json
import re
import signal
import sys


def main() -> None:
    request = json.load(sys.stdin)
    # Time of the processor, not of the clock: a busy machine changes nothing. The signal ends the process.
    signal.setitimer(signal.ITIMER_PROF, request["seconds"])
    try:
        fits = re.compile(request["pattern"]).fullmatch
    except (re.error, RecursionError, OverflowError) as error:
        json.dump({"error": str(error)}, sys.stdout)
        return
    json.dump({"failed": [name for name in request["names"] if not fits(name)]}, sys.stdout)


if __name__ == "__main__":
    main()
