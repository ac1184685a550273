"""Records that are written with the faults that must be found in them, and how a report is compared with those."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Fault = tuple[str, str]  # the check, and the name of the fault


@dataclass(frozen=True, slots=True)
class Record:
    key: bytes | None
    value: bytes | None
    partition: int = 0
    faults: tuple[Fault, ...] = ()
    headers: tuple[tuple[str, bytes | None], ...] = ()


def found_in(report: Any, *checks: str) -> set[tuple[str, str, int, int]]:
    """What a topic's report names, of these checks or of all."""
    return {
        (each.check, example.fault, example.position.partition, example.position.offset)
        for each in report.results
        for example in each.examples
        if not checks or each.check in checks
    }


def result(report: Any, check_id: str) -> Any:
    return next(each for each in report.results if each.check == check_id)
