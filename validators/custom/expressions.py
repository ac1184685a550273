"""Evaluates expressions with a time limit, in a process that is ended if it takes too long.

An expression of a few dozen characters can take hours or all memory (nested `map`), and the library cannot be
interrupted. So expressions never run in this process.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

START_SECONDS = 60.0
LIMIT_SECONDS = 5.0
SECONDS_PER_RESOURCE = 0.0005
MAX_LENGTH = 4_000
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
    while waiting:
        for judgement in _Worker(waiting, resources, shared).answers(limit):
            judged[waiting.pop(0).id] = judgement
    return judged


class _Worker:
    """One process that answers for the expressions in order, until one of them ends it."""

    def __init__(
        self,
        expressions: Sequence[Expression],
        resources: Mapping[str, Mapping[str, Any]],
        shared: Mapping[str, Any],
    ) -> None:
        self._expressions = tuple(expressions)
        self._resources = resources
        rules = [
            {"section": e.section, "variable": e.variable, "expect": e.expect, "when": e.when} for e in expressions
        ]
        sections = {e.section for e in expressions}
        self._request = json.dumps(
            {"rules": rules, "resources": {name: resources[name] for name in sections}, "shared": shared}
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def answers(self, limit: float) -> Iterable[Judgement]:
        """At least one answer, and one for each expression until one of them ends the process."""
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
                if self._next(START_SECONDS) is None:
                    yield _stopped("start", "the evaluator did not start")
                    return
                for expression in self._expressions:
                    count = len(self._resources[expression.section])
                    seconds = limit + SECONDS_PER_RESOURCE * count
                    answer = self._next(seconds)
                    if answer is None:
                        yield _stopped("timeout", f"{seconds:.0f} s")
                        return
                    if not answer:
                        yield _stopped("crash", "")
                        return
                    yield _judgement(answer)
            finally:
                process.kill()

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
