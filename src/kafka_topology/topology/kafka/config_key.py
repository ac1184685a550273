"""One setting of Kafka: its name, the values that it accepts, and how Kafka prints a value."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

ConfigType = Literal["boolean", "class", "double", "int", "list", "long", "password", "short", "string"]
Importance = Literal["high", "medium", "low"]

_LIMITS = {"short": 1 << 15, "int": 1 << 31, "long": 1 << 63}
# Longer than any number of Java, and short enough for int().
_WHOLE = re.compile(r"[+-]?[0-9]{1,40}")
# Java would also read "7d" as the number 7.0, but it is meant as days.
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
# Kafka writes a choice that carries a duration as `by_duration:PnDTnHnMn.nS`.
_DURATION_FORM = "PnDTnHnMn.nS"
_DURATION = re.compile(r"\+?P(?=.)([0-9]+D)?(T(?=.)([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]{0,9})?S)?)?", re.IGNORECASE)
# Replicas whose traffic is throttled: a form that no definition of Kafka states, only its validator.
_THROTTLED = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")
_REPLICA = re.compile(r"([0-9]+:[0-9]+)?")


@dataclass(frozen=True, slots=True)
class BrokerKey:
    """A broker config that a topic inherits; `multiplier` turns its unit into the topic's."""

    name: str
    multiplier: int = 1

    def topic_value(self, value: str) -> str:
        """The broker's value as the topic sees it. A negative time means "for ever" in any unit."""
        if self.multiplier == 1:
            return value
        number = int(value)
        return str(number * self.multiplier) if number >= 0 else "-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigKey:
    """A config as one version of Kafka defines it. `default` is None when Kafka has none, or null.

    `since` is the first version of the catalogue that has it (None: the oldest has it), `removed`
    the first that no longer has it. A number may be one of `choices` instead of being in range, and one of the
    `choices` of a boolean is another way to write true or false.
    `combinable` are the choices of a text that commas may join. `distinct` items of a list are
    not empty; Kafka drops a repeated one. `broker_keys` are the broker configs that a topic config inherits,
    the one that wins first.
    """

    name: str
    type: ConfigType
    default: str | None = None
    required: bool = False
    minimum: int | float | None = None
    maximum: int | float | None = None
    choices: tuple[str, ...] = ()
    combinable: tuple[str, ...] = ()
    ignore_case: bool = False
    non_empty: bool = False
    distinct: bool = False
    importance: Importance = "medium"
    since: str | None = None
    removed: str | None = None
    deprecated: bool = False
    internal: bool = False
    broker_keys: tuple[BrokerKey, ...] = ()
    doc: str = ""

    def problem(self, value: str) -> str | None:
        """None if Kafka accepts this text, else what it expects: "must be true or false"."""
        text = value.strip()
        if self._takes(text):
            return None
        limit = _LIMITS.get(self.type)
        if limit is not None and _WHOLE.fullmatch(text) and int(text) >= limit:
            return f"must be {self.expected}, and at most {limit - 1}"
        return f"must be {self.expected}"

    @property
    def expected(self) -> str:
        """The accepted values in words: "a whole number from 1 to 9, or -1"."""
        if self.type == "boolean":
            return "true or false"
        if self.type in _LIMITS or self.type == "double":
            alternative = f", or {_either(self.choices)}" if self.choices else ""
            return f"{self._expected_number()}{alternative}"
        if self.type == "list":
            return self._expected_list()
        if self.combinable:
            joined = ", ".join(self.combinable)
            return f"one of {', '.join(self.choices)}, or several of {joined} separated by commas"
        if self.choices:
            return _either(self.choices)
        return "a text that is not empty" if self.non_empty else "a text"

    def normal(self, value: str) -> str:
        """The text as Kafka prints it, to compare two ways to write one value."""
        text = value.strip()
        if self.problem(text) is not None:
            return text
        if self.type == "boolean":
            return text.lower()
        if self.type in _LIMITS:
            return str(int(text))
        if self.type == "double":
            return _java_double(float(text))
        if self.type == "list":
            return ",".join(_items(text))
        return text

    def _takes(self, text: str) -> bool:
        if self.type == "boolean":
            return text.lower() in ("true", "false") or self._is_choice(text)
        if self.type in _LIMITS:
            return self._is_choice(text) or (_WHOLE.fullmatch(text) is not None and self._in_range(int(text)))
        if self.type == "double":
            return _DECIMAL.fullmatch(text) is not None and self._in_range(float(text))
        if self.type == "list":
            return self._takes_items(_items(text))
        if self.choices:
            return self._is_choice(text) or self._is_combination(_items(text))
        return bool(text) or not self.non_empty

    def _in_range(self, number: float) -> bool:
        limit = _LIMITS.get(self.type, math.inf)
        if not (math.isfinite(number) and -limit <= number < limit):
            return False
        if str(number) in self.choices:
            return True
        return (self.minimum is None or number >= self.minimum) and (self.maximum is None or number <= self.maximum)

    def _takes_items(self, items: list[str]) -> bool:
        if not items:
            return not self.non_empty
        if self.name in _THROTTLED:
            return items == ["*"] or all(_REPLICA.fullmatch(item) for item in items)
        if self.distinct and "" in items:
            return False
        return not self.choices or all(self._is_choice(item) for item in items)

    def _is_choice(self, text: str) -> bool:
        if self.ignore_case:
            return text.lower() in (choice.lower() for choice in self.choices)
        return any(
            _DURATION.fullmatch(text, pos=len(choice) - len(_DURATION_FORM)) is not None
            and text.startswith(choice.removesuffix(_DURATION_FORM))
            if choice.endswith(_DURATION_FORM)
            else text == choice
            for choice in self.choices
        )

    def _is_combination(self, items: list[str]) -> bool:
        return bool(items) and all(item in self.combinable for item in items)

    def _expected_number(self) -> str:
        kind = "a number" if self.type == "double" else "a whole number"
        low, high = self.minimum, self.maximum
        if low is None and high is None:
            return kind
        if low is None:
            return f"{kind} of at most {high}"
        return f"{kind} of at least {low}" if high is None else f"{kind} from {low} to {high}"

    def _expected_list(self) -> str:
        if self.name in _THROTTLED:
            return "* for all replicas, or a list of partition:broker such as 0:101,1:102"
        what = "values that are not empty" if self.distinct and not self.choices else "values"
        if self.choices:
            what = f"{what} out of {', '.join(self.choices)}"
        at_least = "one or more " if self.non_empty else ""
        return f"a comma-separated list of {at_least}{what}"


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")] if text else []


def _either(choices: tuple[str, ...]) -> str:
    return f"one of {', '.join(choices)}" if len(choices) > 1 else choices[0]


def _java_double(number: float) -> str:
    """Java prints 0.0001 as 1.0E-4 and 10000000 as 1.0E7."""
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(number)
    digits = "".join(c for c in repr(abs(number)).split("e")[0] if c != ".").strip("0")
    exponent = int(f"{number:.17e}".split("e")[1])
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"
