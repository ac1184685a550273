"""Asks checks, which others may have written. One that fails, or answers nonsense, costs itself and nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import get_args

from kafka_topology.topology.model.outside import described, outside_code

from ..conditions.record import Condition, KeyQuestion, Meaning, RowTest
from .check import Check, Explanation, Fault, Found, NotChecked, RowTests, Seen, Verdict
from .subject import Subject

_CONDITIONS = get_args(Condition)
_MEANINGS = get_args(Meaning)


class CheckFailed(Exception):
    """A check raised something or answered nonsense. The message names the check, its package and what it said."""


def asked_by(check: Check, subject: Subject) -> RowTests | NotChecked | None:
    """What the check asks, unless Spark refused it before; that it could not be made, if it fails."""
    reason = subject.refused.get(check.id)
    if reason is not None:
        return NotChecked(reason, unable=True)
    try:
        with outside_code():
            tests = check.tests(subject)
            _expect(_are_tests(tests), tests)
    except Exception as error:  # noqa: BLE001 - the code of a pack may fail in any way
        return NotChecked(_failed(check, "tests", error), unable=True)
    return tests


def asked_of(check: Check, subject: Subject, seen: Seen) -> KeyQuestion | None:
    try:
        with outside_code():
            question = check.asks(subject, seen)
            _expect(question is None or isinstance(question, KeyQuestion), question)
    except Exception as error:
        raise CheckFailed(_failed(check, "asks", error)) from error
    return question


def verdict_of(check: Check, subject: Subject, seen: Seen) -> Verdict:
    try:
        with outside_code():
            verdict = check.verdict(subject, seen)
            _expect(_is_verdict(verdict, seen), verdict)
    except Exception as error:
        raise CheckFailed(_failed(check, "verdict", error)) from error
    return verdict


def explained_by(check: Check, subject: Subject, found: Found) -> Explanation:
    try:
        with outside_code():
            explained = check.explain(subject, found)
            _expect(_is_explanation(explained), explained)
    except Exception as error:
        raise CheckFailed(_failed(check, "explain", error)) from error
    return explained


def _failed(check: Check, method: str, error: Exception) -> str:
    package = type(check).__module__.partition(".")[0]
    return f"check {check.id} of {package} fails in `{method}`: {described(error)}"


def _expect(holds: bool, answer: object) -> None:
    if not holds:
        raise TypeError(f"it returns {answer!r:.200}, which is not what a check returns there")


def _are_tests(tests: object) -> bool:
    match tests:
        case None:
            return True
        case NotChecked():
            return isinstance(tests.reason, str)
        case RowTests():
            rows = tests.rows
            return (
                isinstance(rows, tuple) and all(map(_is_test, rows)) and _is_text(tests.bound) and _texts(tests.notes)
            )
    return False


def _is_test(row: object) -> bool:
    return (
        isinstance(row, RowTest)
        and isinstance(row.name, str)
        and isinstance(row.condition, _CONDITIONS)
        and row.meaning in _MEANINGS
        and isinstance(row.expected, str)
    )


def _is_verdict(verdict: object, seen: Seen) -> bool:
    return (
        isinstance(verdict, Verdict)
        and isinstance(verdict.metrics, Mapping)
        and all(isinstance(name, str) and _is_number(each) for name, each in verdict.metrics.items())
        and (verdict.fault is None or _is_fault(verdict.fault))
        and _is_text(verdict.bound)
        and _is_text(verdict.open)
        and _texts(verdict.notes)
        and isinstance(verdict.unjudged, int)
        and 0 <= verdict.unjudged <= seen.judged
        and (verdict.out_of is None or isinstance(verdict.out_of, int))
    )


def _is_fault(fault: object) -> bool:
    return (
        isinstance(fault, Fault)
        and isinstance(fault.name, str)
        and isinstance(fault.violations, int)
        and fault.violations >= 0
        and isinstance(fault.partitions, tuple)
        and isinstance(fault.keys, tuple)
        and isinstance(fault.expected, str)
    )


def _is_explanation(explained: object) -> bool:
    return isinstance(explained, Explanation) and _is_text(explained.cause) and isinstance(explained.fix, str)


def _is_number(each: object) -> bool:
    return isinstance(each, int | float) and math.isfinite(each)


def _is_text(text: object) -> bool:
    return text is None or isinstance(text, str)


def _texts(notes: Iterable[object]) -> bool:
    return isinstance(notes, tuple) and all(isinstance(note, str) for note in notes)
