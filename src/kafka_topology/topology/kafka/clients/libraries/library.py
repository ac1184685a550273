"""What a client library knows: its settings under its own names, its defaults, and its default partitioner.

Values and defaults are compared in the Java client's terms, because Kafka documents its guarantees in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from ....model.units import format_duration, parse_duration, parse_integer
from ...config_key import ConfigKey
from ...quantities import NotWhole, Quantity, quantity_of
from .relations import Relation, Side, Values

_SIDES: tuple[Side, ...] = ("producer", "consumer")
_LARGEST_INT = 2**31 - 1
# How a value differs from Java's: `duration` has a unit, `kib` counts 1024 bytes, `inverted` says the opposite, `flag`
# is an option that is there or not and says the opposite of Java's setting, `code` is a list of objects, and `attempts`
# counts the first one, too.
Form = Literal["same", "text", "duration", "kib", "inverted", "flag", "code", "attempts"]
Style = Literal["properties", "spring", "librdkafka", "python", "sarama", "franz-go", "kafka-go", "kafkajs"]


@dataclass(frozen=True, slots=True)
class Own:
    """One setting of a library. `java` is the same setting of the Java client, if it has one.

    `default` is the library's, as Java would write it. `words` are its names for values, with Java's. `counts` is a
    name of Java that counts the same, such as milliseconds, for a setting that Java does not have.
    """

    java: str | None = None
    default: str | None = None
    form: Form = "same"
    words: tuple[tuple[str, str], ...] = ()
    key: ConfigKey | None = None
    counts: str | None = None

    @property
    def quantity(self) -> Quantity | None:
        """What its number counts; None if it takes no unit, or if the unit is part of the value."""
        name = self.java or self.counts
        return quantity_of(name) if name is not None and self.form == "same" else None

    def plain(self, value: str) -> str:
        """An amount with a unit as the number that the library takes. What does not fit stays as it is."""
        quantity = self.quantity
        if quantity is None or parse_integer(value) is not None:
            return value
        try:
            number = quantity.parse(value)
        except NotWhole:
            return value
        return value if number is None else str(number)

    def to_java(self, value: str) -> str:
        """A value as the Java client writes it. What does not fit stays as it is."""
        ignores_case = self.key is not None and self.key.ignore_case
        for own, java in self.words:
            if value == own or (self.form == "code" and bare(value) == bare(own)):
                return java
            if ignores_case and value.lower() == own.lower():
                return java
        if self.words and "," in value:
            return ",".join(self.to_java(item.strip()) for item in value.split(","))
        if self.form == "duration":
            amount = parse_duration(value)
            return value if amount is None else str(amount)
        number = parse_integer(value)
        if self.form == "kib" and number is not None:
            return str(number * 1024)
        if self.form in ("inverted", "flag") and value in ("true", "false"):
            return "false" if value == "true" else "true"
        if self.form == "attempts" and number is not None:
            return self.default or value if number < 1 else str(number - 1)  # below one, it takes its default
        return self.plain(value)

    def from_java(self, value: str) -> str | None:
        """A value of the Java client as the library writes it; None if the library has no such value."""
        for own, java in self.words:
            if value == java:
                return own
        if self.words and "," in value:
            items = [self.from_java(item.strip()) for item in value.split(",")]
            return None if None in items else ",".join(item for item in items if item is not None)
        number = parse_integer(value)
        if self.form == "duration":
            return None if number is None else format_duration(number)
        if self.form == "kib":
            return None if number is None else str(max(1, number // 1024))
        if self.form == "attempts" and number is not None:
            return str(min(number + 1, _LARGEST_INT))
        if self.form in ("inverted", "flag"):
            return {"true": "false", "false": "true"}.get(value)
        return None if self.words and number is None else value


def bare(code: str) -> str:
    """`Murmur2Balancer` of `&kafka.Murmur2Balancer{}`. Arguments stay: they can change what it does."""
    plain = "".join(code.split()).removeprefix("&")
    name, brace, arguments = plain.partition("{")
    return (name.rsplit(".", 1)[-1] + brace + arguments).removesuffix("{}").removesuffix("()")


# A setting, its value or None to leave it out, and why.
Change: TypeAlias = tuple[str, str | None, str]


@dataclass(frozen=True)
class Library:
    """`partitioner` is the default one, by the name of our table. `partitioners` are its own names for those.

    `fixed` is what holds for every client of the library, by Java's name, although no setting says it; `in_code` says
    where a program hands over what is no setting. Defaults that depend on another setting are in `when_idempotent` and
    `when_transactional`.
    """

    name: str
    title: str
    style: Style
    partitioner: str
    producer: Mapping[str, Own] = field(default_factory=dict)
    consumer: Mapping[str, Own] = field(default_factory=dict)
    partitioners: Mapping[str, str] = field(default_factory=dict)
    partitioner_setting: str | None = None
    version: str = ""
    fixed: Mapping[Side, Mapping[str, str]] = field(default_factory=dict)
    in_code: Mapping[str, str] = field(default_factory=dict)
    when_idempotent: Mapping[str, str] = field(default_factory=dict)
    when_transactional: Mapping[str, str] = field(default_factory=dict)
    idempotent_in_flight: int = 5  # the most requests in flight that an idempotent producer may have
    # It decides on the requests in flight of an idempotent producer, and refuses a setting other than 1.
    chooses_in_flight: bool = False
    # Its default idempotence does not yield to other settings: they must turn it off, or it does not start.
    keeps_idempotence: bool = False
    # The setting of Java that one record must not outlast, if a poll has no number of records.
    record_limit: str | None = None
    # Auto-commit commits only what the application processed: always (True), or with this setting and value.
    commits_processed: tuple[str, str] | bool = False
    commits_how: str | None = None  # how an application commits what it processed, if the usual call does not
    # One client reads and writes, and with a transactional id it never commits by itself.
    commits_in_transactions: bool = False
    mixes_assignors: bool = True  # whether a member may offer eager and cooperative assignors at once
    has_java_names: bool = False
    relations: tuple[Relation, ...] = ()  # what it refuses together
    # Defaults that follow from other settings, by Java's name.
    adapts: Mapping[str, Callable[[Values], str | None]] = field(default_factory=dict)
    # What the library refuses of settings that the Java client takes.
    fit: Callable[[Side, Mapping[str, Own], Mapping[str, str]], Iterator[Change]] | None = None

    @property
    def limits_in_flight(self) -> bool:
        """Whether its idempotent producers allow less than five requests in flight, or no setting at all."""
        return self.chooses_in_flight or self.idempotent_in_flight == 1

    def commits_only_processed(self, config: Mapping[str, str]) -> bool:
        """Whether auto-commit with these settings, by the library's names, is at-least-once."""
        if isinstance(self.commits_processed, bool):
            return self.commits_processed
        name, value = self.commits_processed
        return config.get(name) == value

    def settings(self, side: Side) -> Mapping[str, Own]:
        return self.producer if side == "producer" else self.consumer

    @cached_property
    def _by_java(self) -> Mapping[Side, Mapping[str, str]]:
        """The library's name of a Java setting; of several, the same one or else the first."""
        found: dict[Side, Mapping[str, str]] = {}
        for side in _SIDES:
            names: dict[str, str] = {}
            for name, own in self.settings(side).items():
                if own.java is not None:
                    names[own.java] = name if own.java == name else names.get(own.java, name)
            found[side] = names
        return found

    def partitioner_called(self, text: str) -> str | None:
        """The partitioner that is meant by the library's name for it, with or without its package and braces."""
        wanted = bare(text)
        return next((name for name, own in reversed([*self.partitioners.items()]) if bare(own) == wanted), None)

    def own_name(self, side: Side, java: str) -> str | None:
        """What the library calls a setting of the Java client; None if it has none."""
        return java if self.has_java_names else self._by_java[side].get(java)

    def can_say(self, side: Side, java: str, value: str) -> bool:
        """Whether the library has a setting and a value for what the Java client calls this."""
        if self.has_java_names:
            return True
        name = self.own_name(side, java)
        return name is not None and self.settings(side)[name].from_java(value) is not None

    def default(self, side: Side, java: str, given: Mapping[str, str]) -> str | None:
        """The value without a setting, in Java's terms; None if the library has no such thing."""
        fixed = self.fixed.get(side, {}).get(java)
        if fixed is not None:
            return fixed
        if side == "producer":
            if java in self.when_transactional and "transactional.id" in given:
                return self.when_transactional[java]
            if java in self.when_idempotent and self._is_idempotent(given):
                return self.when_idempotent[java]
        name = self._by_java[side].get(java)
        return self.settings(side)[name].default if name is not None else None

    def adapted(self, side: Side, java: str, given: Mapping[str, str]) -> str | None:
        """The default as the client adapts it to its other settings."""
        adapt = self.adapts.get(java)
        if adapt is None:
            return self.default(side, java, given)
        return adapt(Values(given, lambda name: self.default(side, name, given)))

    def _is_idempotent(self, given: Mapping[str, str]) -> bool:
        value = given.get("enable.idempotence") or self.default("producer", "enable.idempotence", given)
        return value == "true"
