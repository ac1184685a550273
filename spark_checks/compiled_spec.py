"""Tests as the JSON that the jar reads, and which of them it leaves to SQL columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .columns import json_path
from .conditions import (
    Behind,
    Condition,
    DiffersFromField,
    EmptyKey,
    FirstOfKey,
    InFuture,
    Misplaced,
    NoNumber,
    NotOfType,
    NotTimestampType,
    NullKey,
    NumberField,
    Older,
    Repeated,
    RowTest,
    SameAsBefore,
    SupersedesOverdue,
    Tombstone,
    Undetermined,
)
from .partitioners import HashPartitioner

_T = TypeVar("_T")
_KEY_TYPES = frozenset({"none", "int", "long", "uuid", "string", "bytes"})


@dataclass(slots=True)
class Spec:
    """Fields are named once and then by number, so that the jar reads each of them once per record."""

    tests: list[dict[str, Any]] = field(default_factory=list)
    left: set[int] = field(default_factory=set)
    _texts: list[tuple[str, ...]] = field(default_factory=list)
    _numbers: list[NumberField] = field(default_factory=list)

    def text(self, path: tuple[str, ...]) -> int:
        return _index(self._texts, path)

    def number(self, wanted: NumberField) -> int:
        self.text(wanted.path)
        return _index(self._numbers, wanted)

    def to_json(self, *, most_keys: int, most_hot_keys: int, hot_key_records: int) -> str:
        numbers = [{"text": self.text(each.path), "time": each.time} for each in self._numbers]
        texts = [{"path": path, "json": json_path(path)} for path in self._texts]
        limits = {"mostKeys": most_keys, "mostHotKeys": most_hot_keys, "hotKeyRecords": hot_key_records}
        return json.dumps({"tests": self.tests, "texts": texts, "numbers": numbers, **limits})


def spec_of(tests: Sequence[RowTest], columns: Sequence[str]) -> Spec:
    """`left` are the bits of the tests that the jar does not know: those are computed as a column."""
    spec = Spec()
    for bit, test in enumerate(tests):
        # Keys that are not text are compared by the column `key_text`, which the jar does not read.
        by_column = isinstance(test.condition, DiffersFromField) and "key_text" in columns
        described = None if by_column else _described(test.condition, spec)
        if described is None:
            spec.left.add(bit)
        else:
            spec.tests.append({"bit": bit, "kind": type(test.condition).__name__, **described})
    return spec


def _described(condition: Condition, spec: Spec) -> dict[str, Any] | None:
    match condition:
        case NullKey() | EmptyKey() | Tombstone():
            return {}
        case Misplaced(HashPartitioner() as partitioner, eras):
            known = [{"partitions": era.partitions, "untilMs": era.until_ms} for era in eras]
            return {"partitioner": _partitioner(partitioner), "eras": known}
        case Undetermined(HashPartitioner() as partitioner):
            return {"partitioner": _partitioner(partitioner)}
        case NotOfType(type_) if type_ in _KEY_TYPES:
            return {"type": type_}
        case DiffersFromField(path):
            return {"text": spec.text(path)}
        case NoNumber(number):
            return {"number": spec.number(number)}
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
        case SupersedesOverdue(before_ms):
            return {"beforeMs": before_ms}
        case _:
            return None


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
