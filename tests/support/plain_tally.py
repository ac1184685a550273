"""What the conditions mean, in plain Python over a list of records: both engines are held against it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from kafka_topology.spark_checks.conditions import record as c
from kafka_topology.spark_checks.results.scan import HOT_KEY_RECORDS, HOT_KEYS, Group, HotKey, Tally


@dataclass(frozen=True, slots=True)
class Record:
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    timestamp_ms: int = 0
    timestamp_type: int = 0


@dataclass(slots=True)
class _Before:
    """What came before in one partition, or of one key in it."""

    records: int = 0
    last: Record | None = None
    newest: int | None = None
    largest: dict[c.NumberField, int] = field(default_factory=dict)

    def add(self, record: Record, numbers: Mapping[c.NumberField, int | None]) -> None:
        self.records += 1
        self.last = record
        self.newest = max(record.timestamp_ms, record.timestamp_ms if self.newest is None else self.newest)
        for wanted, number in numbers.items():
            if number is not None:
                self.largest[wanted] = max(number, self.largest.get(wanted, number))


def plain_tally(records: Iterable[Record], conditions: Sequence[c.Condition]) -> Tally:
    fields = {each.field for each in conditions if isinstance(each, c.Behind | c.Repeated)}
    groups: dict[tuple[int, int], Group] = {}
    partitions: dict[int, _Before] = defaultdict(_Before)
    keys: dict[tuple[int, bytes], _Before] = defaultdict(_Before)
    for record in sorted(records, key=lambda each: (each.partition, each.offset)):
        of_key = _Before() if record.key is None else keys[record.partition, record.key]
        before = partitions[record.partition]
        mask = sum(1 << bit for bit, each in enumerate(conditions) if holds(each, record, before, of_key))
        size = len(record.key or b"") + len(record.value or b"")
        known = groups.get((record.partition, mask), Group(record.partition, mask, 0, record.offset, 0, 0))
        groups[record.partition, mask] = Group(
            record.partition, mask, known.records + 1, known.first, record.offset, known.bytes + size
        )
        numbers = {wanted: number_of(record, wanted) for wanted in fields}
        before.add(record, numbers)
        of_key.add(record, numbers)
    return Tally(tuple(groups.values()), tuple(_hot(keys)))


def holds(  # noqa: C901 - a case per condition
    condition: c.Condition, record: Record, before: _Before, of_key: _Before
) -> bool:
    if isinstance(condition, c.Stateful):
        return _holds_given(condition, record, before, of_key)
    key, value = record.key, record.value
    match condition:
        case c.Misplaced(partitioner, eras):
            later = (era for era in eras if era.until_ms is None or record.timestamp_ms < era.until_ms)
            place = partitioner.partition(key, next(later).partitions)
            return isinstance(place, int) and place != record.partition
        case c.Undetermined(partitioner):
            return not isinstance(partitioner.partition(key, 1), int)
        case c.NullKey():
            return key is None
        case c.EmptyKey():
            return key == b""
        case c.Tombstone():
            return value is None and key is not None
        case c.NotOfType():
            return key is not None and not _is_of_type(key, condition)
        case c.NotOfFormat() | c.Framed() | c.Unframed():
            return value is not None and _holds_of_value(condition, value)
        case c.DiffersFromField(path):
            return key is not None and value is not None and text_of(record, path) != key
        case c.NoNumber(wanted):
            return number_of(record, wanted) is None
        case c.InFuture(after_ms):
            return record.timestamp_ms > after_ms
        case c.NotTimestampType(kind):
            return record.timestamp_type != kind
    raise NotImplementedError(condition)


def _holds_of_value(condition: c.NotOfFormat | c.Framed | c.Unframed, value: bytes) -> bool:
    framed = len(value) >= 5 and value[0] == 0
    match condition:
        case c.Framed():
            return framed
        case c.Unframed():
            return not framed
        case c.NotOfFormat("json"):
            return not framed and not _reads(json.loads, value)
        case _:
            return not _reads(str, value)


def _reads(read: Callable[[str], object], value: bytes) -> bool:
    try:
        read(value.decode())
    except ValueError:
        return False
    return True


def _holds_given(condition: c.Stateful, record: Record, before: _Before, of_key: _Before) -> bool:
    last = of_key.last
    match condition:
        case c.FirstOfKey():
            return record.key is not None and last is None
        case c.Behind(wanted, scope) | c.Repeated(wanted, scope):
            number = number_of(record, wanted)
            largest = (of_key if scope == "key" else before).largest.get(wanted)
            if number is None or largest is None:
                return False
            return number < largest if isinstance(condition, c.Behind) else number == largest
        case c.Older(scope):
            newest = (of_key if scope == "key" else before).newest
            return newest is not None and record.timestamp_ms < newest
        case c.SameAsBefore():
            return last is not None and (last.value, last.timestamp_ms) == (record.value, record.timestamp_ms)
        case c.SupersedesOverdue(before_ms):
            return last is not None and record.timestamp_ms < before_ms


def text_of(record: Record, path: Sequence[str]) -> bytes | None:
    """The field of a plain JSON document: texts, whole numbers and truth values."""
    try:
        found: Any = json.loads(record.value or b"")
        for name in path:
            found = found[name]
    except (ValueError, KeyError, TypeError):
        return None
    if isinstance(found, str):
        return found.encode()
    return None if found is None else json.dumps(found).encode()


def number_of(record: Record, wanted: c.NumberField) -> int | None:
    text = (text_of(record, wanted.path) or b"").decode()
    if re.fullmatch(r"-?[0-9]{1,18}", text):
        return int(text)
    if wanted.time and re.fullmatch(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?)?", text):
        try:
            moment = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text))
        except ValueError:
            return None
        since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
        return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    return None


def _is_of_type(key: bytes, wanted: c.NotOfType) -> bool:
    match wanted.type:
        case "none":
            return False
        case "int":
            return len(key) == 4
        case "long":
            return len(key) == 8
        case "uuid":
            return re.fullmatch(rb"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", key) is not None
        case "bytes":
            return True
        case "string" | "pattern":
            try:
                text = key.decode()
            except UnicodeDecodeError:
                return False
            return wanted.pattern is None or re.fullmatch(wanted.pattern, text) is not None
    raise NotImplementedError(wanted)


def _hot(keys: dict[tuple[int, bytes], _Before]) -> Iterable[HotKey]:
    hot = (HotKey(*place, of_key.records) for place, of_key in keys.items())
    ranked = sorted(
        (each for each in hot if each.records >= HOT_KEY_RECORDS),
        key=lambda each: (each.partition, -each.records, each.key),
    )
    taken: dict[int, int] = defaultdict(int)
    for each in ranked:
        taken[each.partition] += 1
        if taken[each.partition] <= HOT_KEYS:
            yield each
