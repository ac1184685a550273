"""Maps whose names Kafka or a rule defines, not the language: settings, and options."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import units
from .entries import Entry
from .fields import FALSE, NULLS, TRUE, Json, Reading, is_plain_scalar
from .nodes import MappingNode, Node, ScalarNode, SequenceNode
from .structures import Building

# Plain config values that two YAML versions, or a person and YAML, read differently.
_AMBIGUOUS = re.compile(
    r"""(?:yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)|
    [-+]?0[0-9_]+|[-+]?[0-9]+_[0-9_]*|[-+]?0[xob][0-9a-fA-F_]+|[-+]?[0-9]+(?::[0-5]?[0-9])+""",
    re.VERBOSE,
)

CONFIG_NAME = r"[A-Za-z0-9_.-]{1,249}"


@dataclass(frozen=True, slots=True)
class Config:
    """Kafka's own settings by their own names. Units where the name ends in .ms or .bytes; the values become text."""

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if type(node) is not MappingNode or node.tag:
            return reading.wrong(node, self.describe())
        values: dict[str, Entry] = {}
        legal = re.compile(CONFIG_NAME).fullmatch
        for key, value in reading.pairs(node):
            if not legal(key.value):
                reading.wrong(key, "a setting's name such as retention.ms")
                continue
            text = self._text(key.value, value, reading)
            if text is not None:
                values[key.value] = Entry(text, value, reading.origin, key)
        return Entry(values, node, reading.origin)

    def _text(self, name: str, node: Node, reading: Reading) -> str | None:
        if type(node) is SequenceNode and not node.tag:
            return self._list(node, reading)
        if not is_plain_scalar(node):
            return reading.wrong(node, "a value of Kafka")
        text: str = node.value
        if not node.style:
            if text in NULLS:
                return reading.wrong(node, "a value", "write a value or remove the setting")
            if _AMBIGUOUS.fullmatch(text):
                return reading.wrong(node, "a value that reads the same everywhere", _unambiguous(text))
            if text in TRUE or text in FALSE:
                return text.lower()
        if name.endswith(".ms"):
            return self._amount(node, reading, units.parse_duration, "a duration such as 30s or 7d")
        if name.endswith(".bytes"):
            return self._amount(node, reading, units.parse_size, "a size such as 1MiB")
        return text

    @staticmethod
    def _amount(node: Node, reading: Reading, parse: Callable[[str], int | None], expected: str) -> str | None:
        number = units.parse_integer(node.value)
        if number is None:
            number = parse(node.value)
        return str(number) if number is not None else reading.wrong(node, f"{expected}, or a whole number")

    @staticmethod
    def _list(node: SequenceNode, reading: Reading) -> str | None:
        for item in node.value:
            if not is_plain_scalar(item) or (not item.style and item.value in NULLS) or "," in item.value:
                return reading.wrong(item, "one value of a list")
        return ",".join(item.value for item in node.value)

    def build(self, entry: Entry, building: Building) -> dict[str, str]:  # noqa: ARG002 - same for all kinds
        return {name: child.value for name, child in entry.value.items()}

    def schema(self) -> Json:
        duration = {
            "type": ["integer", "string"],
            "pattern": f"^(?:{units.INTEGER_PATTERN}|{units.DURATION_PATTERN})$",
        }
        size = {
            "type": ["integer", "string"],
            "pattern": f"^(?:{units.INTEGER_PATTERN}|{units.SIZE_PATTERN})$",
        }
        plain = {"type": ["string", "number", "boolean"]}
        item = {"type": ["string", "number", "boolean"], "pattern": "^[^,]*$"}
        return {
            "type": "object",
            "propertyNames": {"pattern": f"^{CONFIG_NAME}$"},
            "patternProperties": {r"\.ms$": duration, r"\.bytes$": size},
            "additionalProperties": {"anyOf": [plain, {"type": "array", "items": item}]},
        }

    def dump(self, value: Any) -> Any:
        return dict(value)

    def describe(self) -> str:
        return "a mapping of Kafka's settings"


def _unambiguous(text: str) -> str:
    lowered = text.lower()
    if lowered in {"yes", "on"}:
        return "write true"
    if lowered in {"no", "off"}:
        return "write false"
    return "write a plain decimal number, or quote it if it is text"


@dataclass(frozen=True, slots=True)
class Anything:
    """Values that someone else defines, such as the options of a rule."""

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if node.tag:
            return reading.wrong(node, "a plain value")
        if type(node) is MappingNode:
            values: dict[str, Entry] = {}
            for key, value in reading.pairs(node):
                entry = self.decode(value, reading)
                if entry is not None:
                    entry.key = key
                    values[key.value] = entry
            return Entry(values, node, reading.origin)
        if type(node) is SequenceNode:
            decoded = (self.decode(child, reading) for child in node.value)
            return Entry([entry for entry in decoded if entry is not None], node, reading.origin)
        assert isinstance(node, ScalarNode)  # noqa: S101 - YAML has no fourth kind of node
        return Entry(_core_scalar(node), node, reading.origin)

    def build(self, entry: Entry, building: Building) -> Any:
        if type(entry.value) is dict:
            return {name: self.build(child, building) for name, child in entry.value.items()}
        if type(entry.value) is list:
            return tuple(self.build(child, building) for child in entry.value)
        return entry.value

    def schema(self) -> Json:
        return {}

    def dump(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: self.dump(item) for name, item in value.items()}
        if isinstance(value, tuple):
            return [self.dump(item) for item in value]
        return value

    def describe(self) -> str:
        return "any value"


def _core_scalar(node: ScalarNode) -> Any:
    """A scalar by YAML 1.2's core schema, which has no surprises."""
    text: str = node.value
    if node.style:
        return text
    if text in NULLS:
        return None
    if text in TRUE:
        return True
    if text in FALSE:
        return False
    number = units.parse_integer(text)
    if number is not None:
        return number
    return float(text) if re.fullmatch(r"[-+]?[0-9]{1,17}\.[0-9]{1,17}", text) else text
