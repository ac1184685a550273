"""What a check of live records found, as plain values, and the JSON that every other format is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ..reading.hidden import Hidden
from ..reading.ranges import Range, Sampled
from ..reading.state import State
from .hidden_json import hidden_json
from .written import Written, written_json

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Status = Literal["exact", "bounded", "not-checked"]
Outcome = Literal["passed", "tolerated", "violated", "could-not-check", "not-checked"]
Number = int | float
VERSION = 1  # of the JSON, which `report.schema.json` describes


@dataclass(frozen=True, slots=True, order=True)
class Position:
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Example:
    """One record that breaks the declaration. `key` is masked unless keys were asked for.

    `expected_partition` is where a misplaced record belongs. `partitions` are those in which a key lies that should be
    in one; the position is then that of its first record.
    """

    position: Position
    fault: str
    key: str | None
    expected_partition: int | None = None
    partitions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PartitionCount:
    partition: int
    violations: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """Violations in the whole, guessed from a sample: between `low` and `high` with this confidence."""

    violations: int
    low: int
    high: int
    confidence: float


@dataclass(frozen=True, slots=True)
class CheckResult:
    """`violations` is None when nothing was checked: not checked must never read as none found.

    Most checks count records; what another one counts is in its `About`, and so is what its `metrics` mean.
    `first` and `last` are the ends of what is violated, by partition and offset; a whole topic has no place.

    Every record is `judged`, `unjudged` (the check applies to it but cannot decide) or `exempt` (the check does not
    apply). `unable`: the check applies, but cannot be made, for the `reason`. `too_few_judged` and `tolerated` say how
    the numbers compare with the declared limits, which are shares from 0 to 1.
    """

    check: str
    status: Status
    violations: int | None = None
    judged: int = 0
    unjudged: int = 0
    exempt: int = 0
    first: Position | None = None
    last: Position | None = None
    faults: Mapping[str, int] = field(default_factory=dict)
    partitions: tuple[PartitionCount, ...] = ()
    examples: tuple[Example, ...] = ()
    cause: str | None = None
    fix: str | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    metrics: Mapping[str, Number] = field(default_factory=dict)
    estimate: Estimate | None = None
    unable: bool = False
    too_few_judged: bool = False
    tolerated: bool = False
    max_violations: float = 0.0
    min_judged: float = 1.0

    @property
    def outcome(self) -> Outcome:
        """What follows from it. A violation is certain, however few records were judged."""
        if self.violations and not self.tolerated:
            return "violated"
        if self.too_few_judged or self.unable:
            return "could-not-check"
        if self.status == "not-checked":
            return "not-checked"
        return "tolerated" if self.violations else "passed"


@dataclass(frozen=True, slots=True)
class HotKeyCount:
    """One of the most frequent keys of a partition. `key` is masked unless keys were asked for."""

    partition: int
    key: str
    records: int


@dataclass(frozen=True, slots=True)
class ScannedRange:
    """What was read of a partition. `deleted_to` is set when retention removed the start before it was read.

    `bytes` are those of keys and values, before compression.
    """

    pinned: Range
    records: int
    bytes: int = 0
    deleted_to: int | None = None


@dataclass(frozen=True, slots=True)
class TopicReport:
    topic: str
    records: int
    ranges: tuple[ScannedRange, ...]
    results: tuple[CheckResult, ...]
    unreadable: str | None = None
    partial: str | None = None  # what the topic holds besides what was read
    sample: Sampled | None = None
    hot_keys: tuple[HotKeyCount, ...] = ()
    notes: tuple[str, ...] = ()
    hidden: tuple[Hidden, ...] = ()  # behind open transactions
    empty: str | None = None  # why no record was read
    missed: int = 0  # offsets that were deleted after the check before this one, and before this one read them

    @property
    def violations(self) -> int:
        return sum(result.violations or 0 for result in self.results)

    @property
    def hanging(self) -> int:
        """Transactions that nobody will end."""
        return len({each.producer_id for hidden in self.hidden for each in hidden.hanging})

    def having(self, outcome: Outcome) -> tuple[CheckResult, ...]:
        return tuple(result for result in self.results if result.outcome == outcome)


class Rows(Protocol):
    """Violations as data. `run_id` is in each row and tells this report's from those of others."""

    @property
    def run_id(self) -> str: ...

    def refuse_others(self) -> None:
        """Raises `TopicReplaced` if another topic has the name of one of the topics by now."""

    def frame(self, spark: SparkSession) -> DataFrame: ...


@dataclass(frozen=True, slots=True)
class Report:
    """`complete` is False when the check was interrupted. `state` is where the next incremental check continues.

    `rows` reads the violations again, `written` says where they were written to.
    """

    topics: tuple[TopicReport, ...]
    complete: bool = True
    state: State | None = field(default=None, compare=False)
    rows: Rows | None = field(default=None, compare=False, repr=False)
    written: Written | None = None

    @property
    def violation_count(self) -> int:
        return sum(topic.violations for topic in self.topics)

    def violations(self, spark: SparkSession) -> DataFrame:
        """Every violation that the report counts as a row; `rows/columns.py` has the columns.

        Each action on the frame reads the topics with violations again, at the offsets of the check. Raises ValueError
        for a report that was not made in this process, and `TopicReplaced` if a topic was deleted and created again
        since then. An action that you start later does not look again.
        """
        if self.rows is None:
            raise ValueError("this report cannot read its records again: only the one that `check` returned can")
        return self.rows.frame(spark)

    def having(self, outcome: Outcome) -> tuple[CheckResult, ...]:
        return tuple(result for topic in self.topics for result in topic.having(outcome))

    @property
    def unreadable(self) -> tuple[TopicReport, ...]:
        return tuple(topic for topic in self.topics if topic.unreadable is not None)

    @property
    def hidden(self) -> tuple[TopicReport, ...]:
        """Topics with records that open transactions hide."""
        return tuple(topic for topic in self.topics if topic.hidden)

    @property
    def missed(self) -> tuple[TopicReport, ...]:
        """Topics with records that were deleted between two incremental checks."""
        return tuple(topic for topic in self.topics if topic.missed)

    @property
    def empty(self) -> tuple[TopicReport, ...]:
        """Topics of which no record was read, without those that could not be read."""
        return tuple(topic for topic in self.topics if topic.empty is not None and topic.unreadable is None)

    @property
    def hanging(self) -> int:
        return sum(topic.hanging for topic in self.topics)

    @property
    def failing(self) -> bool:
        """Whether something is certainly wrong, and not tolerated."""
        return bool(self.having("violated") or self.hanging)

    @property
    def unchecked(self) -> bool:
        """Whether something that should have been checked was not."""
        lost = self.written is not None and self.written.problem is not None
        seen = not (self.unreadable or self.hidden or self.missed or self.having("could-not-check"))
        return not self.complete or not seen or lost

    def to_json(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "complete": self.complete,
            "violationRows": written_json(self.written),
            "topics": [_topic(topic) for topic in self.topics],
        }


def _topic(report: TopicReport) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "topic": report.topic,
        "records": report.records,
        "partial": report.partial,
        "sample": _sample(report.sample, report.ranges),
        "ranges": [_range(scanned) for scanned in report.ranges],
        "hotKeys": [asdict(hot) for hot in report.hot_keys],
        "results": [_result(result) for result in report.results],
        "notes": list(report.notes),
        "hidden": [hidden_json(hidden) for hidden in report.hidden],
        "empty": report.empty,
        "missed": report.missed,
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
        "bytes": scanned.bytes,
        "gap": gap,
    }


def _result(result: CheckResult) -> dict[str, Any]:
    return {
        "check": result.check,
        "status": result.status,
        "outcome": result.outcome,
        "violations": result.violations,
        "judged": result.judged,
        "unjudged": result.unjudged,
        "exempt": result.exempt,
        "limits": {"maxViolations": result.max_violations, "minJudged": result.min_judged},
        "first": _or_none(result.first),
        "last": _or_none(result.last),
        "faults": dict(result.faults),
        "partitions": [asdict(count) for count in result.partitions],
        "examples": [_example(example) for example in result.examples],
        "cause": result.cause,
        "fix": result.fix,
        "remediation": result.fix,  # the old name, for one release
        "metrics": dict(result.metrics),
        "reason": result.reason,
        "notes": list(result.notes),
        "estimate": _or_none(result.estimate),
    }


def _sample(sample: Sampled | None, ranges: tuple[ScannedRange, ...]) -> dict[str, Any] | None:
    if sample is None:
        return None
    whole = sum(scanned.pinned.offsets for scanned in ranges)
    return {
        "share": sample.share,
        "seed": sample.seed,
        "blocks": sum(stratum.drawn for stratum in sample.strata),
        "offsetsRead": sample.offsets,
        "offsetsNotRead": whole - sample.offsets,
    }


def _example(example: Example) -> dict[str, Any]:
    return {
        **asdict(example.position),
        "fault": example.fault,
        "key": example.key,
        "expectedPartition": example.expected_partition,
        "partitions": list(example.partitions),
    }


def _or_none(part: Position | Estimate | None) -> dict[str, Any] | None:
    return None if part is None else asdict(part)
