"""There are about as many keys as declared, and enough for all partitions."""

from __future__ import annotations

from typing import Final

from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS
from kafka_topology.topology.model.words import agreeing, counted

from ..conditions.record import EmptyKey, FirstOfKey, NullKey, RowTest
from ..conditions.tables import ExpressionTable
from ..planning.check import About, Check, Explanation, Fault, Found, RowTests, Seen, Verdict
from ..planning.placing import eras_of
from ..planning.subject import Subject
from ..results.report import Number

FACTOR: Final = 2  # `key.distinct` is a rough number
FEWEST_RECORDS: Final = 1000  # a young topic has not seen all its keys
_FIRST, _EMPTY = "first of its key", "empty key"
_MANY, _FEW = "number of keys above key.distinct", "number of keys below the partitions"


class Cardinality(Check):
    about = About(
        id="cardinality",
        order=120,
        summary="The number of distinct keys is about as declared, and at least that of the partitions.",
        why="Partitions without keys stand idle.",
        needs="a key",
        violation=(
            "more than twice as many keys as `key.distinct`, or fewer keys than partitions in a topic of at least 1,000"
            " records"
        ),
        declared_at=("key", "distinct"),
        counts="topic",
        estimated=False,
        metrics={
            "distinctKeys": "keys, at most",
            "distinctKeysAtLeast": "keys, at least: less than the other only if a key may lie in several partitions",
        },
    )

    def tests(self, subject: Subject) -> RowTests | None:
        if not subject.is_keyed:
            return None
        rows = (RowTest(_FIRST, FirstOfKey(), "counted"), RowTest(_EMPTY, EmptyKey(), "counted"))
        return RowTests((*rows, RowTest("null key", NullKey(), "exempt")), bound=subject.unseen)

    def verdict(self, subject: Subject, seen: Seen) -> Verdict:
        fewest, most = _between(subject, seen)
        metrics: dict[str, Number] = {"distinctKeys": most, "distinctKeysAtLeast": fewest}
        bound = None
        said = counted(most, "distinct key")
        if fewest != most:
            said = f"{fewest:,} to {most:,} distinct keys"
            bound = "a key that is in several partitions was counted in each"
        fault = _fault(subject, seen, fewest, most)
        return Verdict(metrics, _as_fault(subject, fault), bound=bound, notes=(said,))

    def explain(self, subject: Subject, found: Found) -> Explanation:
        assert subject.key is not None  # noqa: S101 - only what was tested is explained
        fewest, most = _between(subject, found.seen)
        if _fault(subject, found.seen, fewest, most) == _MANY:
            return Explanation(
                f"at least {counted(fewest, 'key')}, {subject.key.distinct:,} declared:"
                " keys of another kind, or the topic has grown",
                "correct `key.distinct`, and what was sized by it: state stores, compacted topics, partitions",
            )
        return Explanation(
            f"{counted(most, 'key')} over {counted(subject.partitions, 'partition')}"
            f" {agreeing(most, 'leaves', 'leave')} at least {counted(subject.partitions - most, 'partition')}"
            " without records, and their consumers idle",
            "choose a key with more values, or fewer partitions for the next topic",
        )


CHECK = Cardinality()


def _fault(subject: Subject, seen: Seen, fewest: int, most: int) -> str | None:
    assert subject.key is not None  # noqa: S101 - keyed topics only
    declared = subject.key.distinct
    if declared is not None and fewest > FACTOR * declared:
        return _MANY
    spreads = subject.key.partitioner.name in HASH_PARTITIONERS
    # Among the records that were not read there may be more keys, never fewer.
    certain = subject.unseen is None and seen.records >= FEWEST_RECORDS
    return _FEW if spreads and certain and most < subject.partitions else None


def _as_fault(subject: Subject, name: str | None) -> Fault | None:
    assert subject.key is not None  # noqa: S101 - keyed topics only
    if name is None:
        return None
    few = f"at least {counted(subject.partitions, 'key')}, one for each partition"
    many = f"at most {FACTOR} times key.distinct ({subject.key.distinct})"
    return Fault(name, 1, expected=few if name == _FEW else many)


def _between(subject: Subject, seen: Seen) -> tuple[int, int]:
    """The fewest and the most keys there can be."""
    assert subject.key is not None  # noqa: S101 - keyed topics only
    # Counted in each partition. The empty key is one, however many partitions it is in: partitioners spread it.
    elsewhere = max(seen.partitions_with.get(_EMPTY, 0) - 1, 0)
    most = seen.counts[_FIRST] - elsewhere
    if seen.keys is not None:
        # Those that the partitioner ties nowhere are not among the keys that were asked for.
        open_to = seen.keys.open_to
        if isinstance(open_to, ExpressionTable):
            return seen.keys.keys, max(seen.keys.keys, most)
        left_out = open_to is not None and open_to.empty_anywhere and seen.counts.get(_EMPTY, 0) > 0
        return seen.keys.keys + left_out, seen.keys.keys + left_out
    # Nothing was found in two places, or single-partition would have asked; older eras placed keys elsewhere, though.
    if subject.key.partitioner.name in HASH_PARTITIONERS and len(eras_of(subject)) == 1:
        return most, most
    return max(seen.distinct_in.values(), default=0), most
