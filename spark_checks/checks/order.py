"""Records of a key, or of the topic, are in the order of a field of the value or of their timestamps."""

from __future__ import annotations

from typing import Final

from ..conditions.record import (
    Behind,
    IsMoment,
    NoNumber,
    NullKey,
    NullValue,
    NumberField,
    Older,
    Repeated,
    RowTest,
    Scope,
)
from ..planning.check import About, Check, Explanation, Found, NotChecked, RowTests, Seen, Verdict
from ..planning.fields import readable_path
from ..planning.subject import Subject

BY_RECORD_TIME: Final = "judged by the records' own timestamps"
_GOES_BACK: Final = " goes back"
_NULL_KEY = RowTest("null key", NullKey(), "exempt")
_NULL_VALUE = RowTest("null value", NullValue(), "exempt")
_TEXTS: Final = "timestamps as text"


class Order(Check):
    about = About(
        id="order",
        order=70,
        summary="Records of a key, or of the topic, are in the order of their sequence or time.",
        why="The last record read is not the latest state.",
        needs="`ordering` other than `none`",
        violation=(
            "a record behind an earlier one of its key (or of the topic) by `value.sequence` or `value.timestamp`;"
            " a sequence number twice"
        ),
        declared_at=("ordering",),
        estimated=False,
    )

    def tests(self, subject: Subject) -> RowTests | NotChecked | None:
        match subject.topic.ordering:
            case "none":
                return None
            case "total":
                if subject.partitions > 1:
                    return NotChecked(
                        f"total order needs one partition, the topic has {subject.partitions}:"
                        " records of different partitions have no order"
                    )
                return _tests(subject, "partition")
            case "per-key":
                if not subject.is_keyed:
                    return NotChecked("order per key needs a key, the topology declares none")
                return _tests(subject, "key")

    def verdict(self, subject: Subject, seen: Seen) -> Verdict:  # noqa: ARG002 - the base class's signature
        """Text and numbers have no common unit: each is compared with its own kind, and the fewer of both stay open.

        Those of them that go back among their own kind are violations, whatever the others say.
        """
        texts = seen.among_judged.get(_TEXTS, 0)
        numbers = seen.judged - texts
        if not texts or not numbers:
            return Verdict()
        mixed = f"{texts:,} timestamps are text and {numbers:,} are numbers of an unknown unit"
        wrong = seen.among_violating.get(_TEXTS, 0)
        left = texts - wrong if texts <= numbers else numbers - (seen.violating - wrong)
        return Verdict(unjudged=left, bound=mixed)

    def explain(self, subject: Subject, found: Found) -> Explanation:
        what = "key" if subject.topic.ordering == "per-key" else "topic"
        if not any(count for name, count in found.seen.counts.items() if name.endswith(_GOES_BACK)):
            return Explanation(
                "records written twice: a producer that retries without idempotence, or repeats its work after a crash",
                "set enable.idempotence=true, and write with transactions where work may be repeated",
            )
        return Explanation(
            f"several producers write the same {what}, or one that retries without idempotence;"
            " after a record that is far ahead, all that follow count as going back",
            f"let one producer write each {what}, with enable.idempotence=true",
        )


CHECK = Order()


def _tests(subject: Subject, scope: Scope) -> RowTests:
    value = subject.topic.value
    exempt = (_NULL_KEY,) if scope == "key" else ()
    field = None if value is None else value.sequence or value.timestamp
    if value is None or field is None:
        return _by_record_time(scope, exempt, "the value declares no `sequence` and no `timestamp`")
    path = readable_path(subject, field)
    if isinstance(path, NotChecked):
        return _by_record_time(scope, exempt, path.reason)
    number = NumberField(path, time=value.sequence is None)
    rows = [RowTest(field + _GOES_BACK, Behind(number, scope), expected=_not_below(field, scope))]
    if value.sequence is not None:
        # Two events of one key may well happen at the same moment, but have no place in a sequence twice.
        again = f"{field} above that of every earlier record of the {scope}"
        rows.append(RowTest(f"{field} repeated", Repeated(number, scope), expected=again))
    else:
        rows.append(RowTest(_TEXTS, IsMoment(number), "counted"))
    rows.append(RowTest(f"no {field}", NoNumber(number), "unjudged"))
    # A tombstone has no fields.
    return RowTests((*rows, _NULL_VALUE, *exempt), bound=subject.unseen)


def _by_record_time(scope: Scope, exempt: tuple[RowTest, ...], reason: str) -> RowTests:
    older = RowTest("timestamp" + _GOES_BACK, Older(scope), expected=_not_below("timestamp", scope))
    return RowTests((older, *exempt), bound=f"{reason}: {BY_RECORD_TIME}")


def _not_below(field: str, scope: Scope) -> str:
    return f"{field} not below that of an earlier record of the {scope}"
