"""A file that lists accepted findings, so only new ones count.

A finding is identified by its rule, resource and message, not by its line. Equal findings are counted: one more than
the baseline has is new.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kafka_topology.documents import BASELINE, mistake
from kafka_topology.files import why, write_atomically
from kafka_topology.report.findings.fingerprints import fingerprint, resource_title
from kafka_topology.report.run import StaleEntry
from kafka_topology.topology import Finding

VERSION = 1
_FIX = "restore it from git, or delete it and write a new one with --update-baseline"


class BadBaseline(Exception):
    """The file is not a baseline; the message says why."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Findings that are not in the baseline, findings that are, and entries that no longer occur."""

    new: tuple[Finding, ...]
    known: tuple[Finding, ...]
    stale: tuple[StaleEntry, ...]


@dataclass(frozen=True, slots=True)
class Baseline:
    counts: Counter[str]
    entries: dict[str, StaleEntry]

    def compare(self, findings: Iterable[Finding], ran: frozenset[str]) -> Compared:
        """`ran` are the rules that ran. Entries of other rules may still occur, so they are not stale."""
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
        raise BadBaseline(f"{path}: {why(error)}; write a new one with --update-baseline") from error
    except (ValueError, RecursionError) as error:
        raise BadBaseline(f"{path}: not JSON: {error}; {_FIX}") from error
    wrong = mistake(document, BASELINE)
    if wrong is not None:
        raise BadBaseline(f"{path}: not a baseline of version {VERSION}: {wrong}; {_FIX}")
    counts: Counter[str] = Counter()
    entries = {}
    for entry in document["findings"]:
        name = entry["fingerprint"]
        counts[name] += entry["count"]
        entries[name] = StaleEntry(entry["rule"], entry["resource"], entry["message"])
    return Baseline(counts, entries)


def write_baseline(path: Path, findings: Iterable[Finding]) -> int:
    """Write all findings, sorted by rule and resource for easy reviews. Returns their number."""
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
