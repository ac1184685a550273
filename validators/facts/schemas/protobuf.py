"""Protocol Buffers: a number must keep a type with the same encoding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .reasons import NotJudged, Reason

_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[\w.]+|[^\s\w]", re.DOTALL)
_LABELS = ("optional", "required", "repeated")
_ENCODING = {
    **dict.fromkeys(("int32", "int64", "uint32", "uint64", "bool"), "varint"),
    **dict.fromkeys(("sint32", "sint64"), "zigzag"),
    **dict.fromkeys(("fixed32", "sfixed32"), "fixed32"),
    **dict.fromkeys(("fixed64", "sfixed64"), "fixed64"),
    **dict.fromkeys(("string", "bytes"), "bytes"),
    "float": "float",
    "double": "double",
}


@dataclass(frozen=True, slots=True)
class Field:
    type: str
    name: str
    label: str

    @property
    def shown(self) -> str:
        return f"repeated {self.type}" if self.label == "repeated" else self.type


@dataclass(slots=True)
class Schema:
    """Fields by message and number, and the names of enums. A nested message is named `Outer.Inner`."""

    fields: dict[tuple[str, str], Field] = field(default_factory=dict)
    messages: set[str] = field(default_factory=set)
    enums: set[str] = field(default_factory=set)

    def encoding(self, each: Field) -> str | None:
        """How a value is written; None if its type is not known here."""
        name = each.type.rpartition(".")[2]
        if name in self.enums:
            return "varint"
        if name in {message.rpartition(".")[2] for message in self.messages}:
            return f"message {name}"
        return _ENCODING.get(each.type) or (each.type if each.type.startswith("map") else None)


def parse(text: str) -> Schema:
    """Raises ValueError if braces do not match."""
    tokens = [token for token in _TOKEN.findall(text) if not token.startswith(("//", "/*"))]
    schema = Schema()
    _block(tokens, 0, "", schema)
    return schema


def _block(tokens: list[str], at: int, message: str, schema: Schema) -> int:
    """Reads until the closing brace, or to the end. Returns the position after it."""
    statement: list[str] = []
    while at < len(tokens):
        word = tokens[at]
        if word == "}":
            if not message:
                raise ValueError("a brace closes nothing")
            return at + 1
        if word == "{":
            at = _open(tokens, at, statement, message, schema)
            statement = []
            continue
        if word == ";":
            _field(statement, message, schema)
            statement = []
        else:
            statement.append(word)
        at += 1
    if message:
        raise ValueError("a brace is not closed")
    return at


def _open(tokens: list[str], at: int, statement: list[str], message: str, schema: Schema) -> int:
    keyword, name = (*statement, "", "")[:2]
    if keyword == "message":
        inner = f"{message}.{name}" if message else name
        schema.messages.add(inner)
        return _block(tokens, at + 1, inner, schema)
    if keyword == "oneof":
        return _block(tokens, at + 1, message, schema)
    if keyword == "enum":
        schema.enums.add(name)
    depth = 0
    for position in range(at, len(tokens)):
        depth += {"{": 1, "}": -1}.get(tokens[position], 0)
        if depth == 0:
            return position + 1
    raise ValueError("a brace is not closed")


def _field(statement: list[str], message: str, schema: Schema) -> None:
    if not message or "=" not in statement or statement[0] in ("option", "reserved", "extensions"):
        return
    equals = statement.index("=")
    label = statement[0] if statement[0] in _LABELS else ""
    words = statement[1 if label else 0 : equals]
    if len(words) > 1 and equals + 1 < len(statement):
        kind, name, number = "".join(words[:-1]), words[-1], statement[equals + 1]
        schema.fields[message, number] = Field(kind, name, label)


def reasons(writer: Schema, reader: Schema) -> Iterator[Reason | NotJudged]:
    for key, written in writer.fields.items():
        read = reader.fields.get(key)
        here = f"{key[0]}.{written.name} (field {key[1]})"
        if read is None:
            continue
        was, now = writer.encoding(written), reader.encoding(read)
        if was is None or now is None:
            if written.type != read.type:
                yield NotJudged(f"{here}: {written.type if was is None else read.type} is defined in another file")
        elif was != now or (written.label == "repeated") != (read.label == "repeated"):
            yield Reason("type", here, written.shown, read.shown)
    for key, read in reader.fields.items():
        written_field = writer.fields.get(key)
        if read.label == "required" and (written_field is None or written_field.label != "required"):
            yield Reason("required", f"{key[0]}.{read.name} (field {key[1]})")
