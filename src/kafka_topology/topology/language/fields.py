"""Kinds of single values. Each decodes a YAML node, describes itself as JSON Schema, and writes itself back.

The decoder, the JSON Schema, the reference and `show` all come from the same declarations, so they cannot disagree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol

from ..located.decoding import Reading, is_untagged_scalar, short
from ..located.entries import Entry
from ..located.nodes import Node, ScalarNode
from ..model import units
from ..model.words import did_you_mean

Json = dict[str, Any]

# Plain scalars that YAML 1.2 does not read as text. Those that only YAML 1.1 misreads (no, off, 1:30) are text here.
NOT_TEXT = re.compile(
    r"""~|null|Null|NULL|true|True|TRUE|false|False|FALSE|
    [-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|
    [-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|
    [-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)""",
    re.VERBOSE,
)
NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,24})?(?:[eE][-+]?[0-9]{1,2})?")
MAX_TEXT = 100_000


@dataclass(slots=True)
class SchemaScope:
    """The shared definitions so far, and whether this is inside an environment, where nothing is required."""

    definitions: dict[str, Json] = field(default_factory=dict)
    partial: bool = False

    def shared(self, name: str, definition: Json) -> Json:
        """A reference to a definition that several places use."""
        self.definitions.setdefault(name, definition)
        return {"$ref": f"#/$defs/{name}"}

    @contextmanager
    def within(self, *, partial: bool) -> Iterator[None]:
        outer, self.partial = self.partial, partial
        try:
            yield
        finally:
            self.partial = outer


class Kind(Protocol):
    """Anything a field can hold."""

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        """The located value; None after reporting a finding."""

    def schema(self, scope: SchemaScope) -> Json: ...

    def dump(self, value: Any) -> Any:
        """The value as YAML or JSON would write it."""

    def describe(self) -> str:
        """A few words for messages and the reference: "a duration such as 7d"."""


def pattern_schema(pattern: str, expected: str) -> Json:
    """Text that matches a pattern. Editors that know `patternErrorMessage` show the words instead."""
    return {"type": "string", "pattern": f"^(?:{pattern})$", "patternErrorMessage": f"expected {expected}"}


def is_too_long(node: ScalarNode, reading: Reading) -> bool:
    if len(node.value) <= MAX_TEXT:
        return False
    message = f"the text has {len(node.value):,} characters; at most {MAX_TEXT:,} are allowed"
    reading.problem("KT003", node, message, "shorten the text")
    return True


def is_too_large(node: ScalarNode, reading: Reading) -> bool:
    limit = units.limit_of(node.value)
    if limit is not None:
        message = f"{reading.seen(node)} is too large; expected at most {limit}"
        reading.problem("KT003", node, message, "write a smaller value")
    return limit is not None


@dataclass(frozen=True, slots=True)
class Text:
    """Text. Values that YAML reads as a number, boolean or null must be quoted, to avoid surprises."""

    expected: str = "text"
    pattern: str | None = None
    example: str = ""
    _compiled: list[re.Pattern[str]] = field(default_factory=list, repr=False, compare=False)

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if type(node) is not ScalarNode or node.tag:
            return reading.wrong(node, self.describe())
        text = node.value
        if len(text) > MAX_TEXT and is_too_long(node, reading):
            return None
        if not node.style and (not text or NOT_TEXT.fullmatch(text)):
            quoted = "quote it" if node in reading.secrets else f'quote it: "{short(text)}"'
            fix = quoted if text else "write a value or remove the field"
            return reading.wrong(node, self.describe(), fix)
        if not text.strip():
            return reading.wrong(node, self.describe())
        if self.pattern is not None and not self._matches(text):
            return reading.wrong(node, self.describe())
        return Entry(text, node, reading.origin)

    def _matches(self, text: str) -> bool:
        if not self._compiled:
            self._compiled.append(re.compile(self.pattern or ""))
        return self._compiled[0].fullmatch(text) is not None

    def schema(self, scope: SchemaScope) -> Json:  # noqa: ARG002 - same for all kinds
        if self.pattern is None:
            return {"type": "string", "pattern": r"\S", "maxLength": MAX_TEXT}
        return {**pattern_schema(self.pattern, self.describe()), "maxLength": MAX_TEXT}

    def dump(self, value: Any) -> Any:
        return value

    def describe(self) -> str:
        return f"{self.expected} such as {self.example}" if self.example else self.expected


@dataclass(frozen=True, slots=True)
class Integer:
    minimum: int
    maximum: int = 2**31 - 1

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if type(node) is ScalarNode and not node.tag and not node.style:
            number = units.parse_integer(node.value)
            if number is not None and self.minimum <= number <= self.maximum:
                return Entry(number, node, reading.origin)
        return reading.wrong(node, self.describe())

    def schema(self, scope: SchemaScope) -> Json:  # noqa: ARG002
        return {"type": "integer", "minimum": self.minimum, "maximum": self.maximum}

    def dump(self, value: Any) -> Any:
        return value

    def describe(self) -> str:
        if self.minimum == self.maximum:
            return f"the number {self.minimum}"
        if self.maximum == 2**31 - 1:
            return f"a whole number of at least {self.minimum}"
        return f"a whole number from {self.minimum} to {self.maximum}"


@dataclass(frozen=True, slots=True)
class Number:
    """A number above `above` and, if given, at most `maximum`."""

    above: float = 0
    maximum: float | None = None

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if is_untagged_scalar(node) and not node.style and NUMBER.fullmatch(node.value):
            number = float(node.value)
            if number > self.above and (self.maximum is None or number <= self.maximum):
                return Entry(number, node, reading.origin)
        return reading.wrong(node, self.describe())

    def schema(self, scope: SchemaScope) -> Json:  # noqa: ARG002
        bounds: Json = {} if self.maximum is None else {"maximum": self.maximum}
        return {"type": "number", "exclusiveMinimum": self.above, **bounds}

    def dump(self, value: Any) -> Any:
        return int(value) if value == int(value) else value

    def describe(self) -> str:
        limit = "" if self.maximum is None else f" and at most {self.maximum:g}"
        return f"a number above {self.above:g}{limit}"


@dataclass(frozen=True, slots=True)
class Choice:
    values: tuple[str, ...]

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if is_untagged_scalar(node):
            if node.value in self.values:
                return Entry(node.value, node, reading.origin)
            return reading.wrong(node, self.describe(), did_you_mean(node.value, self.values))
        return reading.wrong(node, self.describe())

    def schema(self, scope: SchemaScope) -> Json:  # noqa: ARG002
        return {"enum": list(self.values)}

    def dump(self, value: Any) -> Any:
        return value

    def describe(self) -> str:
        return f"one of {', '.join(self.values)}" if len(self.values) > 1 else self.values[0]


@dataclass(frozen=True, slots=True)
class Unit:
    """A duration, size, rate or time: text with a unit, held as a number or datetime."""

    name: str
    expected: str
    pattern: str
    parse: Callable[[str], Any]
    format: Callable[[Any], str]

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if is_untagged_scalar(node):
            value = self.parse(node.value)
            if value is not None:
                return Entry(value, node, reading.origin)
            if is_too_large(node, reading):
                return None
        return reading.wrong(node, self.expected)

    def schema(self, scope: SchemaScope) -> Json:
        return scope.shared(self.name, {"title": self.expected, **pattern_schema(self.pattern, self.expected)})

    def dump(self, value: Any) -> Any:
        return self.format(value)

    def describe(self) -> str:
        return self.expected


DURATION = Unit(
    "duration",
    "a duration such as 500ms, 30s, 5m, 12h, 7d or forever",
    units.DURATION_PATTERN,
    units.parse_duration,
    units.format_duration,
)
SPAN = Unit("span", "a duration such as 30s, 10m or 1h", units.SPAN_PATTERN, units.parse_span, units.format_span)
SIZE = Unit("size", "a size such as 100MB or 1GiB", units.SIZE_PATTERN, units.parse_size, units.format_size)
RATE = Unit("rate", "a rate such as 10MB/s", units.RATE_PATTERN, units.parse_rate, units.format_rate)
MOMENT = Unit(
    "moment",
    "a time with its zone such as 2026-03-01T00:00:00Z",
    units.MOMENT_PATTERN,
    units.parse_moment,
    units.format_moment,
)
DAY = Unit("day", "a day such as 2026-12-31", units.DAY_PATTERN, units.parse_day, date.isoformat)
SHARE = Unit("share", "a share such as 0.1% or 99%", units.SHARE_PATTERN, units.parse_share, units.format_share)
