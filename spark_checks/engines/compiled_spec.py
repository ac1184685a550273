"""Tests as the JSON that the jar reads, and which of them it leaves to SQL columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kafka_topology.topology.kafka.partitioners import HashPartitioner

from ..conditions.record import (
    Behind,
    Condition,
    DiffersFromField,
    EmptyKey,
    Era,
    FirstOfKey,
    Framed,
    InFuture,
    IsMoment,
    KeyQuestion,
    Misplaced,
    NoNumber,
    NotOfFormat,
    NotOfType,
    NotTimestampType,
    NullKey,
    NullValue,
    NumberField,
    Older,
    Repeated,
    SameAsBefore,
    SupersededOverdue,
    Tombstone,
    Undetermined,
    Unframed,
)
from ..reading.ranges import Range
from ..results.evidence import LONGEST_FETCHED_KEY
from ..results.scan import HOT_KEY_RECORDS, NOTHING, Wanted

_T = TypeVar("_T")
_KEY_TYPES = frozenset({"none", "int", "long", "uuid", "string", "bytes"})


@dataclass(frozen=True, slots=True)
class Spec:
    """What the jar gets. `left` are the conditions that it does not know: a column computes them before.

    Fields are named once and then by number, so the jar reads each of them once per record.
    """

    tests: list[dict[str, Any]] = field(default_factory=list)
    left: list[Condition] = field(default_factory=list)
    _texts: list[tuple[str, ...]] = field(default_factory=list)
    _numbers: list[NumberField] = field(default_factory=list)

    def text(self, path: tuple[str, ...]) -> int:
        return _index(self._texts, path)

    def number(self, wanted: NumberField) -> int:
        self.text(wanted.path)
        return _index(self._numbers, wanted)

    def to_json(
        self,
        *,
        most_keys: int,
        hot_keys: int,
        wanted: Wanted = NOTHING,
        placing: Misplaced | None = None,
        blocks: Sequence[Range] = (),
    ) -> str:
        """`most_keys` are in memory at once, the others are spilled; `hot_keys` are returned of a partition.

        `placing` is by what the expected partition of a record is given. With `blocks`, only these are read, in their
        order.
        """
        numbers = [{"text": self.text(each.path), "time": each.time} for each in self._numbers]
        texts = [{"path": path} for path in self._texts]
        limits = {
            "mostKeys": most_keys,
            "mostHotKeys": hot_keys,
            "hotKeyRecords": HOT_KEY_RECORDS,
            "longestKey": LONGEST_FETCHED_KEY,
            "wanted": wanted.bits,
            "mostEvidence": wanted.most,
            "placing": None if placing is None else _placing(placing.partitioner, placing.eras),
        }
        judges_json = any(test.get("format") == "json" for test in self.tests)
        asked = {"tests": self.tests, "texts": texts, "numbers": numbers, "judgesJson": judges_json}
        return json.dumps(asked | limits | ({"blocks": _by_partition(blocks)} if blocks else {}))


def keys_json(question: KeyQuestion) -> str:
    """What the jar gets to find out where keys lie."""
    open_to = question.open_to
    skips = isinstance(open_to, HashPartitioner) and open_to.empty_anywhere
    return json.dumps({"eras": _eras(question.eras), "skipsEmpty": skips, "longestKey": LONGEST_FETCHED_KEY})


def spec_of(conditions: Sequence[Condition]) -> Spec:
    spec = Spec()
    for bit, condition in enumerate(conditions):
        described = _described(condition, spec)
        if described is None:
            spec.left.append(condition)
        else:
            spec.tests.append({"bit": bit, "kind": type(condition).__name__, **described})
    return spec


def _described(condition: Condition, spec: Spec) -> dict[str, Any] | None:
    match condition:
        case NullKey() | EmptyKey() | NullValue() | Tombstone():
            return {}
        case Misplaced(HashPartitioner() as partitioner, eras):
            return _placing(partitioner, eras)
        case Undetermined(HashPartitioner() as partitioner):
            return {"partitioner": _partitioner(partitioner)}
        case NotOfType(type_) if type_ in _KEY_TYPES:
            return {"type": type_}
        case DiffersFromField(path):
            return {"text": spec.text(path)}
        case _:
            return _described_by_value(condition, spec)


def _described_by_value(condition: Condition, spec: Spec) -> dict[str, Any] | None:
    match condition:
        case NoNumber(number) | IsMoment(number):
            return {"number": spec.number(number)}
        case NotOfFormat(format_):
            return {"format": format_}
        case Framed() | Unframed():
            return {}
        case _:
            return _described_by_moments(condition, spec)


def _described_by_moments(condition: Condition, spec: Spec) -> dict[str, Any] | None:
    """Conditions on timestamps, and those on the records before."""
    match condition:
        case InFuture(after_ms):
            return {"afterMs": after_ms}
        case NotTimestampType(kind):
            return {"type": kind}
        case FirstOfKey() | SameAsBefore():
            return {}
        case Behind(number, scope) | Repeated(number, scope):
            return {"number": spec.number(number), "scope": scope}
        case Older(scope):
            return {"scope": scope}
        case SupersededOverdue(before_ms):
            return {"beforeMs": before_ms}
        case _:
            return None


def _placing(partitioner: HashPartitioner, eras: Sequence[Era]) -> dict[str, Any]:
    return {"partitioner": _partitioner(partitioner), "eras": _eras(eras)}


def _eras(eras: Sequence[Era]) -> list[dict[str, Any]]:
    return [{"partitions": era.partitions, "untilMs": era.until_ms} for era in eras]


def _by_partition(blocks: Sequence[Range]) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for block in blocks:
        found.setdefault(str(block.partition), []).append((block.start, block.end))
    return found


def _partitioner(partitioner: HashPartitioner) -> dict[str, Any]:
    return {
        "hash": partitioner.hash.value,
        "reduction": partitioner.reduction.value,
        "nullAsEmpty": partitioner.null_as_empty,
        "emptyAnywhere": partitioner.empty_anywhere,
    }


def _index(known: list[_T], wanted: _T) -> int:
    if wanted not in known:
        known.append(wanted)
    return known.index(wanted)
