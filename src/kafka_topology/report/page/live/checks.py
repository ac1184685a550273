"""Reads the JSON that `kafka-topology check` writes. What is not understood is counted, never taken for fine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kafka_topology.topology.model.words import counted


class BadCheckFile(ValueError):
    """The file is not a report of record checks; the message says why."""


@dataclass(frozen=True, slots=True)
class Example:
    partition: int | None
    offset: int | None
    fault: str
    key: str | None
    expected: int | None
    partitions: tuple[int, ...] = ()  # all in which a key lies that should be in one


@dataclass(frozen=True, slots=True)
class HotKey:
    key: str
    records: int
    partition: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    check: str
    status: str
    violations: int | None
    outcome: str = ""  # files of earlier versions have none
    unjudged: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)
    partitions: Mapping[int, int] = field(default_factory=dict)  # violations
    examples: tuple[Example, ...] = ()
    cause: str = ""
    fix: str = ""
    reason: str = ""
    notes: tuple[str, ...] = ()
    estimate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedTopic:
    topic: str
    records: int | None
    partitions: Mapping[int, int]  # records
    results: tuple[Result, ...]
    hot_keys: tuple[HotKey, ...] = ()
    unreadable: str = ""
    partial: str = ""  # what the topic holds besides what was read
    gaps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()  # behind open transactions

    @property
    def violations(self) -> int:
        """Those that are not tolerated."""
        return sum(result.violations or 0 for result in self.results if result.outcome != "tolerated")

    @property
    def too_few_judged(self) -> int:
        return sum(result.outcome == "could-not-check" for result in self.results)

    @property
    def not_checked(self) -> int:
        return sum(result.violations is None for result in self.results)

    @property
    def unchecked(self) -> bool:
        """Whether anything was left unchecked: then none found is not fine."""
        return bool(self.unreadable or self.hidden) or not self.results or self.not_checked + self.too_few_judged > 0


@dataclass(frozen=True, slots=True)
class CheckFile:
    topics: tuple[CheckedTopic, ...]
    not_understood: int = 0
    complete: bool = True
    rows: str = ""  # where the violations are as data
    rows_problem: str = ""

    @property
    def violations(self) -> int:
        return sum(topic.violations for topic in self.topics)

    @property
    def not_checked(self) -> int:
        return sum(topic.not_checked for topic in self.topics)

    @property
    def too_few_judged(self) -> int:
        return sum(topic.too_few_judged for topic in self.topics)

    @property
    def is_fine(self) -> bool:
        """Everything was checked, and nothing was found."""
        understood = self.complete and self.topics and not self.not_understood and not self.rows_problem
        return bool(understood) and not any(topic.unchecked for topic in self.topics) and not self.violations


def parse_checks(text: str) -> CheckFile:
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadCheckFile(f"is not JSON: {error}") from error
    if not isinstance(held, dict) or not isinstance(held.get("topics"), list):
        raise BadCheckFile("has no list of topics; expected what `kafka-topology check --format json` writes")
    reader = _Reader()
    topics = tuple(reader.topics(held["topics"]))
    rows, problem = _rows(held.get("violationRows"))
    return CheckFile(topics, reader.not_understood, held.get("complete", True) is True, rows, problem)


def _rows(held: Any) -> tuple[str, str]:
    """Where the violations were written to, and why they are not complete there."""
    if not isinstance(held, dict):
        return "", ""
    count = as_number(held.get("rows")) or 0
    where = f"{as_text(held.get('path'))} ({as_text(held.get('format'))}), run id {as_text(held.get('runId'))}"
    return f"{counted(count, 'row')} in {where}", as_text(held.get("problem"))


class _Reader:
    def __init__(self) -> None:
        self.not_understood = 0

    def topics(self, held: list[Any]) -> Iterator[CheckedTopic]:
        for topic in self._dicts(held):
            name = as_text(topic.get("topic"))
            if not name:
                self.not_understood += 1
                continue
            yield CheckedTopic(
                topic=name,
                records=as_number(topic.get("records")),
                partitions=self._by_partition(topic.get("ranges"), "records"),
                results=tuple(self._results(topic.get("results"))),
                hot_keys=tuple(self._hot_keys(topic.get("hotKeys"))),
                unreadable=as_text(topic.get("unreadable")),
                partial=as_text(topic.get("partial")),
                gaps=tuple(self._gaps(topic.get("ranges"))),
                notes=tuple(filter(None, map(as_text, as_list(topic.get("notes"))))),
                hidden=tuple(self._hidden(topic.get("hidden"))),
            )

    def _results(self, held: Any) -> Iterator[Result]:
        for result in self._dicts(held):
            yield Result(
                check=as_text(result.get("check")) or "unnamed",
                status=as_text(result.get("status")) or "unknown",
                violations=as_number(result.get("violations")),
                outcome=as_text(result.get("outcome")),
                unjudged=as_number(result.get("unjudged")) or 0,
                faults=self._counts(result.get("faults")),
                partitions=self._by_partition(result.get("partitions"), "violations"),
                examples=tuple(self._examples(result.get("examples"))),
                estimate=_estimate(result.get("estimate")),
                cause=as_text(result.get("cause")),
                fix=as_text(result.get("fix", result.get("remediation"))),
                reason=as_text(result.get("reason")),
                notes=tuple(filter(None, map(as_text, as_list(result.get("notes"))))),
            )

    def _examples(self, held: Any) -> Iterator[Example]:
        for example in self._dicts(held):
            yield Example(
                as_number(example.get("partition")),
                as_number(example.get("offset")),
                as_text(example.get("fault")),
                as_text(example.get("key")) if example.get("key") is not None else None,
                as_number(example.get("expectedPartition")),
                tuple(number for each in as_list(example.get("partitions")) if (number := as_number(each)) is not None),
            )

    def _hot_keys(self, held: Any) -> Iterator[HotKey]:
        for hot in self._dicts(held):
            records = as_number(hot.get("records"))
            if records is None:
                self.not_understood += 1
            else:
                key = "null" if hot.get("key") is None else as_text(hot["key"])
                yield HotKey(key, records, as_number(hot.get("partition")))

    def _gaps(self, held: Any) -> Iterator[str]:
        for each in as_list(held):
            gap = each.get("gap") if isinstance(each, dict) else None
            if isinstance(gap, dict):
                partition, start, end = (
                    as_number(each.get("partition")),
                    as_number(gap.get("start")),
                    as_number(gap.get("end")),
                )
                if partition is None or start is None or end is None:
                    self.not_understood += 1
                else:
                    yield f"offsets {start} to {end - 1} of partition {partition} were deleted before they were read"

    def _hidden(self, held: Any) -> Iterator[str]:
        for each in self._dicts(held):
            partition, start, end = (as_number(each.get(name)) for name in ("partition", "start", "end"))
            if partition is None or start is None or end is None:
                self.not_understood += 1
                continue
            said = f"offsets {start} to {end - 1} of partition {partition} are behind an open transaction"
            found = list(self._dicts(each.get("transactions")))
            names = [as_text(one.get("transactionalId")) for one in found]
            hangs = any(one.get("hanging") is True for one in found)
            who = f" of transactional id {names[0]}" if names and names[0] else ""
            yield f"{said}{who}{', which hangs' if hangs else ''}"

    def _by_partition(self, held: Any, what: str) -> Mapping[int, int]:
        found = {}
        for each in self._dicts(held):
            partition, number = as_number(each.get("partition")), as_number(each.get(what))
            if partition is None or number is None:
                self.not_understood += 1
            else:
                found[partition] = number
        return found

    def _counts(self, held: Any) -> Mapping[str, int]:
        if not isinstance(held, dict):
            self.not_understood += held is not None
            return {}
        return {str(name): number for name, count in held.items() if (number := as_number(count)) is not None}

    def _dicts(self, held: Any) -> Iterator[dict[str, Any]]:
        if held is not None and not isinstance(held, list):
            self.not_understood += 1
        for each in as_list(held):
            if isinstance(each, dict):
                yield each
            else:
                self.not_understood += 1


def _estimate(held: Any) -> str:
    if not isinstance(held, dict):
        return ""
    low, high = as_number(held.get("low")), as_number(held.get("high"))
    return "" if low is None or high is None else f"between {low:,} and {high:,} in the whole topic"


def as_list(held: Any) -> list[Any]:
    return held if isinstance(held, list) else []


def as_number(held: Any) -> int | None:
    """A count, an offset or a partition: never negative."""
    return held if isinstance(held, int) and not isinstance(held, bool) and held >= 0 else None


def as_text(held: Any) -> str:
    return held if isinstance(held, str) else "" if held is None else str(held)
