"""Reads the JSON of `kafka-topology audit`. Counts parts it does not understand, and never treats them as fine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kafka_topology.topology import Severity

from .checks import as_list, as_number, as_text

_FOREVER = 1e12  # seconds


class BadAuditFile(ValueError):
    """The file is not the JSON of an audit; the message says why."""


@dataclass(frozen=True, slots=True)
class AuditFinding:
    rule: str
    severity: Severity
    kind: str
    resource: str
    message: str
    fix: str
    file: str
    line: str

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class AuditedGroup:
    name: str
    state: str
    members: int
    lag: int | None
    max_lag: int | None
    lag_seconds: float | None = None
    max_lag_seconds: float | None = None

    @property
    def is_late(self) -> bool:
        """Behind what is declared, in records or in time."""
        in_records = self.lag is not None and self.max_lag is not None and self.lag > self.max_lag
        known = self.lag_seconds is not None and self.max_lag_seconds is not None
        return in_records or (known and (self.lag_seconds or 0) > (self.max_lag_seconds or 0))


@dataclass(frozen=True, slots=True)
class AuditedBroker:
    id: int
    rack: str
    up: bool
    leaders: int
    replicas: int


@dataclass(frozen=True, slots=True)
class AuditFile:
    findings: tuple[AuditFinding, ...]
    could_not_check: tuple[str, ...]
    groups: tuple[AuditedGroup, ...]
    brokers: tuple[AuditedBroker, ...]
    not_understood: int = 0
    environment: str | None = None  # of the audited topology

    @property
    def is_complete(self) -> bool:
        return not self.could_not_check and not self.not_understood

    def count(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.findings)


def parse_audit(text: str) -> AuditFile:
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadAuditFile(f"is not JSON: {error}") from error
    live = held.get("live") if isinstance(held, dict) else None
    if not isinstance(live, dict) or not isinstance(held.get("findings"), list):
        raise BadAuditFile("is not an audit; pass the output of `kafka-topology audit --format json`")
    reader = _Reader()
    return AuditFile(
        findings=tuple(reader.findings(held["findings"])),
        could_not_check=tuple(map(as_text, as_list(held.get("couldNotCheck")))),
        groups=tuple(reader.groups(live.get("groups"))),
        brokers=tuple(reader.brokers(live.get("brokers"))),
        not_understood=reader.not_understood,
        environment=as_text(held["environment"]) if held.get("environment") is not None else None,
    )


class _Reader:
    def __init__(self) -> None:
        self.not_understood = 0

    def findings(self, held: list[Any]) -> Iterator[AuditFinding]:
        for each in self._dicts(held):
            severity = as_text(each.get("severity"))
            at = each.get("location")
            if severity not in set(Severity) or not isinstance(at, dict):
                self.not_understood += 1
                continue
            yield AuditFinding(
                as_text(each.get("rule")),
                Severity(severity),
                as_text(each.get("resourceKind")),
                as_text(each.get("resource")),
                as_text(each.get("message")),
                as_text(each.get("fix", each.get("remediation"))),
                as_text(at.get("file")),
                as_text(at.get("line")),
            )

    def groups(self, held: Any) -> Iterator[AuditedGroup]:
        for each in self._dicts(held):
            yield AuditedGroup(
                as_text(each.get("group")),
                as_text(each.get("state")),
                as_number(each.get("members")) or 0,
                as_number(each.get("lag")),
                as_number(each.get("maxLag")),
                _seconds(each.get("lagSeconds")),
                _seconds(each.get("maxLagSeconds")),
            )

    def brokers(self, held: Any) -> Iterator[AuditedBroker]:
        for each in self._dicts(held):
            broker = as_number(each.get("broker"))
            if broker is None:
                self.not_understood += 1
                continue
            yield AuditedBroker(
                broker,
                as_text(each.get("rack")),
                each.get("up") is True,
                as_number(each.get("leaders")) or 0,
                as_number(each.get("replicas")) or 0,
            )

    def _dicts(self, held: Any) -> Iterator[dict[str, Any]]:
        for each in as_list(held):
            if isinstance(each, dict):
                yield each
            else:
                self.not_understood += 1


def _seconds(value: Any) -> float | None:
    """None also for what is no time: a file may hold NaN, or more seconds than the world is old."""
    is_time = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _FOREVER
    return float(value) if is_time else None
