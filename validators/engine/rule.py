"""A rule: its id, what it looks for, why, how to fix it, and examples that the tests run and the docs show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from kafka_topology.topology.kafka.effective import EffectiveSettings
from kafka_topology.topology.model.declared import Topology
from kafka_topology.topology.model.findings import Edit, Related, Severity
from kafka_topology.topology.model.places import Location, Place
from kafka_topology.topology.model.units import parse_duration, parse_rate, parse_size

from ..facts.changes import Changes
from ..facts.indexes import Index
from .suppressions import Suppressions

Measure = Literal["duration", "size", "rate"]


@dataclass(frozen=True, slots=True)
class Problem:
    """What a rule found: the place of the value that must change (`at`), the resource, and the fix.

    `message` states the actual value and the expected one. If the value is inherited, `at` is the place that set
    it, and the engine adds the resource that inherits it.
    """

    message: str
    at: Place | Location
    resource: str
    fix: str
    related: tuple[Related, ...] = ()
    edits: tuple[Edit, ...] = ()
    severity: Severity | None = None  # only if the rule has two severities
    kind: str | None = None  # only if several kinds may have a resource of that name; see resources.py
    evidence: Mapping[str, object] = field(default_factory=dict)  # the facts of the message, for programs


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that a rule may read."""

    topology: Topology
    settings: EffectiveSettings
    index: Index
    options: Mapping[str, object] = field(default_factory=dict)
    before: Topology | None = None  # the earlier version, for rules about a change
    suppressions: Suppressions | None = None  # for the rule about suppressions, which runs last
    compared: Changes | None = None
    is_part: bool = False  # only some resources are known, as Kafka stores them; see `Rule.judges_parts`

    @property
    def changes(self) -> Changes:
        """The differences from the earlier version. Rules about changes run only if there is one."""
        assert self.compared is not None  # noqa: S101 - the engine compares them first
        return self.compared

    def number(self, option: str) -> int:
        """An option that is a whole number. The engine checks options before a rule runs."""
        value = self.options[option]
        assert isinstance(value, int)  # noqa: S101 - the engine has checked it
        return value

    def text(self, option: str) -> str:
        """An option that is text."""
        value = self.options[option]
        assert isinstance(value, str)  # noqa: S101 - the engine has checked it
        return value

    def amount(self, option: str) -> int:
        """An option with a measure: milliseconds, bytes, or bytes per second; -1 for `forever`."""
        amount = amount_of(self.options[option])
        assert amount is not None  # noqa: S101 - the engine has checked it
        return amount

    def texts(self, option: str) -> tuple[str, ...]:
        """An option that is a list of text; a single text counts as a list of one."""
        value = self.options[option]
        return tuple(str(item) for item in value) if isinstance(value, list | tuple) else (str(value),)


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a rule. One with a `measure` is text with a unit, such as "30s"; `Context.amount` reads it."""

    name: str
    default: object
    doc: str
    measure: Measure | None = None


@dataclass(frozen=True, slots=True)
class Bad:
    """A topology with exactly one finding of the rule, at this line and column (both count from 1)."""

    yaml: str
    line: int
    column: int
    before: str | None = None  # the earlier version, for a rule about changes
    more_files: Mapping[str, str] = field(default_factory=dict)  # next to the first file, by name
    needs_whole: bool = False  # for a rule that judges parts: only a whole topology shows this finding


_PARSERS: Mapping[Measure, Callable[[str], int | None]] = {
    "duration": parse_duration,
    "size": parse_size,
    "rate": parse_rate,
}


def amount_of(value: object, measure: Measure | None = None) -> int | None:
    """The number that a text with a unit stands for; None if it is no such text, or not of this measure."""
    if not isinstance(value, str):
        return None
    parsers = _PARSERS.values() if measure is None else (_PARSERS[measure],)
    return next((amount for parse in parsers if (amount := parse(value)) is not None), None)


FoundBy = Literal["check", "loader", "engine", "audit", "preflight"]
Check = Callable[[Context], Iterator[Problem]]


def found_elsewhere(context: Context) -> Iterator[Problem]:  # noqa: ARG001 - the signature of every check
    """The check of a rule whose findings come from the loader, the engine, or a look at a live cluster."""
    return iter(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. `name` is the bad pattern in kebab case; the texts are Markdown."""

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
    # For a rule about changes: which changes of a review it explains. `topic.partitions` is a field, `topic.config.`
    # means all fields with that prefix, and `topic` means a topic that is added or removed.
    changed: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()  # retired ids of rules that became part of this one; suppressions may name them
    about_suppressions: bool = False  # runs after all others, and cannot be suppressed itself
    # Whether each finding on a part of a topology also holds for the whole. Such a rule also runs on each resource of
    # a Pulumi program. If `Context.is_part` is true, it must not conclude anything from what is absent: a reader, an
    # owner, a broker's default, a client's setting.
    judges_parts: bool = False
    # Only the file that sets the rule under `rules:` may change its settings or suppress its findings: others are
    # judged by it and must not lift it.
    set_by_one_file: bool = False
    # Whether its findings hold whatever replaces a placeholder such as `${env:NAME}` in a client's setting. Those of
    # other rules about such a value are dropped.
    judges_placeholders: bool = False
    found_by: FoundBy = "check"  # for findings made elsewhere: a page, and a check that finds nothing
    before: str | None = None  # the earlier version of the examples

    @property
    def is_live(self) -> bool:
        """Whether its findings come from a live cluster, and not from files."""
        return self.found_by in ("audit", "preflight")


_DOCS = re.compile(
    r"# (?P<id>\S+): (?P<name>\S+)\n\n(?P<summary>.+?)\n\n(?P<why>.+)\n\nFix: (?P<fix>.+?)\n*", re.DOTALL
)


def rule(
    docs: str,
    severity: Severity,
    check: Check,
    good: tuple[str, ...],
    bad: tuple[Bad, ...],
    *,
    options: tuple[Option, ...] = (),
    requirements: tuple[str, ...] = (),
    enabled: bool = True,
    changed: tuple[str, ...] = (),
    before: str | None = None,
    replaces: tuple[str, ...] = (),
    about_suppressions: bool = False,
    judges_parts: bool = False,
    set_by_one_file: bool = False,
    judges_placeholders: bool = False,
    found_by: FoundBy = "check",
) -> Rule:
    """A rule whose texts are one Markdown text.

    It has the title `# KT901: name-of-the-rule`, a paragraph that is the summary, the reason, and a last paragraph that
    starts with `Fix: `. A rule with `changed` is about changes. Raises ValueError if a part of the docs is missing.
    """
    parts = _DOCS.fullmatch(docs)
    if parts is None:
        raise ValueError(f"expected `# id: name`, a summary, a reason and `Fix: …` as paragraphs; found:\n{docs}")
    return Rule(
        id=parts["id"],
        name=parts["name"],
        severity=severity,
        summary=" ".join(parts["summary"].split()),
        why=parts["why"],
        fix=" ".join(parts["fix"].split()),
        check=check,
        good=good,
        bad=bad,
        options=options,
        requirements=requirements,
        enabled=enabled,
        about_changes=bool(changed),
        changed=changed,
        replaces=replaces,
        about_suppressions=about_suppressions,
        judges_parts=judges_parts,
        set_by_one_file=set_by_one_file,
        judges_placeholders=judges_placeholders,
        found_by=found_by,
        before=before,
    )
