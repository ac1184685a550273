"""What a rule is: an id, what it looks for, why, how to mend it, and examples that the tests run and the docs show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..topology.effective import EffectiveSettings
from ..topology.findings import Edit, Related, Severity
from ..topology.model import Topology
from ..topology.places import Location, Place
from .indexes import Index


@dataclass(frozen=True, slots=True)
class Problem:
    """What a rule found: the value that must change (`at`), on which resource, and what to do.

    `message` states the actual value and the expected one. When the value was inherited, `at` is the place that
    set it, and the engine names the resource that suffers from it.
    """

    message: str
    at: Place | Location
    resource: str
    remediation: str
    related: tuple[Related, ...] = ()
    edits: tuple[Edit, ...] = ()
    severity: Severity | None = None  # only where one rule has two severities


@dataclass(frozen=True, slots=True)
class Context:
    """All that a rule may look at."""

    topology: Topology
    settings: EffectiveSettings
    index: Index
    options: Mapping[str, object] = field(default_factory=dict)
    before: Topology | None = None  # the earlier version, for rules about a change

    def number(self, option: str) -> int:
        """An option that is a whole number. Options are checked before a rule runs."""
        value = self.options[option]
        assert isinstance(value, int)  # noqa: S101 - the engine has checked it
        return value

    def text(self, option: str) -> str:
        """An option that is a text."""
        value = self.options[option]
        assert isinstance(value, str)  # noqa: S101 - the engine has checked it
        return value


@dataclass(frozen=True, slots=True)
class Option:
    name: str
    default: object
    doc: str


@dataclass(frozen=True, slots=True)
class Bad:
    """A topology that the rule must find fault with, exactly here (line and column count from 1)."""

    yaml: str
    line: int
    column: int
    before: str | None = None  # the earlier version, for a rule about changes
    more_files: Mapping[str, str] = field(default_factory=dict)  # by name, beside the first


FoundBy = Literal["check", "loader", "engine"]
Check = Callable[[Context], Iterator[Problem]]


def found_elsewhere(context: Context) -> Iterator[Problem]:  # noqa: ARG001 - as every check
    """The check of a rule whose findings come from the loader or the engine."""
    return iter(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. `name` is the bad pattern in kebab case; texts are Markdown."""

    id: str
    name: str
    severity: Severity
    summary: str
    why: str
    fix: str
    check: Check
    good: tuple[str, ...]
    bad: tuple[Bad, ...]
    options: tuple[Option, ...] = ()
    requirements: tuple[str, ...] = ()
    enabled: bool = True
    about_changes: bool = False
    found_by: FoundBy = "check"  # what the loader or the engine finds has a page here, and a check that finds nothing
    before: str | None = None  # the earlier version that the examples are changes of
