"""Records spread over the partitions, and no key is so frequent that its partition cannot keep up."""

from __future__ import annotations

from typing import Final

from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS, KEYLESS_PARTITIONERS

from ..planning.check import (
    About,
    Check,
    Explanation,
    Fault,
    Found,
    NotChecked,
    PartitionTotal,
    RowTests,
    Seen,
    Verdict,
)
from ..planning.subject import Subject
from ..results.report import Number, PartitionCount

FACTOR: Final = 3  # times what the other partitions hold on average
FEWEST_RECORDS: Final = 1000  # of a topic; a few records spread by chance only
FEWEST_IN_PARTITION: Final = 100  # of a partition that is called too full
_SPREADING: Final = frozenset((*HASH_PARTITIONERS, *KEYLESS_PARTITIONERS))


class Skew(Check):
    """A partition is too full when it holds more than three times what the others hold on average."""

    about = About(
        id="skew",
        order=110,
        summary="Records spread evenly over the partitions.",
        why="One reader gets most of the work while others wait.",
        needs="two or more partitions",
        violation=(
            "a partition with more than three times what the others hold on average, and at least 100, in topics of at"
            " least 1,000 records whose partitioner should spread them"
        ),
        declared_at=("partitions",),
        counts="partition",
        estimated=False,
        metrics={
            "meanRecords": "records per partition on average",
            "maxRecords": "records of the fullest partition",
            "maxToMean": "the fullest partition in relation to the average",
            "maxBytes": "bytes of keys and values in the partition with most of them",
            "emptyPartitions": "partitions without a record",
            "hotKeyShare": "records of the most frequent key as a share of all, 0 to 1; 0 when no key is hot",
        },
    )

    def tests(self, subject: Subject) -> RowTests | NotChecked:
        if subject.partitions < 2:
            return NotChecked("the topic has one partition")
        return RowTests((), hot_keys=subject.is_keyed)

    def verdict(self, subject: Subject, seen: Seen) -> Verdict:
        if subject.unseen is not None:
            # What was not read may be what makes the partitions even.
            return Verdict(open=f"partitions are compared only if all of them were read in full: {subject.unseen}")
        mean = seen.records / subject.partitions
        fullest = max((total.records for total in seen.partitions), default=0)
        metrics: dict[str, Number] = {
            "meanRecords": round(mean, 1),
            "maxRecords": fullest,
            "maxToMean": round(fullest / mean, 2) if mean else 0.0,
            "maxBytes": max((total.bytes for total in seen.partitions), default=0),
            "emptyPartitions": sum(not total.records for total in seen.partitions),
            "hotKeyShare": round(_share_of_hottest(seen), 4),
        }
        if seen.records < FEWEST_RECORDS:
            return Verdict(metrics, notes=(f"too few records to judge: {FEWEST_RECORDS:,} are needed",))
        note = f"the fullest partition holds {_compared(fullest, seen)}"
        too_full = _too_full(seen)
        key = subject.key
        if too_full and (key is None or not subject.is_keyed or key.partitioner.name not in _SPREADING):
            return Verdict(metrics, notes=(note, "not a violation: nothing declared promises an even spread"))
        if not too_full:
            return Verdict(metrics, notes=(note,))
        counts = tuple(PartitionCount(each.partition, 1, each.first or 0, each.last or 0) for each in too_full)
        most = f"at most {FACTOR} times what the other partitions hold on average"
        fault = Fault("partition too full", len(counts), counts, expected=most)
        return Verdict(metrics, fault, notes=(note,))

    def explain(self, subject: Subject, found: Found) -> Explanation:
        too_full = {total.partition: total for total in _too_full(found.seen)}
        hottest = max(
            (key for key in found.seen.hot_keys if key.partition in too_full),
            key=lambda key: key.records,
            default=None,
        )
        if hottest is not None and 2 * hottest.records > too_full[hottest.partition].records:
            share = hottest.records / too_full[hottest.partition].records
            return Explanation(
                f"one key has {share:.0%} of the records of partition {hottest.partition}",
                "choose a finer key, or give that key a topic of its own; more partitions do not help",
            )
        empty = sum(not total.records for total in found.seen.partitions)
        idle = f"; {empty:,} of {subject.partitions:,} partitions are empty" if empty else ""
        return Explanation(
            f"few keys, keys of very different weight, or a producer that sets the partition itself{idle}",
            "look at the hot keys and at placement; a key with more values spreads better",
        )


CHECK = Skew()


def _compared(fullest: int, seen: Seen) -> str:
    """By the same number as the rule."""
    others = seen.records - fullest
    if not others:
        return "all records"
    return f"{fullest * (len(seen.partitions) - 1) / others:.1f} times what the others hold on average"


def _too_full(seen: Seen) -> list[PartitionTotal]:
    others = len(seen.partitions) - 1
    return [
        total
        for total in seen.partitions
        if total.records >= FEWEST_IN_PARTITION and total.records * others > FACTOR * (seen.records - total.records)
    ]


def _share_of_hottest(seen: Seen) -> float:
    return max((key.records for key in seen.hot_keys), default=0) / seen.records if seen.records else 0.0
