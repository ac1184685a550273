"""What a check of live records found, as plain values, and the JSON that every other format is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .offsets import Range

Status = Literal["exact", "bounded", "not-checked"]


@dataclass(frozen=True, slots=True, order=True)
class Position:
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Example:
    """One record that breaks the declaration. `key` is masked unless keys were asked for."""

    position: Position
    fault: str
    key: str | None
    expected_partition: int | None = None


@dataclass(frozen=True, slots=True)
class PartitionCount:
    partition: int
    violations: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class CheckResult:
    """`violations` is None when nothing was checked: not checked must never read as none found."""

    check: str
    status: Status
    violations: int | None = None
    unjudged: int = 0
    first: Position | None = None
    last: Position | None = None
    faults: Mapping[str, int] = field(default_factory=dict)
    partitions: tuple[PartitionCount, ...] = ()
    examples: tuple[Example, ...] = ()
    cause: str | None = None
    remediation: str | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScannedRange:
    """What was read of a partition. `deleted_to` is set when retention removed the start while we read."""

    pinned: Range
    records: int
    deleted_to: int | None = None


@dataclass(frozen=True, slots=True)
class TopicReport:
    topic: str
    records: int
    ranges: tuple[ScannedRange, ...]
    results: tuple[CheckResult, ...]
    unreadable: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def violations(self) -> int:
        return sum(result.violations or 0 for result in self.results)


@dataclass(frozen=True, slots=True)
class Report:
    topics: tuple[TopicReport, ...]

    @property
    def violations(self) -> int:
        return sum(topic.violations for topic in self.topics)

    @property
    def unreadable(self) -> tuple[TopicReport, ...]:
        return tuple(topic for topic in self.topics if topic.unreadable is not None)

    def to_json(self) -> dict[str, Any]:
        return {"topics": [_topic(topic) for topic in self.topics]}


def _topic(report: TopicReport) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "topic": report.topic,
        "records": report.records,
        "ranges": [_range(scanned) for scanned in report.ranges],
        "results": [_result(result) for result in report.results],
    }
    if report.unreadable is not None:
        shape["unreadable"] = report.unreadable
    return shape


def _range(scanned: ScannedRange) -> dict[str, Any]:
    pinned = scanned.pinned
    gap = None
    if scanned.deleted_to is not None:
        gap = {"start": pinned.start, "end": scanned.deleted_to}
    return {
        "partition": pinned.partition,
        "start": pinned.start,
        "end": pinned.end,
        "records": scanned.records,
        "gap": gap,
    }


def _result(result: CheckResult) -> dict[str, Any]:
    return {
        "check": result.check,
        "status": result.status,
        "violations": result.violations,
        "unjudged": result.unjudged,
        "first": _position(result.first),
        "last": _position(result.last),
        "faults": dict(result.faults),
        "partitions": [
            {
                "partition": count.partition,
                "violations": count.violations,
                "first": count.first,
                "last": count.last,
            }
            for count in result.partitions
        ],
        "examples": [_example(example) for example in result.examples],
        "cause": result.cause,
        "remediation": result.remediation,
        "reason": result.reason,
        "notes": list(result.notes),
    }


def _example(example: Example) -> dict[str, Any]:
    return {
        "partition": example.position.partition,
        "offset": example.position.offset,
        "fault": example.fault,
        "key": example.key,
        "expectedPartition": example.expected_partition,
    }


def _position(position: Position | None) -> dict[str, int] | None:
    if position is None:
        return None
    return {"partition": position.partition, "offset": position.offset}
