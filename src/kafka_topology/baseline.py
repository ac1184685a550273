"""A file that lists accepted findings, so only new ones count.

A finding is identified by its environment, rule, resource and message, not by its line. Equal findings are counted: one
more than the baseline has is new. Findings of rules that only one file may lift, such as limits by name, always count.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from kafka_topology.documents import BASELINE, mistake
from kafka_topology.files import why, write_atomically
from kafka_topology.report.findings.fingerprints import fingerprint, resource_title
from kafka_topology.report.run import StaleEntry
from kafka_topology.topology import Finding
from kafka_topology.validators import installed_rules

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


Key = tuple[str | None, str]  # an environment and a fingerprint


@dataclass(frozen=True, slots=True)
class Baseline:
    """Entries by environment and fingerprint. `without_environment` of them come from a file that has none."""

    counts: Counter[Key] = field(default_factory=Counter)
    entries: dict[Key, StaleEntry] = field(default_factory=dict)
    without_environment: int = 0

    def compare(self, findings: Iterable[Finding], ran: frozenset[str], environment: str | None) -> Compared:
        """`ran` are the rules that ran. Entries of other rules may still occur, so they are not stale."""
        left = Counter(self.counts)
        binding = _binding_rules()
        new: list[Finding] = []
        known: list[Finding] = []
        for finding in findings:
            key = environment, fingerprint(finding)
            (known if left[key] > 0 and finding.id not in binding else new).append(finding)
            left[key] -= 1
        stale = [
            entry
            for key, entry in self.entries.items()
            for _ in range(max(0, left[key]))
            if key[0] == environment and entry.rule in ran
        ]
        return Compared(tuple(new), tuple(known), tuple(stale))


def _binding_rules() -> frozenset[str]:
    """Rules that a baseline cannot lift: only the file that sets them can."""
    return frozenset(rule.id for rule in installed_rules().rules if rule.set_by_one_file)


def read_baseline(path: Path) -> Baseline:
    """Entries without an environment, as earlier versions wrote them, are of the base: they count without `--env`."""
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise BadBaseline(f"{path}: {why(error)}; write a new one with --update-baseline") from error
    except (ValueError, RecursionError) as error:
        raise BadBaseline(f"{path}: not JSON: {error}; {_FIX}") from error
    wrong = mistake(document, BASELINE)
    if wrong is not None:
        raise BadBaseline(f"{path}: not a baseline of version {VERSION}: {wrong}; {_FIX}")
    counts: Counter[Key] = Counter()
    entries = {}
    for entry in document["findings"]:
        key = entry.get("environment"), entry["fingerprint"]
        counts[key] += entry["count"]
        entries[key] = StaleEntry(entry["rule"], entry["resource"], entry["message"])
    old = sum("environment" not in entry for entry in document["findings"])
    return Baseline(counts, entries, old)


def write_baseline(
    path: Path, findings: Iterable[Finding], environment: str | None = None, earlier: Baseline | None = None
) -> tuple[int, int]:
    """Write the findings of an environment, sorted by rule and resource for easy reviews.

    Keeps the entries of other environments in `earlier`. Returns how many findings were written, and how many were left
    out because no baseline can lift them.
    """
    binding = _binding_rules()
    counts: Counter[Key] = Counter()
    entries: dict[Key, StaleEntry] = {}
    left_out = 0
    for finding in findings:
        if finding.id in binding:
            left_out += 1
            continue
        key = environment, fingerprint(finding)
        counts[key] += 1
        entries.setdefault(key, StaleEntry(finding.id, resource_title(finding), finding.message))
    written = counts.total()
    if earlier is not None:
        others = {key: entry for key, entry in earlier.entries.items() if key[0] != environment}
        entries |= others
        counts |= Counter({key: earlier.counts[key] for key in others})
    document = {
        "version": VERSION,
        "findings": [
            {
                "environment": key[0],
                "rule": entry.rule,
                "resource": entry.resource,
                "message": entry.message,
                "count": counts[key],
                "fingerprint": key[1],
            }
            for key, entry in sorted(entries.items(), key=_order)
        ],
    }
    write_atomically(path, (json.dumps(document, indent=2) + "\n").encode())
    return written, left_out


def _order(item: tuple[Key, StaleEntry]) -> tuple[str, ...]:
    (environment, name), entry = item
    return environment or "", entry.rule, entry.resource, entry.message, name
