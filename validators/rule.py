"""What a rule is: an id, what it looks for, why, how to mend it, and examples that the tests run and the docs show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..topology.effective import EffectiveSettings
from ..topology.findings import Edit, Related, Severity
from ..topology.model import Topology
from ..topology.places import Location, Place
from .changes import Changes
from .indexes import Index
from .suppressions import Suppressions


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
    kind: str | None = None  # only where a topic, a group, … of the same name would be a guess; see resources.py


@dataclass(frozen=True, slots=True)
class Context:
    """All that a rule may look at."""

    topology: Topology
    settings: EffectiveSettings
    index: Index
    options: Mapping[str, object] = field(default_factory=dict)
    before: Topology | None = None  # the earlier version, for rules about a change
    suppressions: Suppressions | None = None  # for the one rule that judges them, after all others ran
    compared: Changes | None = None

    @property
    def changes(self) -> Changes:
        """What is different from the earlier version. Rules about changes run only where there is one."""
        assert self.compared is not None  # noqa: S101 - the engine has compared them
        return self.compared

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

    def texts(self, option: str) -> tuple[str, ...]:
        """An option that is a list of texts; a single text is a list of one."""
        value = self.options[option]
        return tuple(str(item) for item in value) if isinstance(value, list | tuple) else (str(value),)


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


FoundBy = Literal["check", "loader", "engine", "audit"]
Check = Callable[[Context], Iterator[Problem]]


def found_elsewhere(context: Context) -> Iterator[Problem]:  # noqa: ARG001 - as every check
    """The check of a rule whose findings come from the loader, the engine or an audit of the live cluster."""
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
    about_suppressions: bool = False  # runs after all others, and cannot be suppressed itself
    found_by: FoundBy = "check"  # what others find has a page here, and a check that finds nothing
    before: str | None = None  # the earlier version that the examples are changes of
