"""A file that lists the findings a repository starts with, so that only new ones count.

A finding is recognised by its rule, its resource and its message, never by its line. Equal ones are counted: one more
of them is new.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kafka_topology.files import write_atomically
from kafka_topology.report.fingerprints import fingerprint, resource_title
from kafka_topology.report.run import StaleEntry
from kafka_topology.topology import Finding

VERSION = 1


class BadBaseline(Exception):
    """The file is not a baseline; the message says why."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Findings that the baseline does not list, those it lists, and entries that no longer occur."""

    new: tuple[Finding, ...]
    known: tuple[Finding, ...]
    stale: tuple[StaleEntry, ...]


@dataclass(frozen=True, slots=True)
class Baseline:
    counts: Counter[str]
    entries: dict[str, StaleEntry]

    def compare(self, findings: Iterable[Finding], ran: frozenset[str]) -> Compared:
        """`ran` are the rules that could have found an entry: of others nobody knows whether it is stale."""
        left = Counter(self.counts)
        new: list[Finding] = []
        known: list[Finding] = []
        for finding in findings:
            name = fingerprint(finding)
            (known if left[name] > 0 else new).append(finding)
            left[name] -= 1
        stale = [entry for name, entry in self.entries.items() for _ in range(max(0, left[name])) if entry.rule in ran]
        return Compared(tuple(new), tuple(known), tuple(stale))


def read_baseline(path: Path) -> Baseline:
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BadBaseline(f"{path}: {reason}; --update-baseline writes a new one") from error
    except ValueError as error:
        raise BadBaseline(f"{path}: not JSON: {error}") from error
    if not isinstance(document, dict) or document.get("version") != VERSION:
        raise BadBaseline(f"{path}: not a baseline of version {VERSION}")
    counts: Counter[str] = Counter()
    entries = {}
    try:
        for entry in document["findings"]:
            name = str(entry["fingerprint"])
            counts[name] += int(entry["count"])
            entries[name] = StaleEntry(str(entry["rule"]), str(entry["resource"]), str(entry["message"]))
    except (KeyError, TypeError, ValueError) as error:
        raise BadBaseline(f"{path}: an entry is incomplete; --update-baseline writes the file anew") from error
    return Baseline(counts, entries)


def write_baseline(path: Path, findings: Iterable[Finding]) -> int:
    """Writes all findings, sorted by rule and resource so that a change is easy to review. Returns how many."""
    counts: Counter[str] = Counter()
    first: dict[str, Finding] = {}
    for finding in findings:
        name = fingerprint(finding)
        counts[name] += 1
        first.setdefault(name, finding)
    ordered = sorted(first.items(), key=lambda item: (item[1].id, resource_title(item[1]), item[1].message, item[0]))
    document = {
        "version": VERSION,
        "findings": [
            {
                "rule": finding.id,
                "resource": resource_title(finding),
                "message": finding.message,
                "count": counts[name],
                "fingerprint": name,
            }
            for name, finding in ordered
        ],
    }
    write_atomically(path, (json.dumps(document, indent=2) + "\n").encode())
    return counts.total()
