"""Evaluates expressions with a time limit, in a process that is ended if it takes too long.

An expression of a few dozen characters can take hours or all memory (nested `map`), and the library cannot be
interrupted. So expressions never run in this process.
"""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# Times of the processor, so a busy machine changes nothing. Each expression has a limit, and all of them together.
LIMIT_SECONDS = 1.0
SECONDS_PER_RESOURCE = 0.0005
LIMIT_TOGETHER = 1.5
TOGETHER_PER_RESOURCE = 0.004
_RESTART_SECONDS = 0.25  # about what another process costs
WAIT_SECONDS = 60.0  # of the clock, for the worker to start or to answer
MAX_LENGTH = 4_000
MOST_EXPRESSIONS = 2_000
_WORKER = Path(__file__).with_name("expression_worker.py")


@dataclass(frozen=True, slots=True)
class Expression:
    """`expect` must be true for every resource of the section for which `when` is true."""

    id: str
    section: str
    variable: str
    expect: str
    when: str | None = None


@dataclass(frozen=True, slots=True)
class ExpressionError:
    """Why an expression could not be evaluated. `part` is expect or when; `kind` says what `text` means."""

    part: str
    kind: str
    text: str
    resource: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True)
class Judgement:
    """The resources for which the expression is false, and why it could not be evaluated for others."""

    failed: tuple[str, ...] = ()
    error: ExpressionError | None = None


def judge(
    expressions: Sequence[Expression],
    resources: Mapping[str, Mapping[str, Any]],
    shared: Mapping[str, Any],
    limit: float = LIMIT_SECONDS,
) -> dict[str, Judgement]:
    """Each judgement by the expression's id. One that takes too long or too much memory does not affect the others."""
    judged: dict[str, Judgement] = {}
    waiting = list(expressions)
    count = sum(len(resources[section]) for section in {expression.section for expression in expressions})
    together = LIMIT_TOGETHER + TOGETHER_PER_RESOURCE * count
    left = together
    while waiting and left > 0:
        worker = _Worker(waiting, resources, shared, Limits(limit, SECONDS_PER_RESOURCE, left))
        for judgement in worker.answers():
            judged[waiting.pop(0).id] = judgement
        left -= worker.used
    unjudged = _stopped("together", f"{together:.1f} s")
    return judged | {expression.id: unjudged for expression in waiting}


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds of the processor: for one expression, for each of its resources, and for all together."""

    each: float
    resource: float
    together: float


class _Worker:
    """One process that answers for the expressions in order, until one of them ends it."""

    def __init__(
        self,
        expressions: Sequence[Expression],
        resources: Mapping[str, Mapping[str, Any]],
        shared: Mapping[str, Any],
        limits: Limits,
    ) -> None:
        self._expressions = tuple(expressions)
        self._resources = resources
        self._limits = limits
        rules = [
            {"section": e.section, "variable": e.variable, "expect": e.expect, "when": e.when} for e in expressions
        ]
        sections = {e.section for e in expressions}
        self._request = json.dumps(
            {
                "limits": asdict(limits),
                "rules": rules,
                "resources": {name: resources[name] for name in sections},
                "shared": shared,
            }
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.used = 0.0  # seconds of the limit together

    def answers(self) -> Iterable[Judgement]:
        """One answer for each expression until one of them ends the process, or the time of all is up."""
        with subprocess.Popen(
            [sys.executable, "-P", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        ) as process:
            try:
                threading.Thread(target=self._send, args=(process,), daemon=True).start()
                threading.Thread(target=self._receive, args=(process,), daemon=True).start()
                if not self._next(WAIT_SECONDS):
                    self.used += _RESTART_SECONDS
                    yield _stopped("start", "the evaluator did not start")
                    return
                for expression in self._expressions:
                    seconds = self._seconds(expression)
                    answer = self._next(WAIT_SECONDS + seconds)
                    if not answer:
                        yield from self._ended(process if answer is not None else None, seconds)
                        return
                    self.used = answer["used"]
                    yield _judgement(answer)
            finally:
                process.kill()

    def _seconds(self, expression: Expression) -> float:
        each = self._limits.each + self._limits.resource * len(self._resources[expression.section])
        return min(each, self._limits.together - self.used)

    def _ended(self, process: subprocess.Popen[str] | None, seconds: float) -> Iterable[Judgement]:
        """Why there was no answer. None of them if all expressions together took too long."""
        code = process.wait() if process is not None else -signal.SIGPROF
        if code == 0:
            self.used = self._limits.together
        elif code == -signal.SIGPROF:
            self.used += max(seconds, _RESTART_SECONDS)
            yield _stopped("timeout", f"{seconds:.1f} s")
        else:
            self.used += _RESTART_SECONDS
            yield _stopped("crash", "")

    def _send(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None  # noqa: S101 - asked for above
        with suppress(OSError), process.stdin as stream:
            stream.write(self._request)

    def _receive(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None  # noqa: S101 - asked for above
        with suppress(OSError, ValueError):
            for line in process.stdout:
                self._lines.put(line)
        self._lines.put("{}")

    def _next(self, seconds: float) -> dict[str, Any] | None:
        """The next answer; empty if the process has ended, None if the time is up."""
        try:
            answer: dict[str, Any] = json.loads(self._lines.get(timeout=seconds))
        except queue.Empty:
            return None
        return answer


def _stopped(kind: str, text: str) -> Judgement:
    return Judgement(error=ExpressionError("expect", kind, text))


def _judgement(answer: dict[str, Any]) -> Judgement:
    error = answer["error"]
    if error is None:
        return Judgement(tuple(answer["failed"]))
    return Judgement(
        tuple(answer["failed"]),
        ExpressionError(error["part"], error["type"], error["text"], error.get("resource", ""), answer["errors"]),
    )
