"""Settings that a client refuses together: it takes each of them, and does not start with both.

A library lists its relations as data. `kafka-topology clients` changes a setting until they hold, and the rules report
those that a file breaks. Names and values are the Java client's; settings that it does not have keep their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ....model.units import kafka_integer

Side = Literal["producer", "consumer"]
# A setting, and the value that it has; without a value, that the client sets it at all.
Condition: TypeAlias = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Values:
    """What a client sets, and what it does without: `default` knows the rest."""

    given: Mapping[str, str]
    default: Callable[[str], str | None]

    def value(self, name: str) -> str | None:
        return self.given.get(name, self.default(name))

    def number(self, name: str) -> int | None:
        return kafka_integer(self.value(name) or "")

    def meet(self, conditions: tuple[Condition, ...]) -> bool:
        return all(
            name in self.given if value is None else _plain(self.value(name)) == value for name, value in conditions
        )


def _plain(value: str | None) -> str:
    text = (value or "").strip().lower()
    return "all" if text == "-1" else text


# What to change: a setting, and its value or None to leave it out.
Move: TypeAlias = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Relation:
    """Holds for clients of one side that meet all of `when` and not all of `unless`.

    `found_by` is the rule that reports it, where `found_if` is met, so that it is reported once.
    """

    side: Side
    when: tuple[Condition, ...] = field(default=(), kw_only=True)
    unless: tuple[Condition, ...] = field(default=(), kw_only=True)
    found_by: str | None = field(default=None, kw_only=True)
    found_if: tuple[Condition, ...] = field(default=(), kw_only=True)

    def applies(self, values: Values) -> bool:
        return values.meet(self.when) and not (self.unless and values.meet(self.unless))

    def is_broken(self, values: Values) -> bool:
        raise NotImplementedError

    @property
    def names(self) -> tuple[str, ...]:
        """The settings that it is about; a finding points to the first that is declared."""
        raise NotImplementedError

    def expected(self, called: Callable[[str], str] = str) -> str:
        """What the client expects of them. `called` gives the library's names."""
        raise NotImplementedError

    def moves(self, values: Values) -> Iterator[Move]:
        """Changes that make it hold, the best first."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class AtLeast(Relation):
    """`name` is at least the sum of `parts`, plus `gap`. `lowers` is the part to change rather than raise `name`.

    It stays at least the sum of `floor`.
    """

    name: str
    parts: tuple[str, ...]
    gap: int = 0
    lowers: str | None = field(default=None, kw_only=True)
    floor: tuple[str, ...] = field(default=(), kw_only=True)
    # When `lowers` must change: to this part of `name`, because the largest that the client takes leaves no room.
    fraction: int = field(default=1, kw_only=True)
    most: int | None = field(default=None, kw_only=True)  # that the client expects, however large the sum is

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.parts)

    def is_broken(self, values: Values) -> bool:
        number, least = values.number(self.name), self._least(values)
        return number is not None and least is not None and number < least and self.applies(values)

    def _least(self, values: Values) -> int | None:
        numbers = [values.number(part) for part in self.parts]
        known = [number for number in numbers if number is not None]
        if len(known) < len(numbers):
            return None
        least = sum(known) + self.gap
        return least if self.most is None else min(least, self.most)

    def expected(self, called: Callable[[str], str] = str) -> str:
        gap = f" {'+' if self.gap > 0 else '-'} {abs(self.gap)}" if self.gap else ""
        return f"{called(self.name)} of at least {' + '.join(map(called, self.parts))}{gap}"

    def moves(self, values: Values) -> Iterator[Move]:
        number, least = values.number(self.name), self._least(values)
        if number is None or least is None:
            return
        if self.lowers is not None:
            lowered = (values.number(self.lowers) or 0) - (least - number)
            if self.fraction > 1:
                lowered = min(lowered, number // self.fraction)
            if lowered >= sum(values.number(part) or 0 for part in self.floor):
                yield self.lowers, str(lowered)
        yield self.name, str(least)


@dataclass(frozen=True, slots=True)
class Only(Relation):
    """`name` has this value, or is not set at all."""

    name: str
    value: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *(name for name, _ in self.when))

    def is_broken(self, values: Values) -> bool:
        return self.name in values.given and _plain(values.value(self.name)) != self.value and self.applies(values)

    def expected(self, called: Callable[[str], str] = str) -> str:
        name = called(self.name)
        what = f"no {name}" if self.value is None else f"{name}={self.value}"
        return f"{what}{_said(' with ', self.when, called)}{_said(' without ', self.unless, called)}"

    def moves(self, values: Values) -> Iterator[Move]:
        del values
        yield self.name, self.value


def _said(word: str, conditions: tuple[Condition, ...], called: Callable[[str], str]) -> str:
    texts = [called(name) if value is None else f"{called(name)}={value}" for name, value in conditions]
    return word + " and ".join(texts) if texts else ""


# Every idempotent producer and every consumer of the classic protocol.
NO_TRANSACTION_WITHOUT_IDEMPOTENCE = Only(
    "producer",
    "transactional.id",
    when=(("enable.idempotence", "false"),),
    found_by="KT402",
    found_if=(("acks", "all"),),
)
HEARTBEAT_BELOW_SESSION = AtLeast(
    "consumer",
    "session.timeout.ms",
    ("heartbeat.interval.ms",),
    1,
    lowers="heartbeat.interval.ms",
    fraction=3,
    unless=(("group.protocol", "consumer"),),
    found_by="KT504",
)
