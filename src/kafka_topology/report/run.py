"""The result of a validation or an audit, as every format gets it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from kafka_topology.topology import Finding, Location, Severity

if TYPE_CHECKING:
    from kafka_topology.topology import Loaded
    from kafka_topology.validators import Rule, Suppressed

Quote = Callable[[Location], str]
COULD_NOT_CHECK = "could-not-check"  # the id of findings that say at which line nothing was checked
SECRET_IN_FILE = "KT607"  # noqa: S105 - the rule, not a secret


@dataclass(frozen=True, slots=True)
class StaleEntry:
    """An entry of the baseline that no longer occurs."""

    rule: str
    resource: str
    message: str


@dataclass(frozen=True, slots=True)
class TakenFromStack:
    """The Pulumi stack of a run, and what its config gave: path, environment, cluster."""

    name: str
    project: str | None
    parts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Run:
    """`findings` count; `suppressed` and `baselined` are known and do not.

    `could_not_check` says what was not checked, and why. A run with any is never a success.
    """

    subject: str
    folder: Path  # where the command runs; paths in reports are relative to it
    findings: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...] = ()
    baselined: tuple[Finding, ...] = ()
    stale: tuple[StaleEntry, ...] = ()
    rules: tuple[Rule, ...] = ()
    ran: frozenset[str] = frozenset()
    environment: str | None = None
    stack: TakenFromStack | None = None
    fail_on: Severity = Severity.ERROR
    stopping: tuple[Finding, ...] | None = None  # the findings that fail, if that is no matter of severity alone
    command: str = "validate"
    could_not_check: tuple[str, ...] = ()
    live: Mapping[str, object] | None = None  # live facts of an audit, for charts
    at: datetime | None = None  # when a cluster was looked at
    quote: Quote = field(default=lambda _: "", repr=False)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """All that was not checked, also what findings say of it."""
        return (*self.could_not_check, *(each.message for each in self.findings if each.id == COULD_NOT_CHECK))

    @property
    def failing(self) -> tuple[Finding, ...]:
        if self.stopping is not None:
            return self.stopping
        return tuple(finding for finding in self.findings if finding.severity.at_least(self.fail_on))

    def line(self, location: Location) -> str:
        """The line at a location, with every found secret masked."""
        line = self.quote(location)
        for secret in self._secrets.get((location.file, location.line), ()):
            start = secret.column - 1 if secret.line == location.line else 0
            end = secret.end_column - 1 if secret.end_line == location.line else len(line)
            line = line[:start] + "*" * (end - start) + line[end:]
        return line

    @cached_property
    def _secrets(self) -> Mapping[tuple[str, int], list[Location]]:
        """Where secrets were found, by file and line."""
        found = (*self.findings, *self.baselined, *(suppressed.finding for suppressed in self.suppressed))
        by_line: dict[tuple[str, int], list[Location]] = {}
        for secret in {finding.location for finding in found if finding.id == SECRET_IN_FILE}:
            for line in range(secret.line, secret.end_line + 1):
                by_line.setdefault((secret.file, line), []).append(secret)
        return by_line

    def path(self, file: str) -> str:
        return relative(file, self.folder)

    def rule(self, rule_id: str) -> Rule | None:
        return next((rule for rule in self.rules if rule.id == rule_id), None)


def relative(file: str, folder: Path) -> str:
    """The path of a file relative to a folder, with forward slashes. A file outside keeps its path."""
    path = PurePath(file)
    if path.is_absolute() and path.is_relative_to(folder):
        path = path.relative_to(folder)
    return path.as_posix()


def quoting(loaded: Loaded) -> Quote:
    """A function that quotes lines of the files, without their secrets."""
    return loaded.line
