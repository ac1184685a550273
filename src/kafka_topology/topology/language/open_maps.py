"""Maps with names that Kafka or a rule defines, not the language: settings and options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..kafka.quantities import FRACTIONAL, QUANTITIES, NotWhole, Quantity, quantity_of
from ..kafka.run_time_values import PATTERN, is_set_at_run_time
from ..located.building import Building, Incomplete, build
from ..located.decoding import FALSE, NULLS, TRUE, Reading, is_untagged_scalar
from ..located.entries import BROKEN, Entry
from ..located.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ..model import units
from .fields import MAX_TEXT, NOT_TEXT, NUMBER, Choice, Json, SchemaScope, is_too_large, is_too_long

# Plain values that two versions of YAML, or YAML and people, read differently. Quoted, they are text.
_ODD_NUMBER = r"[-+]?0[0-9_]+|[-+]?[0-9]+_[0-9_]*|[-+]?0[xob][0-9a-fA-F_]+|[-+]?[0-9]+(?::[0-5]?[0-9])+"
_AMBIGUOUS = re.compile(rf"(?:yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)|{_ODD_NUMBER}")
_AMBIGUOUS_NUMBER = re.compile(_ODD_NUMBER)

# Kafka reads rates as numbers that need not be whole.
_DECIMAL = r"(?:0|[1-9][0-9]{0,18})\.[0-9]{1,18}(?:[eE][-+]?[0-9]{1,3})?"

CONFIG_NAME = r"[A-Za-z0-9_.-]{1,249}"


@dataclass(frozen=True, slots=True)
class Config:
    """Kafka's settings by Kafka's names. Those that are a time, size or rate take units. Values become text.

    Those of a client may contain placeholders, which something replaces where the client runs.
    """

    of_client: bool = False

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
            values[key.value] = Entry(BROKEN if text is None else text, value, reading.origin, key)
        return Entry(values, node, reading.origin)

    def _text(self, name: str, node: Node, reading: Reading) -> str | None:
        quantity = quantity_of(name)
        if quantity is not None and not self._is_replaced(node):
            may_be_decimal = quantity.measure == "rate" or (self.of_client and name in FRACTIONAL)
            return self._amount(node, reading, quantity, may_be_decimal=may_be_decimal)
        if type(node) is SequenceNode and not node.tag:
            items = [self._scalar(item, reading, in_list=True) for item in node.value]
            return None if None in items else ",".join(item or "" for item in items)
        return self._scalar(node, reading, in_list=False)

    def _is_replaced(self, node: Node) -> bool:
        return self.of_client and is_untagged_scalar(node) and is_set_at_run_time(node.value)

    @staticmethod
    def _scalar(node: Node, reading: Reading, *, in_list: bool) -> str | None:
        expected = "one value of a list" if in_list else "a value"
        if not is_untagged_scalar(node):
            return reading.wrong(node, expected)
        text: str = node.value
        if in_list and "," in text:
            return reading.wrong(node, expected, "split it into two items of the list")
        if len(text) > MAX_TEXT and is_too_long(node, reading):
            return None
        if not node.style:
            if text in NULLS:
                return reading.wrong(node, expected, "write a value or remove the setting")
            if _AMBIGUOUS.fullmatch(text):
                fix = "quote it" if node in reading.secrets else _unambiguous(text)
                return reading.wrong(node, "an unambiguous value", fix)
            if text in TRUE or text in FALSE:
                return text.lower()
        return text

    @staticmethod
    def _amount(node: Node, reading: Reading, quantity: Quantity, *, may_be_decimal: bool) -> str | None:
        if is_untagged_scalar(node):
            text: str = node.value
            if (plain := units.parse_integer(text)) is not None:
                return str(plain)
            if may_be_decimal and re.fullmatch(_DECIMAL, text):
                return text
            try:
                number = quantity.parse(text)
            except NotWhole:
                return reading.wrong(node, f"a whole number of {quantity.unit}", f"write whole {quantity.unit}")
            if number is not None:
                return str(number)
            if is_too_large(node, reading):
                return None
        return reading.wrong(node, f"{quantity.expected}, or a whole number of {quantity.unit}")

    def build(self, entry: Entry, building: Building) -> dict[str, str]:  # noqa: ARG002 - same for all kinds
        values = {name: child.value for name, child in entry.value.items()}
        if BROKEN in values.values():
            raise Incomplete
        return values

    def schema(self, scope: SchemaScope) -> Json:
        return scope.shared(
            "clientConfig" if self.of_client else "config",
            {
                "title": "Kafka's settings, by Kafka's names",
                "type": "object",
                "propertyNames": {"pattern": f"^{CONFIG_NAME}$"},
                "patternProperties": {
                    **self._amounts(),
                    rf"^(?!(?:{'|'.join(each.name_pattern for each in QUANTITIES)})$)": {
                        "anyOf": [
                            {"type": ["string", "number", "boolean"], "maxLength": MAX_TEXT},
                            {
                                "type": "array",
                                "items": {"type": ["string", "number", "boolean"], "pattern": "^[^,]*$"},
                            },
                        ]
                    },
                },
            },
        )

    def _amounts(self) -> Json:
        if not self.of_client:
            return {f"^(?:{each.name_pattern})$": _amount_schema(each) for each in QUANTITIES}
        replaced, fractional = f"|.*{PATTERN}.*", "|".join(map(re.escape, sorted(FRACTIONAL)))
        times = next(each for each in QUANTITIES if ".ms" in each.suffixes)
        return {
            f"^(?:{fractional})$": _amount_schema(times, replaced, may_be_decimal=True),
            **{
                f"^(?!(?:{fractional})$)(?:{each.name_pattern})$": _amount_schema(each, replaced) for each in QUANTITIES
            },
        }

    def dump(self, value: Any) -> Any:
        return {name: _plain(text) for name, text in value.items()}

    def describe(self) -> str:
        return "a mapping of Kafka's settings"


def _amount_schema(quantity: Quantity, replaced: str = "", *, may_be_decimal: bool = False) -> Json:
    may_be_decimal = may_be_decimal or quantity.measure == "rate"
    bounds = {} if quantity.measure == "rate" else {"minimum": units.SMALLEST, "maximum": units.LARGEST}
    plain = r"[-+]?(?:0|[1-9][0-9]{0,18})" + (f"|{_DECIMAL}" if may_be_decimal else "")
    return {
        "type": ["number" if may_be_decimal else "integer", "string"],
        **bounds,
        "pattern": f"^(?:{plain}|{quantity.pattern}{replaced})$",
        "patternErrorMessage": f"expected {quantity.expected}, or a whole number of {quantity.unit}",
    }


def _plain(text: str) -> Any:
    """Numbers and booleans, if they read back as the same text."""
    if text in {"true", "false"}:
        return text == "true"
    number = units.parse_integer(text)
    return number if number is not None and str(number) == text else text


def _unambiguous(text: str) -> str:
    lowered = text.lower()
    if lowered in {"yes", "on"}:
        return f'write true, or "{text}" if it is text'
    if lowered in {"no", "off"}:
        return f'write false, or "{text}" if it is text'
    return "write a plain decimal number, or quote it if it is text"


@dataclass(frozen=True, slots=True)
class Anything:
    """Any values, such as the options of a rule."""

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if node.tag:
            return reading.wrong(node, "a plain value")
        if type(node) is MappingNode:
            values: dict[str, Entry] = {}
            for key, value in reading.pairs(node):
                entry = self.decode(value, reading) or Entry(BROKEN, value, reading.origin)
                entry.key = key
                values[key.value] = entry
            return Entry(values, node, reading.origin)
        if type(node) is SequenceNode:
            decoded = (self.decode(child, reading) for child in node.value)
            return Entry([entry for entry in decoded if entry is not None], node, reading.origin)
        assert isinstance(node, ScalarNode)  # noqa: S101 - YAML has no fourth kind of node
        return self._scalar(node, reading)

    @staticmethod
    def _scalar(node: ScalarNode, reading: Reading) -> Entry | None:
        """A scalar by YAML 1.2's core schema, except numbers that programs read differently."""
        text: str = node.value
        if len(text) > MAX_TEXT and is_too_long(node, reading):
            return None
        if node.style:
            return Entry(text, node, reading.origin)
        if text in NULLS:
            return Entry(None, node, reading.origin)
        if text in TRUE or text in FALSE:
            return Entry(text in TRUE, node, reading.origin)
        number: float | None = units.parse_integer(text)
        if number is None and NUMBER.fullmatch(text) and ("." in text or "e" in text.lower()):
            number = float(text)
        if number is not None:
            return Entry(number, node, reading.origin)
        if NOT_TEXT.fullmatch(text) or _AMBIGUOUS_NUMBER.fullmatch(text):
            return reading.wrong(node, "a plain decimal number of at most 64 bits, or text", "quote it if it is text")
        return Entry(text, node, reading.origin)

    def build(self, entry: Entry, building: Building) -> Any:
        if entry.value is BROKEN:
            raise Incomplete
        if type(entry.value) is dict:
            return {name: self.build(child, building) for name, child in entry.value.items()}
        if type(entry.value) is list:
            return tuple(self.build(child, building) for child in entry.value)
        return entry.value

    def schema(self, scope: SchemaScope) -> Json:  # noqa: ARG002 - same for all kinds
        return {}

    def dump(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: self.dump(item) for name, item in value.items()}
        if isinstance(value, tuple):
            return [self.dump(item) for item in value]
        return value

    def describe(self) -> str:
        return "any value"


SEVERITY = Choice(("error", "warning", "advice", "off"))
_OPTION = Anything()


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """The severity of a rule, and the options that the rule defines."""

    def decode(self, node: Node, reading: Reading) -> Entry | None:
        if type(node) is not MappingNode or node.tag:
            return reading.wrong(node, self.describe(), "write {severity: off} or the rule's options")
        values: dict[str, Entry] = {}
        for key, value in reading.pairs(node):
            kind = SEVERITY if key.value == "severity" else _OPTION
            entry = kind.decode(value, reading) or Entry(BROKEN, value, reading.origin)
            entry.key = key
            values[key.value] = entry
        return Entry(values, node, reading.origin)

    def build(self, entry: Entry, building: Building) -> dict[str, Any]:
        return {name: build(_OPTION, child, building) for name, child in entry.value.items()}

    def schema(self, scope: SchemaScope) -> Json:
        severity = {**SEVERITY.schema(scope), "description": "Severity of the rule's findings, or off."}
        return {
            "title": "a rule's severity and options",
            "type": "object",
            "properties": {"severity": severity},
            "additionalProperties": True,
        }

    def dump(self, value: Any) -> Any:
        severity = {} if value.severity is None else {"severity": value.severity}
        return severity | {name: _OPTION.dump(option) for name, option in value.options.items()}

    def describe(self) -> str:
        return "a mapping of options"
