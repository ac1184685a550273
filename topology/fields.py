"""What a field of the language can be. Each kind decodes a YAML node, describes itself as JSON Schema, and writes back.

The decoder, the JSON Schema, the reference and `show` all come from the same declarations, so they cannot disagree.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeGuard

from . import units
from .entries import Entry, Origin, node_location
from .findings import Finding, Related, Severity
from .nodes import MappingNode, Node, ScalarNode, SequenceNode

Json = dict[str, Any]

# Plain text that YAML 1.1 or 1.2 reads as something else than text.
_NOT_TEXT = re.compile(
    r"""~|null|Null|NULL|
    (?:true|True|TRUE|false|False|FALSE|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)|
    [-+]?(?:[0-9][0-9_]*)(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|[-+]?\.[0-9_]+(?:[eE][-+]?[0-9]+)?|
    [-+]?0[xob][0-9a-fA-F_]+|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|
    [-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|<<|=""",
    re.VERBOSE,
)
NULLS = frozenset({"", "~", "null", "Null", "NULL"})
TRUE = frozenset({"true", "True", "TRUE"})
FALSE = frozenset({"false", "False", "FALSE"})
MAX_TEXT = 100_000


@dataclass(slots=True)
class Reading:
    """One file being decoded: where values come from, and the problems met so far."""

    origin: Origin
    findings: list[Finding] = field(default_factory=list)

    def problem(
        self,
        rule: str,
        node: Node,
        message: str,
        remediation: str,
        related: tuple[Related, ...] = (),
    ) -> None:
        at = node_location(node, self.origin.file)
        self.findings.append(Finding(rule, Severity.ERROR, message, at, "", remediation, related))

    def wrong(self, node: Node, expected: str, remediation: str = "") -> None:
        """KT003: the value is not what the field takes."""
        self.problem(
            "KT003",
            node,
            f"expected {expected}, found {_seen(node)}",
            remediation or f"write {expected}",
        )

    def pairs(self, node: MappingNode) -> Iterator[tuple[ScalarNode, Node]]:
        """Names and values of a mapping, merge keys applied, each name once."""
        seen: dict[str, Node] = {}
        merged: list[Node] = []
        for key, value in node.value:
            if type(key) is not ScalarNode or key.tag:
                self.problem("KT003", key, f"expected a name, found {_seen(key)}", "write a plain name")
            elif key.value == "<<" and not key.style:
                merged.extend(value.value if type(value) is SequenceNode else [value])
            elif key.value in seen:
                first = node_location(seen[key.value], self.origin.file)
                self.problem(
                    "KT004",
                    key,
                    f"`{key.value}` is here a second time; line {first.line} has it already",
                    "keep one of the two",
                    (Related(first, "first here"),),
                )
            else:
                seen[key.value] = key
                yield key, value
        for part in merged:
            if type(part) is not MappingNode:
                self.problem("KT003", part, "a merge key takes a mapping", "refer to an anchor on a mapping")
                continue
            for key, value in self.pairs(part):
                if key.value not in seen:
                    seen[key.value] = key
                    yield key, value


class Kind(Protocol):
    """Anything a field can hold."""

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        """The located value; None after a problem was reported."""

    def schema(self) -> Json: ...

    def dump(self, value: Any) -> Any:
        """The value as YAML or JSON would write it."""

    def describe(self) -> str:
        """A few words for messages and the reference: "a duration such as 7d"."""


def _seen(node: Node) -> str:
    if isinstance(node, MappingNode):
        return "a mapping"
    if not isinstance(node, ScalarNode):
        return "a list"
    if node.tag:
        return f"the tag {node.tag}"
    if not node.style and node.value in NULLS:
        return "nothing"
    text = node.value if len(node.value) <= 60 else node.value[:57] + "..."
    return f'"{text}"' if node.style else f"`{text}`"


def suggestion(name: str, known: Any) -> str:
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return near[0] if near else ""


def is_plain_scalar(node: Node) -> TypeGuard[ScalarNode]:
    return type(node) is ScalarNode and not node.tag


@dataclass(frozen=True, slots=True)
class Text:
    """Text. What YAML reads as a number, boolean or null must be quoted, so that nobody has to know YAML by heart."""

    expected: str = "text"
    pattern: str | None = None
    example: str = ""
    _compiled: list[re.Pattern[str]] = field(default_factory=list, repr=False, compare=False)

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if type(node) is not ScalarNode or node.tag:
            return reading.wrong(node, self.describe())
        text = node.value
        if not node.style and (not text or _NOT_TEXT.fullmatch(text)):
            remedy = f'quote it: "{text}"' if text else "write a value or remove the field"
            return reading.wrong(node, self.describe(), remedy)
        if not text.strip():
            return reading.wrong(node, self.describe())
        if len(text) > MAX_TEXT:
            return reading.problem(
                "KT003",
                node,
                f"the text is longer than {MAX_TEXT:,} characters",
                "shorten the text",
            )
        if self.pattern is not None and not self._matches(text):
            return reading.wrong(node, self.describe())
        return Entry(text, node, reading.origin)

    def _matches(self, text: str) -> bool:
        if not self._compiled:
            self._compiled.append(re.compile(self.pattern or ""))
        return self._compiled[0].fullmatch(text) is not None

    def schema(self) -> Json:
        pattern = rf"^(?:{self.pattern})$" if self.pattern is not None else r"\S"
        return {"type": "string", "pattern": pattern, "maxLength": MAX_TEXT}

    def dump(self, value: Any) -> Any:
        return value

    def describe(self) -> str:
        return f"{self.expected} such as {self.example}" if self.example else self.expected


@dataclass(frozen=True, slots=True)
class Integer:
    minimum: int
    maximum: int = 2**31 - 1

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if is_plain_scalar(node) and not node.style:
            number = units.parse_integer(node.value)
            if number is not None and self.minimum <= number <= self.maximum:
                return Entry(number, node, reading.origin)
        return reading.wrong(node, self.describe())

    def schema(self) -> Json:
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
        if (
            is_plain_scalar(node)
            and not node.style
            and re.fullmatch(r"(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,9})?", node.value)
        ):
            number = float(node.value)
            if number > self.above and (self.maximum is None or number <= self.maximum):
                return Entry(number, node, reading.origin)
        return reading.wrong(node, self.describe())

    def schema(self) -> Json:
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
        if is_plain_scalar(node):
            if node.value in self.values:
                return Entry(node.value, node, reading.origin)
            near = suggestion(node.value, self.values)
            return reading.wrong(node, self.describe(), f"did you mean `{near}`?" if near else "")
        return reading.wrong(node, self.describe())

    def schema(self) -> Json:
        return {"enum": list(self.values)}

    def dump(self, value: Any) -> Any:
        return value

    def describe(self) -> str:
        return f"one of {', '.join(self.values)}" if len(self.values) > 1 else self.values[0]


@dataclass(frozen=True, slots=True)
class Unit:
    """A duration, size, rate or moment: text with a unit, held as one number or moment."""

    expected: str
    pattern: str
    parse: Callable[[str], Any]
    format: Callable[[Any], str]

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if is_plain_scalar(node):
            value = self.parse(node.value)
            if value is not None:
                return Entry(value, node, reading.origin)
        return reading.wrong(node, self.expected)

    def schema(self) -> Json:
        return {"type": "string", "pattern": f"^(?:{self.pattern})$"}

    def dump(self, value: Any) -> Any:
        return self.format(value)

    def describe(self) -> str:
        return self.expected


DURATION = Unit(
    "a duration such as 500ms, 30s, 5m, 12h, 7d or forever",
    units.DURATION_PATTERN,
    units.parse_duration,
    units.format_duration,
)
SIZE = Unit("a size such as 100MB or 1GiB", units.SIZE_PATTERN, units.parse_size, units.format_size)
RATE = Unit("a rate such as 10MB/s", units.RATE_PATTERN, units.parse_rate, units.format_rate)
MOMENT = Unit(
    "a moment with a time zone such as 2026-03-01T00:00:00Z",
    units.MOMENT_PATTERN,
    units.parse_moment,
    units.format_moment,
)
