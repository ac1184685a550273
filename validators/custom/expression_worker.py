"""Evaluates expressions in a separate process, which its parent can end at any moment.

Run as a script, never imported: reads one JSON request from stdin and writes one line of JSON per rule. It sees only
the values in the request, and its memory is limited.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import re
import resource
import signal
import sys
import time
from typing import Any

Json = dict[str, Any]
LEAST_MEMORY = 512 * 2**20
MEMORY_PER_BYTE = 40


def main() -> None:
    text = sys.stdin.read()
    limit_memory(max(LEAST_MEMORY, MEMORY_PER_BYTE * len(text)))
    request = json.loads(text)
    cel = importlib.import_module("cel")  # inside the memory limit
    answer({"ready": True})
    limits, started = request["limits"], time.process_time()
    for rule in request["rules"]:
        resources = request["resources"][rule["section"]]
        left = limits["together"] - (time.process_time() - started)
        if left <= 0:
            return
        # Time of the processor, not of the clock: a busy machine changes nothing. The signal ends the process.
        signal.setitimer(signal.ITIMER_PROF, min(left, limits["each"] + limits["resource"] * len(resources)))
        judgement = judge(cel, rule, resources, request["shared"])
        answer({**judgement, "used": time.process_time() - started})


def limit_memory(count: int) -> None:
    """An expression may use any amount of memory: then this process ends, and its parent reports it."""
    for limit, value in ((resource.RLIMIT_AS, count), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(limit, (value, value))


def judge(cel: Any, rule: Json, resources: Json, shared: Json) -> Json:
    """The resources for which the expression is false, and the first error with the number of errors."""
    programs = {}
    for part in ("when", "expect"):
        if rule[part] is None:
            continue
        try:
            programs[part] = cel.compile(rule[part])
        except BaseException as error:  # noqa: BLE001 - a panic of the library is not an Exception
            return {"failed": [], "error": {"part": part, "type": "syntax", "text": str(error)}, "errors": 1}
        unknown = sorted(set(programs[part].variables()) - {rule["variable"], *shared, *bound_names(rule[part])})
        if unknown:
            return {"failed": [], "error": {"part": part, "type": "variable", "text": unknown[0]}, "errors": 1}
    failed: list[str] = []
    first: Json | None = None
    errors = 0
    for name, values in resources.items():
        part, problem = evaluate(programs, {**shared, rule["variable"]: values})
        if problem is not None:
            first = first or {"part": part, "resource": name, **problem}
            errors += 1
        elif part == "failed":
            failed.append(name)
    return {"failed": failed, "error": first, "errors": errors}


def evaluate(programs: Json, variables: Json) -> tuple[str, Json | None]:
    for part, program in programs.items():
        try:
            holds = program.execute(variables)
        except BaseException as error:  # noqa: BLE001 - see above
            text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
            return part, {"type": type(error).__name__, "text": text}
        if not isinstance(holds, bool):
            return part, {"type": "result", "text": type(holds).__name__}
        if not holds:
            return ("skipped" if part == "when" else "failed"), None
    return "held", None


def bound_names(expression: str) -> set[str]:
    """Names that `all(x, …)`, `map(x, …)` and the like bind; a superset is enough."""
    return set(re.findall(r"\(\s*([A-Za-z_]\w*)\s*,", expression)) | set(
        re.findall(r"\(\s*[A-Za-z_]\w*\s*,\s*([A-Za-z_]\w*)\s*,", expression)
    )


def answer(message: Json) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
