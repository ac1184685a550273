"""What the conditions mean, in plain Python over a list of records: both engines are held against it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from kafka_topology.spark_checks.conditions import record as c
from kafka_topology.spark_checks.results.evidence import LONGEST_FETCHED_KEY, Evidence
from kafka_topology.spark_checks.results.scan import HOT_KEY_RECORDS, HOT_KEYS, NOTHING, Group, HotKey, Tally, Wanted


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
    largest: dict[tuple[c.NumberField, bool], Fraction] = field(default_factory=dict)

    def add(self, record: Record, numbers: Mapping[c.NumberField, Fraction | None]) -> None:
        self.records += 1
        self.last = record
        self.newest = max(record.timestamp_ms, record.timestamp_ms if self.newest is None else self.newest)
        for wanted, number in numbers.items():
            if number is not None:
                kind = (wanted, is_moment(record, wanted))
                self.largest[kind] = max(number, self.largest.get(kind, number))


def plain_tally(records: Iterable[Record], conditions: Sequence[c.Condition], wanted: Wanted = NOTHING) -> Tally:
    fields = {each.field for each in conditions if isinstance(each, c.Behind | c.Repeated)}
    groups: dict[tuple[int, int], Group] = {}
    partitions: dict[int, _Before] = defaultdict(_Before)
    keys: dict[tuple[int, bytes], _Before] = defaultdict(_Before)
    in_order = sorted(records, key=lambda each: (each.partition, each.offset))
    following: dict[Record, Record] = {}
    latest: dict[tuple[int, bytes | None], Record] = {}
    held: list[tuple[int, Record]] = []
    for record in in_order:
        if (before := latest.get((record.partition, record.key))) is not None:
            following[before] = record
        latest[record.partition, record.key] = record
    for record in in_order:
        of_key = _Before() if record.key is None else keys[record.partition, record.key]
        before = partitions[record.partition]
        mask = sum(
            1 << bit
            for bit, each in enumerate(conditions)
            if holds(each, record, before, of_key) or _is_superseded(each, record, following.get(record))
        )
        size = len(record.key or b"") + len(record.value or b"")
        known = groups.get((record.partition, mask), Group(record.partition, mask, 0, record.offset, 0, 0))
        groups[record.partition, mask] = Group(
            record.partition, mask, known.records + 1, known.first, record.offset, known.bytes + size
        )
        held.append((mask, record))
        numbers = {wanted: number_of(record, wanted) for wanted in fields}
        before.add(record, numbers)
        of_key.add(record, numbers)
    return Tally(tuple(groups.values()), tuple(_hot(keys)), tuple(_first_of(held, wanted)))


def _first_of(held: Sequence[tuple[int, Record]], wanted: Wanted) -> Iterator[Evidence]:
    """By bit, partition and offset."""
    for bit in range(wanted.bits.bit_length()):
        seen: dict[int, int] = defaultdict(int)
        for mask, record in held:
            if (mask & wanted.bits) >> bit & 1 and seen[record.partition] < wanted.most:
                seen[record.partition] += 1
                length = None if record.key is None else len(record.key)
                key = record.key if (length or 0) <= LONGEST_FETCHED_KEY else None
                yield Evidence(bit, record.partition, record.offset, record.timestamp_ms, key, length)


def holds(  # noqa: C901, PLR0912 - a case per condition
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
        case c.NullValue():
            return value is None
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
        case c.IsMoment(wanted):
            return is_moment(record, wanted)
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
            return not framed and not _reads(document_of, value)
        case _:
            return not _reads(bytes.decode, value)


def _reads(read: Callable[[bytes], object], value: bytes) -> bool:
    try:
        read(value)
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
            largest = (of_key if scope == "key" else before).largest.get((wanted, is_moment(record, wanted)))
            if number is None or largest is None:
                return False
            return number < largest if isinstance(condition, c.Behind) else number == largest
        case c.Older(scope):
            newest = (of_key if scope == "key" else before).newest
            return newest is not None and record.timestamp_ms < newest
        case c.SameAsBefore():
            return last is not None and (last.value, last.timestamp_ms) == (record.value, record.timestamp_ms)
        case c.SupersededOverdue():
            return False  # what comes after decides: `_is_superseded`


def _is_superseded(condition: c.Condition, record: Record, following: Record | None) -> bool:
    return (
        isinstance(condition, c.SupersededOverdue)
        and record.key is not None
        and following is not None
        and following.timestamp_ms < condition.before_ms
    )


class _Number(str):
    """As it is written."""

    __slots__ = ()


class _Object(list[tuple[str, Any]]):
    """Its members in order; a name may be there twice."""


def _refused(constant: str) -> Any:
    raise ValueError(constant)


def document_of(value: bytes) -> Any:
    """Raises ValueError for what is not JSON: NaN and the like are Python's."""
    return json.loads(
        value.decode(), object_pairs_hook=_Object, parse_int=_Number, parse_float=_Number, parse_constant=_refused
    )


def text_of(record: Record, path: Sequence[str]) -> bytes | None:
    """The last member of each name counts; numbers are as they are written."""
    try:
        found: Any = document_of(record.value or b"")
    except ValueError:
        return None
    for name in path:
        inside = [member for each, member in found if each == name] if isinstance(found, _Object) else []
        found = inside[-1] if inside else None
    if found is None or _has_half_a_pair(found):
        return None
    return (str(found) if isinstance(found, str) else _written(found)).encode()


def _has_half_a_pair(found: Any) -> bool:
    """Whether a text in it has half a surrogate pair, which UTF-8 cannot say: it equals nothing."""
    match found:
        case str():
            return any("\ud800" <= character <= "\udfff" for character in found)
        case _Object():
            return any(_has_half_a_pair(part) for member in found for part in member)
        case list():
            return any(map(_has_half_a_pair, found))
    return False


def _in_halves(character: re.Match[str]) -> str:
    units = character[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02X}{units[at + 1]:02X}" for at in range(0, len(units), 2))


def _written(found: Any) -> str:
    """JSON without spaces, and with characters beyond 16 bits as escapes."""
    match found:
        case _Object():
            return "{" + ",".join(f"{_written(name)}:{_written(member)}" for name, member in found) + "}"
        case list():
            return "[" + ",".join(map(_written, found)) + "]"
        case _Number():
            return str(found)
        case _:
            escaped = re.sub("[\ud800-\udfff\U00010000-\U0010ffff]", _in_halves, json.dumps(found, ensure_ascii=False))
            return re.sub(r"\\u00[01][0-9a-f]", lambda each: each[0][:2] + each[0][2:].upper(), escaped)


_DECIMAL = r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,9})?"
_MOMENT = r"(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?:(:\d\d)(?:[.,](\d+))?)?([Zz]|([+-]\d\d)(?::?(\d\d))?)?)?"


def number_of(record: Record, wanted: c.NumberField) -> Fraction | None:
    text = (text_of(record, wanted.path) or b"").decode()
    if re.fullmatch(_DECIMAL, text, re.ASCII):
        return Fraction(text)
    moment = re.fullmatch(_MOMENT, text, re.ASCII) if wanted.time else None
    return None if moment is None else _since_1970(moment)


def is_moment(record: Record, wanted: c.NumberField) -> bool:
    """Numbers are compared with numbers, and moments with moments."""
    return number_of(record, wanted) is not None and number_of(record, c.NumberField(wanted.path)) is None


def _since_1970(moment: re.Match[str]) -> Fraction | None:
    date, time, second, fraction, _, hours, minutes = moment.groups()
    zone = f"{hours}:{minutes or '00'}" if hours else "+00:00"
    if int(zone[1:3]) * 60 + int(zone[4:]) > 18 * 60:
        return None
    try:
        at = datetime.fromisoformat(f"{date}T{time or '00:00'}{second or ':00'}{zone}")
    except ValueError:
        return None
    since = at - datetime(1970, 1, 1, tzinfo=UTC)
    return since.days * 86_400 + since.seconds + Fraction(f"0.{fraction or 0}")


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
