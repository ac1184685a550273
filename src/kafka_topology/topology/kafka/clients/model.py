"""The settings of a client: what it needs, what a file declares for it, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...model.units import kafka_integer
from ..config_key import ConfigKey
from ..run_time_values import is_set_at_run_time
from .libraries import Library, Own
from .libraries.values import expected_value
from .own_classes import missing_class

ClientKind = Literal["producer", "consumer", "share-consumer", "streams"]


@dataclass(frozen=True, slots=True)
class Property:
    """One setting. `is_needed` is false if the topology declares it and no promise depends on it.

    `replaced` is the declared value that breaks the promise, if any.
    """

    name: str
    value: str
    reason: str
    is_needed: bool = True
    replaced: str | None = None


@dataclass(frozen=True, slots=True)
class Client:
    """The settings of one role, by the Java client's names. `partitioner` is the language's name, or None."""

    kind: ClientKind
    name: str
    properties: tuple[Property, ...]
    partitioner: str | None = None
    notes: tuple[str, ...] = ()
    library: Library | None = None
    own: tuple[Property, ...] = ()  # declared settings of its library that the Java client does not have

    @property
    def title(self) -> str:
        return f"{self.kind} {self.name}"


Allows = Callable[[str], bool]


@dataclass(slots=True)
class Settings:
    """Combines what one client needs with what is declared for it."""

    declared: Mapping[str, str]
    keys: Mapping[str, ConfigKey] = field(default_factory=dict)  # what the Java client accepts, by name
    # For a library with names of its own: by Java's name, its setting and the value as the file writes it.
    own: Mapping[str, tuple[Own, str]] = field(default_factory=dict)
    found: dict[str, Property] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def need(self, name: str, value: str, reason: str, allows: Allows | None = None) -> None:
        """`allows` accepts declared values that also keep the promise; without it only the needed value does."""
        declared = self.declared.get(name)
        if declared is None or declared == value:
            self.found[name] = Property(name, value, reason)
        elif is_set_at_run_time(declared):
            self.found[name] = Property(name, declared, f"declared, and set where it runs; {reason}: {value}")
        elif (refused := self._refused(name, declared)) is not None:
            written = self.own[name][1] if name in self.own else declared
            why = f"{reason}; the client refuses the declared {written}: it {refused}"
            self.found[name] = Property(name, value, why, replaced=declared)
        elif allows is not None and allows(declared):
            self.found[name] = Property(name, declared, f"declared; {reason}")
        else:
            broken = f"{reason}; the declared {declared} breaks this"
            self.found[name] = Property(name, value, broken, replaced=declared)

    def _refused(self, name: str, value: str) -> str | None:
        key = self.keys.get(name)
        if is_set_at_run_time(value):
            return None
        if name in self.own:
            expected = expected_value(self.own[name][0], key, self.own[name][1])
            return None if expected is None else f"must be {expected}"
        if (missing := missing_class(name, value)) is not None:
            return f"must be one of {', '.join(missing[1])}, or a class of your own"
        return None if key is None or key.type == "password" else key.problem(value)

    def number(self, name: str, default: int) -> int:
        number = kafka_integer(self.declared.get(name, ""))
        return default if number is None else number

    def all(self) -> tuple[Property, ...]:
        rest = {name: value for name, value in self.declared.items() if name not in self.found}
        for name, value in list(rest.items()):
            refused = self._refused(name, value)
            if refused is not None:
                self.notes.append(f"{name}={value}: left out, because the client refuses it: it {refused}")
                del rest[name]
        return (
            *self.found.values(),
            *(Property(name, value, "declared", is_needed=False) for name, value in rest.items()),
        )
