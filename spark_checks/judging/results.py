"""From the answers of the scan to the results of the checks: pure, no Spark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from ..conditions.record import FirstOfKey, KeyQuestion, Misplaced, MisplacedByTable, RowTest
from ..planning.cause import expected_partition
from ..planning.check import Fault, Found, PartitionTotal, Seen, Verdict
from ..planning.guarded import CheckFailed, asked_of, explained_by, verdict_of
from ..planning.plan import Plan, Planned
from ..planning.subject import Subject
from ..reading.ranges import Pinned
from ..results.evidence import Evidence, KeyPlaces, SplitKey
from ..results.keys import shown
from ..results.report import CheckResult, Example, HotKeyCount, PartitionCount, Position, ScannedRange
from ..results.scan import Group, Tally
from .limits import NO_LIMITS, Coverage, all_of, limited
from .partial import bounded


@dataclass(frozen=True, slots=True)
class Results:
    """All that is known of a topic after the scan. `keys` comes from a later query.

    `examples` limits how many each result names; keys in them are masked unless `show_keys`.
    """

    subject: Subject
    plan: Plan
    tally: Tally
    keys: KeyPlaces | None = None
    examples: int = 20
    show_keys: bool = False

    def question(self) -> KeyQuestion | None:
        """What some check still has to ask of all keys."""
        for each in self.plan.planned:
            try:
                question = asked_of(each.check, self.subject, self._seen(each))
            except CheckFailed:
                continue  # `sound` says so
            if question is not None:
                return question
        return None

    def sound(self) -> Results:
        """The same, without the checks that fail on these answers: each of them could not be made."""
        failed: dict[str, str] = {}
        for each in self.plan.planned:
            try:
                asked_of(each.check, self.subject, self._seen(each))
                self._result(each)
            except CheckFailed as error:
                failed[each.check.id] = str(error)
        return replace(self, plan=self.plan.without(failed))

    def checks(self, pinned: Pinned, missed: int = 0) -> tuple[CheckResult, ...]:
        """The result of every check that the plan names, in the order of the checks.

        `missed` offsets were deleted before they were read.
        """
        judged = {
            each.check.id: bounded(self._result(each), pinned, missed, with_estimate=each.check.about.estimated)
            for each in self.plan.planned
        }
        found = judged | {result.check: result for result in self.plan.unchecked}
        return tuple(found[check] for check in self.plan.order if check in found)

    def faults(self) -> list[tuple[Planned, Fault]]:
        """Violations that are not about single records, each with its check."""
        verdicts = ((each, verdict_of(each.check, self.subject, self._seen(each))) for each in self.plan.planned)
        return [(each, verdict.fault) for each, verdict in verdicts if verdict.fault is not None]

    def hot_keys(self) -> tuple[HotKeyCount, ...]:
        return tuple(
            HotKeyCount(hot.partition, self._shown(hot.key, len(hot.key)) or "", hot.records)
            for hot in self.tally.hot_keys
        )

    def ranges(self, pinned: Pinned, kept: Mapping[int, int]) -> tuple[ScannedRange, ...]:
        """`kept` is the first offset that each partition still holds after the scan."""
        totals = {total.partition: total for total in self._totals()}
        return tuple(
            ScannedRange(
                part,
                totals[part.partition].records,
                totals[part.partition].bytes,
                min(kept[part.partition], part.end) if kept.get(part.partition, part.start) > part.start else None,
            )
            for part in pinned.ranges
        )

    def _result(self, planned: Planned) -> CheckResult:
        seen = self._seen(planned)
        evidence = planned.violated(self.tally.evidence)
        result = self._concluded(planned, verdict_of(planned.check, self.subject, seen), evidence)
        if not result.violations:
            return result
        found = Found(result.violations, self.tally.records, evidence, seen)
        explained = explained_by(planned.check, self.subject, found)
        return replace(result, cause=explained.cause, fix=explained.fix)

    def _concluded(
        self, planned: Planned, verdict: Verdict, evidence: Sequence[tuple[RowTest, Evidence]]
    ) -> CheckResult:
        """Violations of single records, joined by what the check makes of the numbers."""
        if verdict.open is not None:
            return CheckResult(planned.check.id, "not-checked", reason=verdict.open)
        groups = self.tally.where(planned.bits_of("violation"))
        faults = {name: count for name, count in self._counts(planned, "violation").items() if count}
        counts = _by_partition(groups)
        first, last = _ends(counts)
        examples = self._records(evidence)
        if verdict.fault is not None:
            fault = verdict.fault
            faults[fault.name] = fault.violations
            counts += fault.partitions
            first, last = fault.first or _ends(counts)[0], fault.last or _ends(counts)[1]
            examples += self._split(fault.name, fault.keys)
        coverage = self._coverage(planned).without(verdict.unjudged)
        unjudged = self._unjudged(planned, coverage, verdict.unjudged)
        bounds = dict.fromkeys(filter(None, (planned.tests.bound, verdict.bound, unjudged)))
        result = CheckResult(
            check=planned.check.id,
            status="bounded" if bounds else "exact",
            violations=_records(groups) + (verdict.fault.violations if verdict.fault else 0),
            judged=coverage.judged,
            unjudged=coverage.unjudged,
            exempt=coverage.exempt,
            first=first,
            last=last,
            faults=faults,
            partitions=counts,
            examples=examples[: self.examples],
            metrics=verdict.metrics,
            reason="; ".join(bounds) or None,
            notes=(*planned.tests.notes, *verdict.notes),
        )
        out_of = verdict.out_of
        if out_of is None:
            out_of = all_of(planned.check.about.counts, self.subject.partitions)
        return limited(result, self.subject.topic.checks.get(planned.check.id, NO_LIMITS), out_of)

    def _coverage(self, planned: Planned) -> Coverage:
        violated, exempt = planned.bits_of("violation"), planned.bits_of("exempt")
        left_out = _records(group for group in self.tally.where(exempt) if not group.mask & violated)
        judged = _records(group for group in self.tally.groups if planned.judges(group.mask))
        return Coverage(judged, self.tally.records - left_out - judged, left_out)

    def _unjudged(self, planned: Planned, coverage: Coverage, open_: int) -> str | None:
        """`open_` of them were judged one by one, and then stayed open for a reason that the check gives itself."""
        if not coverage.unjudged:
            return None
        exempt = planned.bits_of("exempt")
        names = [
            test.name
            for test, bit in planned.numbered()
            if test.meaning == "unjudged" and any(not group.mask & exempt for group in self.tally.where(1 << bit))
        ]
        part = f", {coverage.unjudged - open_:,} of them" if open_ and names else ""
        said = f"{part}: {', '.join(names)}" if names else ""
        return f"{coverage.unjudged:,} of {coverage.applicable:,} records could not be judged{said}"

    def _seen(self, planned: Planned) -> Seen:
        violated = planned.bits_of("violation")
        return Seen(
            records=self.tally.records,
            judged=self._coverage(planned).judged,
            counts=self._counts(planned),
            among_judged={
                test.name: _records(group for group in self.tally.where(1 << bit) if planned.judges(group.mask))
                for test, bit in planned.numbered()
            },
            violating=_records(self.tally.where(violated)),
            among_violating={
                test.name: _records(group for group in self.tally.where(1 << bit) if group.mask & violated)
                for test, bit in planned.numbered()
            },
            partitions_with={
                test.name: len({group.partition for group in self.tally.where(1 << bit)})
                for test, bit in planned.numbered()
            },
            partitions=self._totals(),
            distinct_in=self._distinct_in(),
            hot_keys=self.tally.hot_keys,
            keys=self.keys,
        )

    def _counts(self, planned: Planned, meaning: str | None = None) -> dict[str, int]:
        return {
            test.name: _records(self.tally.where(1 << bit))
            for test, bit in planned.numbered()
            if meaning in {None, test.meaning}
        }

    def _totals(self) -> tuple[PartitionTotal, ...]:
        """Every partition, also those without a record."""
        totals = {partition: PartitionTotal(partition) for partition in range(self.subject.partitions)}
        for group in self.tally.groups:
            so_far = totals[group.partition]
            totals[group.partition] = PartitionTotal(
                group.partition,
                so_far.records + group.records,
                so_far.bytes + group.bytes,
                group.first if so_far.first is None else min(so_far.first, group.first),
                group.last if so_far.last is None else max(so_far.last, group.last),
            )
        return tuple(totals.values())

    def _distinct_in(self) -> Mapping[int, int]:
        bits = sum(1 << bit for bit, each in enumerate(self.plan.conditions) if isinstance(each, FirstOfKey))
        keys: Counter[int] = Counter()
        for group in self.tally.where(bits):
            keys[group.partition] += group.records
        return keys

    def _records(self, evidence: Sequence[tuple[RowTest, Evidence]]) -> tuple[Example, ...]:
        return tuple(
            Example(
                Position(record.partition, record.offset),
                test.name,
                self._shown(record.key, record.key_length),
                _expected(test, record),
            )
            for test, record in _spread(evidence, self.examples)
        )

    def _split(self, fault: str, keys: Iterable[SplitKey]) -> tuple[Example, ...]:
        return tuple(
            Example(
                Position(each.partition, each.offset),
                fault,
                self._shown(each.key, each.key_length),
                partitions=each.partitions,
            )
            for each in keys
        )

    def _shown(self, key: bytes | None, length: int | None) -> str | None:
        return shown(key, length, reveal=self.show_keys)


def _place(found: tuple[RowTest, Evidence]) -> tuple[int, int]:
    return found[1].partition, found[1].offset


def _spread(evidence: Iterable[tuple[RowTest, Evidence]], most: int) -> list[tuple[RowTest, Evidence]]:
    """The first of every partition, then the second of every one, and so on: no partition hides the others."""
    turns: Counter[int] = Counter()
    ranked = []
    for each in sorted(evidence, key=_place):
        ranked.append((turns[each[1].partition], each))
        turns[each[1].partition] += 1
    return sorted((each for _, each in sorted(ranked, key=itemgetter(0))[:most]), key=_place)


def _records(groups: Iterable[Group]) -> int:
    return sum(group.records for group in groups)


def _by_partition(groups: Iterable[Group]) -> tuple[PartitionCount, ...]:
    counts: dict[int, PartitionCount] = {}
    for group in groups:
        so_far = counts.get(group.partition, PartitionCount(group.partition, 0, group.first, group.last))
        counts[group.partition] = PartitionCount(
            group.partition,
            so_far.violations + group.records,
            min(so_far.first, group.first),
            max(so_far.last, group.last),
        )
    return tuple(counts[partition] for partition in sorted(counts))


def _ends(counts: Sequence[PartitionCount]) -> tuple[Position | None, Position | None]:
    if not counts:
        return None, None
    return Position(counts[0].partition, counts[0].first), Position(counts[-1].partition, counts[-1].last)


def _expected(test: RowTest, record: Evidence) -> int | None:
    misplaced = test.condition
    return expected_partition(misplaced, record) if isinstance(misplaced, Misplaced | MisplacedByTable) else None
