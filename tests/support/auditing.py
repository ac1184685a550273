"""An audit called inside the test's own process, and its answer as data."""

from __future__ import annotations

import json
import time
from collections import Counter

from command import call


def audit(file, *arguments):
    """The exit code, and the JSON."""
    result = call("audit", str(file), "--format", "json", *arguments)
    return result.exit_code, json.loads(result.stdout)


def found(document):
    return Counter((each["rule"], each["resource"]) for each in document["findings"])


def wait_until(is_so, seconds=60):
    deadline = time.monotonic() + seconds
    while not (seen := is_so()):
        assert time.monotonic() < deadline, seen
        time.sleep(0.1)
    return seen


def wait_until_empty(difference, seconds=120):
    """What is looked at until nothing is unexpected and nothing is missing; the failure says what still is."""
    deadline = time.monotonic() + seconds
    while any((seen := difference())[:2]):
        assert time.monotonic() < deadline, (*seen[:2], seen[-1]["couldNotCheck"])
        time.sleep(0.1)
    return seen


def all_done(futures):
    for future in futures.values():
        future.result(30)
