"""Limits that a platform team sets for topics by name: what may be written, and which limits apply to a topic.

payments.:                       every topic whose name starts with it
  partitions: {min: 6, max: 48}
  replication: 3                 exactly
  retention.ms: {max: 7d}
  compression.type: [zstd, lz4]  one of these
"*.dlq":                         with a star: the whole name
  retention.ms: {max: 30d}
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from kafka_topology.topology.kafka.catalogue import Catalogue, ConfigKey
from kafka_topology.topology.model.units import (
    format_duration,
    format_size,
    kafka_integer,
    parse_duration,
    parse_size,
)
from kafka_topology.topology.model.words import did_you_mean

COUNTS = ("partitions", "replication")
_ALIASES = {"retention": "retention.ms"}
_WORDS = ("min", "max", "allowed")
# Settings of Kafka's distributions, which no catalogue lists.
_VENDORS = ("confluent.", "redpanda.")
_NUMBERS = ("short", "int", "long", "double")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a limit is about: a count of a topic, or one of its settings. `key` is None if Kafka has no such setting."""

    name: str
    key: ConfigKey | None = None

    @property
    def is_number(self) -> bool:
        return self.name in COUNTS or (self.key is not None and self.key.type in _NUMBERS)

    def number(self, text: str) -> float | None:
        """Kafka's number, or a text with a unit. Negative numbers of Kafka mean that there is no limit."""
        number: float | None = kafka_integer(text)
        if number is None and self.name.endswith(".ms"):
            number = parse_duration(text)
        if number is None and self.name.endswith(".bytes"):
            number = parse_size(text)
        if number is None and self.key is not None and self.key.type == "double":
            number = _decimal(text)
        return math.inf if number is not None and number < 0 else number

    def same(self, text: str) -> object:
        """Equal for two ways to write one value."""
        if self.is_number:
            return self.number(text)
        if self.key is not None and self.key.type == "list":
            return frozenset(item.strip() for item in text.split(",") if item.strip())
        return text.strip().lower()

    def shown(self, number: float) -> str:
        if number == math.inf:
            return "forever" if self.name.endswith(".ms") else "no limit"
        if self.name.endswith(".ms"):
            return format_duration(int(number))
        if self.name.endswith(".bytes"):
            return format_size(int(number))
        return f"{number:g}"


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit. `path` leads to it in the options of the rule."""

    pattern: str
    subject: Subject
    path: tuple[str, ...]
    least: float = -math.inf
    most: float = math.inf
    allowed: tuple[str, ...] = ()

    def accepts(self, text: str) -> bool:
        if self.allowed and self.subject.same(text) not in [self.subject.same(value) for value in self.allowed]:
            return False
        if self.least == -math.inf and self.most == math.inf:
            return True
        number = self.subject.number(text)
        return number is not None and self.least <= number <= self.most

    @property
    def expected(self) -> str:
        parts = [" or ".join(self.allowed)] if self.allowed else []
        if self.least > -math.inf:
            parts.append(f"at least {self.subject.shown(self.least)}")
        if self.most < math.inf:
            parts.append(f"at most {self.subject.shown(self.most)}")
        return " and ".join(parts)

    @property
    def whom(self) -> str:
        if self.pattern.strip("*") == "":
            return "every topic"
        if "*" in self.pattern:
            return f"topics named {self.pattern}"
        return f"topics that start with {self.pattern}"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A limit that cannot be used: where in the options, what is wrong, and what to write. `of_name`: at the name."""

    path: tuple[str, ...]
    message: str
    fix: str
    of_name: bool = False


class Limits:
    """The limits in the options, and the mistakes in them."""

    def __init__(self, options: Mapping[str, object], known: Catalogue) -> None:
        self.mistakes: list[Mistake] = []
        self.by_pattern: dict[str, list[Limit]] = {}
        self._known = known
        for pattern, limits in options.items():
            self.by_pattern[pattern] = []
            if not isinstance(limits, Mapping) or not limits:
                self._wrong((pattern,), f"`{pattern}` has no limits", "write limits such as `partitions: {max: 48}`")
                continue
            for name, limit in limits.items():
                subject = self._subject(pattern, str(name))
                if subject is not None:
                    self.by_pattern[pattern].extend(self._limit(subject, (pattern, str(name)), limit))

    def matching(self, pattern: str) -> Callable[[str], bool]:
        """Whether a name is one that the pattern is about."""
        if "*" not in pattern:
            return lambda name: name.startswith(pattern)
        matches = re.compile(".*".join(map(re.escape, pattern.split("*")))).fullmatch
        return lambda name: matches(name) is not None

    def _subject(self, pattern: str, name: str) -> Subject | None:
        if name in COUNTS:
            return Subject(name)
        meant = _ALIASES.get(name, name)
        key = self._known.topic.get(meant)
        if key is not None or meant.startswith(_VENDORS):
            return Subject(meant, key)
        other = self._known.in_other_version("topic", meant)
        if other is not None:
            when = f"removed in {other.removed}" if other.removed else f"added in {other.since}"
            fix = f"remove the limit, or correct `cluster.kafka`: it was {when}"
        else:
            fix = did_you_mean(name, [*COUNTS, *_ALIASES, *self._known.topic]) or (
                "write partitions, replication or the name of a topic's setting"
            )
        self._wrong((pattern, name), f"Kafka {self._known.version} has no topic setting `{name}`", fix, of_name=True)
        return None

    def _limit(self, subject: Subject, path: tuple[str, str], limit: object) -> Iterator[Limit]:
        pattern, name = path
        if not isinstance(limit, Mapping):
            values = self._values(subject, path, limit)
            if values:
                yield Limit(pattern, subject, path, allowed=values)
            return
        found = len(self.mistakes)
        for word in limit:
            if word not in _WORDS:
                fix = did_you_mean(str(word), _WORDS) or f"write {', '.join(_WORDS)}"
                self._wrong((*path, str(word)), f"a limit has no `{word}`", fix, of_name=True)
        least = self._bound(subject, (*path, "min"), limit.get("min"), -math.inf)
        most = self._bound(subject, (*path, "max"), limit.get("max"), math.inf)
        allowed = self._values(subject, (*path, "allowed"), limit["allowed"]) if "allowed" in limit else ()
        if least > most:
            message = f"min of {name} is {subject.shown(least)}, above max of {subject.shown(most)}"
            self._wrong(path, message, "swap them, or correct one")
        if not limit:
            self._wrong(path, f"{name} has no limit", "write min, max or allowed")
        if len(self.mistakes) == found:
            yield Limit(pattern, subject, path, least, most, allowed)

    def _bound(self, subject: Subject, path: tuple[str, ...], value: object, missing: float) -> float:
        if value is None:
            return missing
        if not subject.is_number:
            what = f"{subject.name} is not a number, so it has no {path[-1]}"
            self._wrong(path, what, "list the values under allowed", of_name=True)
            return missing
        number = subject.number(_text(value))
        if number is None:
            self._wrong(path, f"{path[-1]} of {subject.name} is `{_text(value)}`", f"write {_unit(subject)}")
            return missing
        return number

    def _values(self, subject: Subject, path: tuple[str, ...], value: object) -> tuple[str, ...]:
        values = tuple(_text(item) for item in value) if isinstance(value, tuple) else (_text(value),)
        for text in values:
            number = subject.number(text) if subject.is_number else None
            plain = text if number is None or math.isinf(number) else f"{number:g}" if number % 1 else str(int(number))
            problem = subject.key.problem("-1" if number == math.inf else plain) if subject.key is not None else None
            if problem is not None or (subject.is_number and number is None):
                self._wrong(path, f"{subject.name} cannot be `{text}`", f"write {_unit(subject)}")
                return ()
        if not values:
            self._wrong(path, f"{subject.name} has no allowed values", "list at least one")
        return values

    def _wrong(self, path: tuple[str, ...], message: str, fix: str, *, of_name: bool = False) -> None:
        self.mistakes.append(Mistake(path, message, fix, of_name))


def specificity(pattern: str) -> int:
    """The more of a name a pattern spells out, the more specific it is."""
    return len(pattern.replace("*", ""))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _unit(subject: Subject) -> str:
    if subject.name.endswith(".ms"):
        return "a duration such as 7d, or a whole number"
    if subject.name.endswith(".bytes"):
        return "a size such as 1GiB, or a whole number"
    return subject.key.expected if subject.key is not None else "a whole number"


def _decimal(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
