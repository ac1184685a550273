"""Each record lies in the partition that its key belongs to."""

from __future__ import annotations

from ..cause import likely_cause
from ..conditions import Era, Misplaced, RowTest, Undetermined
from ..partitioners import HASH_PARTITIONERS, KEYLESS_PARTITIONERS
from .base import Explanation, Found, NotChecked, RowCheck, RowTests, Subject


class Placement(RowCheck):
    id = "placement"

    def tests(self, subject: Subject) -> RowTests | NotChecked:
        key = subject.key
        if key is None or key.type == "none":
            return NotChecked("the topology declares no key, so no partition follows from one")
        name = key.partitioner.name
        if name in KEYLESS_PARTITIONERS:
            return NotChecked(f"partitioner {name} ties no key to a partition")
        partitioner = HASH_PARTITIONERS.get(name)
        if partitioner is None:
            known = ", ".join(HASH_PARTITIONERS)
            return NotChecked(f"partitioner {name} cannot be recomputed here; known are {known}")
        return RowTests(
            (
                RowTest("misplaced", Misplaced(partitioner, eras_of(subject))),
                RowTest("undetermined", Undetermined(partitioner), "unjudged"),
            ),
            notes=_notes(subject),
        )

    def explain(self, subject: Subject, found: Found) -> Explanation:
        tests = self.tests(subject)
        assert isinstance(tests, RowTests)  # noqa: S101 - only what was tested is explained
        misplaced = tests.rows[0].condition
        assert isinstance(misplaced, Misplaced)  # noqa: S101
        cause = likely_cause(
            misplaced,
            [record for _, record in found.evidence],
            violations=found.violations,
            records=found.records,
        )
        return Explanation(cause.text, cause.remediation)


def eras_of(subject: Subject) -> tuple[Era, ...]:
    """Earlier partition counts, oldest first, then the live one."""
    assert subject.key is not None  # noqa: S101 - asked for keyed topics only
    past = sorted(subject.key.history, key=lambda era: era.until)
    until = (Era(era.partitions, int(era.until.timestamp() * 1000)) for era in past)
    return (*until, Era(subject.partitions))


def _notes(subject: Subject) -> tuple[str, ...]:
    declared = subject.topic.partitions
    if declared == subject.partitions:
        return ()
    return (f"the topic has {subject.partitions} partitions, {declared} are declared: judged by the live count",)
