"""Protocol Buffers: a number must keep its name and a type with the same encoding and values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from .protobuf_files import Field, Message, Schema, parse
from .reasons import Note, NotJudged, Reason

__all__ = ["only_records", "parse", "reasons"]

# Types of one group are written alike. Those on the right hold every value of the one on the left.
_HOLDS: dict[str, dict[str, set[str]]] = {
    "varint": {
        "bool": {"int32", "int64", "uint32", "uint64"},
        "int32": {"int64"},
        "uint32": {"uint64", "int64"},
        "int64": set(),
        "uint64": set(),
        "enum": {"int32", "int64"},
    },
    "zigzag": {"sint32": {"sint64"}, "sint64": set()},
    "fixed32": {"fixed32": set(), "sfixed32": set()},
    "fixed64": {"fixed64": set(), "sfixed64": set()},
    "length": {"string": {"bytes"}, "bytes": set()},
    "float": {"float": set()},
    "double": {"double": set()},
}
_GROUP: dict[str, str] = {kind: group for group, held in _HOLDS.items() for kind in held}
_LAST = 2**31
_UNSET = (None, "0", "-0", "0.0", "false", '""', "''")


def reasons(writer: Schema, reader: Schema) -> Iterator[Reason | NotJudged | Note]:
    return _Comparison(writer, reader).all()


def only_records(old: Schema, new: Schema) -> Iterator[Reason | Note]:
    """What is wrong with existing records alone: numbers and names that the old schema keeps free."""
    for name, message in new.messages.items():
        before = old.messages.get(name, Message())
        reserved = sorted(before.reserved)
        for number, each in message.fields.items():
            if number in before.fields:
                continue
            at = bisect_right(reserved, (number, _LAST)) - 1
            if at >= 0 and reserved[at][1] >= number:
                yield Reason("reserved", _here(name, number, each))
            elif each.name in before.reserved_names:
                yield Note(f"{_here(name, number, each)}: the name was reserved, so earlier records used it")


class _Comparison:
    """The messages of both files, by name; the first ones also if their names differ."""

    def __init__(self, writer: Schema, reader: Schema) -> None:
        self._writer, self._reader = writer, reader
        self._left = [(name, name) for name in writer.messages if name in reader.messages]
        self._seen: set[tuple[str, str]] = set()

    def all(self) -> Iterator[Reason | NotJudged | Note]:
        writer, reader = self._writer, self._reader
        if writer.first != reader.first:
            yield Reason("type", "the record", f"message {writer.first}", f"message {reader.first}")
            self._left.append((writer.first, reader.first))
        used = {kind for message in writer.messages.values() for each in message.fields.values() for kind in each.types}
        for name in writer.messages:
            if "." not in name and name not in reader.messages and name not in used and name != writer.first:
                yield Reason("message", f"message {name}")
        if writer.package != reader.package:
            yield Note("the package changes, so readers that find a message by its whole name do not find it")
        if writer.extensions != reader.extensions:
            yield NotJudged("the fields of an extend block")
        while self._left:
            pair = self._left.pop()
            if pair not in self._seen:
                self._seen.add(pair)
                yield from self._message(pair[0], writer.messages[pair[0]], reader.messages[pair[1]])
        for name, values in writer.enums.items():
            if name in reader.enums:
                yield from _enum(name, values, reader.enums[name])

    def _message(self, name: str, writer: Message, reader: Message) -> Iterator[Reason | NotJudged | Note]:
        numbers = {each.name: number for number, each in reader.fields.items()}
        written = {each.name for each in writer.fields.values()}
        for number, each in writer.fields.items():
            here, now = _here(name, number, each), reader.fields.get(number)
            if numbers.get(each.name, number) != number:
                yield Reason("moved", f"{name}.{each.name}", f"field {number}", f"field {numbers[each.name]}")
            if now is None:
                continue
            yield from self._field(here, each, now)
            if now.name != each.name and each.name not in numbers and now.name not in written:
                names = " and ".join(sorted((each.name, now.name)))
                yield Note(f"{name} (field {number}) is named {names}; check that both mean the same")
        for number, each in reader.fields.items():
            before = writer.fields.get(number)
            if each.label == "required" and (before is None or before.label != "required"):
                yield Reason("required", _here(name, number, each))
        yield from _oneofs(name, writer, reader)

    def _field(self, here: str, was: Field, now: Field) -> Iterator[Reason | NotJudged | Note]:
        if len(was.types) != len(now.types) or (was.label == "repeated") != (now.label == "repeated"):
            yield Reason("type", here, was.shown, now.shown)
            return
        for one, other in zip(was.types, now.types, strict=True):
            yield from self._type(here, (was, one), (now, other))
        before, after = self._default(self._writer, was), self._default(self._reader, now)
        if before != after and len(was.types) == 1 and was.label != "repeated":
            yield Reason("default", here, before or "unset", after or "unset")

    def _type(self, here: str, was: tuple[Field, str], now: tuple[Field, str]) -> Iterator[Reason | NotJudged | Note]:
        kind, other = _kind(self._writer, was[1]), _kind(self._reader, now[1])
        if kind is None or other is None:
            if kind is not other or was[1] != now[1]:
                yield NotJudged(f"{here}: {was[1] if kind is None else now[1]} is defined in another file")
        elif kind == other == "message":
            if _short(was[1]) == _short(now[1]):
                self._left.append((was[1], now[1]))
            else:
                yield Reason("type", here, was[0].shown, now[0].shown)
        elif kind == other == "enum":
            if was[1] != now[1]:
                yield from _enum(here, self._writer.enums[was[1]], self._reader.enums[now[1]])
        elif _GROUP.get(kind, kind) != _GROUP.get(other, other):
            yield Reason("type", here, was[0].shown, now[0].shown)
        elif kind != other and other not in _HOLDS[_GROUP[kind]][kind]:
            yield Reason("narrower", here, was[0].shown, now[0].shown)

    def _default(self, schema: Schema, each: Field) -> str | None:
        """What a reader sees if the field is absent; None if it is the usual zero."""
        first = next(iter(schema.enums.get(each.types[0], ())), None)
        return None if each.default in (*_UNSET, first) else each.default


def _enum(name: str, writer: dict[str, int], reader: dict[str, int]) -> Iterator[Reason | Note]:
    known: dict[int, set[str]] = {}
    for value, number in reader.items():
        known.setdefault(number, set()).add(value)
    for value, number in writer.items():
        names = known.get(number, set())
        if reader.get(value, number) != number:
            yield Reason("moved", f"{name}.{value}", f"value {number}", f"value {reader[value]}")
        elif not names:
            yield Note(f"{name}: one of the two schemas does not know {value} ({number})")
        elif value not in names and not names & writer.keys():
            names = {value, *names}
            yield Note(f"{name}: {number} is named {' and '.join(sorted(names))}; check that both mean the same")


def _oneofs(name: str, writer: Message, reader: Message) -> Iterator[Reason]:
    """Only one field of a `oneof` is kept. Writers that set several at the same time lose the others."""
    held: dict[str, list[Field]] = {}
    for number, each in reader.fields.items():
        if each.oneof is not None and number in writer.fields:
            held.setdefault(each.oneof, []).append(writer.fields[number])
    for oneof, fields in held.items():
        if len(fields) > 1 and (fields[0].oneof is None or len({each.oneof for each in fields}) > 1):
            yield Reason("one of", f"oneof {name}.{oneof}", ", ".join(each.name for each in fields))


def _kind(schema: Schema, name: str) -> str | None:
    """A scalar type, `enum` or `message`; None if the type is defined in another file."""
    if name in schema.enums:
        return "enum"
    return "message" if name in schema.messages else name if name in _GROUP else None


def _here(message: str, number: int, each: Field) -> str:
    return f"{message}.{each.name} (field {number})"


def _short(name: str) -> str:
    return name.rpartition(".")[2]
