"""Protocol Buffers as data: the messages, fields and enums that a file describes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[\w.]+|[^\s\w]", re.DOTALL)
_LABELS = ("optional", "required", "repeated")
_NAME = re.compile(r"\.?[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_MAP = re.compile(r"map<([\w.]+),([\w.]+)>")
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_MAXIMUM = 2**29 - 1
_DEEPEST = 32  # as protoc allows
SCALARS = frozenset(
    ("int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64")
) | {"bool", "float", "double", "string", "bytes"}


@dataclass(frozen=True, slots=True)
class Field:
    """`types` holds the type, or the key and the value of a map. Types of this file have their whole name."""

    name: str
    label: str
    types: tuple[str, ...]
    shown_type: str
    oneof: str | None = None
    default: str | None = None

    @property
    def shown(self) -> str:
        return f"repeated {self.shown_type}" if self.label == "repeated" else self.shown_type


@dataclass(slots=True)
class Message:
    """`reserved` are ranges of numbers."""

    fields: dict[int, Field] = field(default_factory=dict)
    reserved: list[tuple[int, int]] = field(default_factory=list)
    reserved_names: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Schema:
    """A nested message is named `Outer.Inner`. `extensions` are the blocks that extend messages, word by word."""

    package: str = ""
    messages: dict[str, Message] = field(default_factory=dict)
    enums: dict[str, dict[str, int]] = field(default_factory=dict)
    extensions: list[str] = field(default_factory=list)
    imports: int = 0

    @property
    def first(self) -> str:
        """The message that a record is, unless its serializer says another one."""
        return next(iter(self.messages))


def parse(text: str) -> Schema:
    """Raises ValueError if the text is no .proto file with a message."""
    schema = Schema()
    _File(
        [token for token in _TOKEN.findall(text.removeprefix("\ufeff")) if not token.startswith(("//", "/*"))], schema
    ).read()
    if not schema.messages:
        raise ValueError("it has no message")
    for name, message in schema.messages.items():
        for number, each in message.fields.items():
            message.fields[number] = _resolved(schema, name, number, each)
    return schema


def _resolved(schema: Schema, scope: str, number: int, each: Field) -> Field:
    """The field with whole names. A type that only an import can define keeps its name."""
    types = tuple(kind if kind in SCALARS else _type(schema, scope, kind) for kind in each.types)
    for kind in types:
        if kind not in SCALARS and kind not in schema.messages and kind not in schema.enums and not schema.imports:
            raise ValueError(f"{scope}.{each.name} (field {number}) has the type {kind}, which is not defined")
    return Field(each.name, each.label, types, each.shown_type, each.oneof, each.default)


def _type(schema: Schema, scope: str, kind: str) -> str:
    names = [kind.removeprefix(".")]
    if not kind.startswith("."):
        parts = scope.split(".")
        names = [".".join((*parts[:size], kind)) for size in range(len(parts), -1, -1)]
    package = schema.package.split(".") if schema.package else []
    prefixes = ["", *(".".join((*package[at:], "")) for at in range(len(package)))]
    for name in names:
        for known in (name.removeprefix(prefix) for prefix in prefixes if name.startswith(prefix)):
            if known in schema.messages or known in schema.enums:
                return known
    return kind


class _File:
    """Reads statements, one after the other."""

    def __init__(self, tokens: list[str], schema: Schema) -> None:
        self._tokens = tokens
        self._at = 0
        self._schema = schema

    def read(self) -> None:
        while self._at < len(self._tokens):
            head, ending = self._head()
            match head:
                case [] if ending == ";":
                    pass
                case ["package", *name] if ending == ";" and _NAME.fullmatch("".join(name)):
                    self._package("".join(name))
                case ["import", *_, file] if ending == ";" and file[0] in "\"'":
                    self._schema.imports += 1
                case [("syntax" | "edition"), "=", *_] | ["option", *_] if ending == ";":
                    pass
                case ["service", _] if ending == "{":
                    self._skipped()
                case _ if ending == "{":
                    self._definition(head, "")
                case _:
                    raise _unexpected(head, ending)

    def _package(self, name: str) -> None:
        if name.count(".") > _DEEPEST:
            raise ValueError("the package has too many parts")
        self._schema.package = name

    def _head(self) -> tuple[list[str], str]:
        """The words of a statement up to its `;` or its block, and which of the two follows."""
        words: list[str] = []
        while self._at < len(self._tokens):
            word = self._tokens[self._at]
            self._at += 1
            if word == "}":
                raise ValueError("a brace closes nothing" if not words else f"`{' '.join(words[:4])}` has no end")
            if word == ";" or (word == "{" and "=" not in words[:2] and words[:1] != ["option"]):
                return words, word
            if word == "{" and "group" in words[:2]:
                return words, word
            words.append(word)
            if word in _CLOSING:
                words.extend(self._skipped(word))
        raise _unexpected(words, "")

    def _skipped(self, opened: str = "{") -> list[str]:
        """The words up to and with the bracket that closes the one before them."""
        start, expected = self._at, [_CLOSING[opened]]
        while self._at < len(self._tokens):
            word = self._tokens[self._at]
            self._at += 1
            if word in _CLOSING:
                expected.append(_CLOSING[word])
            elif word in _CLOSING.values():
                if word != expected.pop():
                    break
                if not expected:
                    return self._tokens[start : self._at]
        raise ValueError("a brace is not closed")

    def _body(self) -> Iterator[tuple[list[str], str]]:
        while self._at < len(self._tokens):
            if self._tokens[self._at] == "}":
                self._at += 1
                return
            head, ending = self._head()
            if head:
                yield head, ending
        raise ValueError("a brace is not closed")

    def _definition(self, head: list[str], scope: str) -> None:
        match head:
            case [("export" | "local"), *rest] if len(head) > 2:
                self._definition(rest, scope)
            case ["message", name] if name.isidentifier():
                self._message(f"{scope}.{name}" if scope else name)
            case ["enum", name] if name.isidentifier():
                self._enum(f"{scope}.{name}" if scope else name)
            case ["extend", *name] if _NAME.fullmatch("".join(name)):
                self._schema.extensions.append(" ".join((*name, "{", *self._skipped())))
            case _:
                raise _unexpected(head, "{")

    def _message(self, name: str) -> None:
        message = self._new_message(name)
        for head, ending in self._body():
            match head:
                case ["option" | "extensions", _, *_] if ending == ";":
                    pass
                case ["reserved", *words] if ending == ";" and words and "=" not in words:
                    _reserve(message, words)
                case ["oneof", oneof] if ending == "{":
                    for inner, end in self._body():
                        if inner[0] != "option":
                            self._field(inner, end, name, oneof)
                case _ if "=" in head:
                    self._field(head, ending, name, None)
                case _ if ending == "{":
                    self._definition(head, name)
                case _:
                    raise _unexpected(head, ending)

    def _new_message(self, name: str) -> Message:
        if name.count(".") > _DEEPEST:
            raise ValueError("messages are nested too deeply")
        if name in self._schema.messages or name in self._schema.enums:
            raise ValueError(f"{name} is defined twice")
        message = self._schema.messages[name] = Message()
        return message

    def _enum(self, name: str) -> None:
        values = self._schema.enums[name] = {}
        for head, ending in self._body():
            match head:
                case ["option" | "reserved", _, *_] if ending == ";":
                    pass
                case [value, "=", "-", number, *_] if ending == ";" and value.isidentifier():
                    values[value] = -_number(number)
                case [value, "=", number, *_] if ending == ";" and value.isidentifier():
                    values[value] = _number(number)
                case _:
                    raise _unexpected(head, ending)

    def _field(self, head: list[str], ending: str, message: str, oneof: str | None) -> None:
        label = head[0] if head[0] in _LABELS else ""
        equals = head.index("=") if "=" in head else 0
        words, after = head[1 if label else 0 : equals], head[equals + 1 :]
        if len(words) < 2 or not after or not words[-1].isidentifier():
            raise _unexpected(head, ending)
        name, kind, number = words[-1], "".join(words[:-1]), _number(after[0])
        if ending == "{":
            if kind != "group":
                raise _unexpected(head, ending)
            kind, inner = name, f"{message}.{name}"
            self._message(inner)
        pair = _MAP.fullmatch(kind)
        if not pair and not _NAME.fullmatch(kind):
            raise _unexpected(head, ending)
        fields = self._schema.messages[message].fields
        if number in fields or not 1 <= number <= _MAXIMUM:
            raise ValueError(f"{message}.{name} has the number {number}, which is used twice or impossible")
        types, shown = (pair.groups(), f"map<{', '.join(pair.groups())}>") if pair else ((kind,), kind)
        fields[number] = Field(name, label, types, shown, oneof, _default(after))


def _reserve(message: Message, words: list[str]) -> None:
    for part in " ".join(words).split(","):
        match part.split():
            case [first, "to", last]:
                message.reserved.append((_number(first), _MAXIMUM if last == "max" else _number(last)))
            case [name] if name[0].isdigit():
                message.reserved.append((_number(name), _number(name)))
            case [name]:
                message.reserved_names.add(name.strip("\"'"))
            case _:
                raise _unexpected(["reserved", *words], ";")


def _default(after: list[str]) -> str | None:
    for at, word in enumerate(after):
        if word == "default" and after[at + 1 : at + 2] == ["="] and after[at - 1] in ("[", ","):
            end = next((end for end in range(at, len(after)) if after[end] in (",", "]")), len(after))
            return "".join(after[at + 2 : end])
    return None


def _number(word: str) -> int:
    try:
        return int(word, 8 if re.fullmatch(r"0[0-7]+", word) else 0)
    except ValueError:
        raise ValueError(f"{word} is no number of a field") from None


def _unexpected(words: list[str], ending: str) -> ValueError:
    if not ending and "{" in words:
        return ValueError("a brace is not closed")
    shown = " ".join((*words[:6], *([] if words[6:] else [ending]))).strip()
    return ValueError(f"`{shown[:60]}` is no statement of it")
