"""For authors of rules: runs a rule's own examples, as our tests do for the built-in rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kafka_topology.topology import Finding, Topology, load
from kafka_topology.validators import Rule, validate


def example_problems(rule: Rule, folder: Path) -> list[str]:
    """Mistakes in the examples of a rule; empty if there are none. Writes the examples into the folder.

    Good examples must have no finding. Each bad one must have exactly one, at its line and column, with a fix.
    """
    return [*_problems_of_good(rule, folder), *_problems_of_bad(rule, folder)]


def _problems_of_good(rule: Rule, folder: Path) -> Iterator[str]:
    if not rule.good:
        yield f"{rule.id} has no good example"
    for number, text in enumerate(rule.good, 1):
        for finding in _findings(rule, folder, text, rule.before):
            yield f"{rule.id}, good example {number}: {finding.message}"


def _problems_of_bad(rule: Rule, folder: Path) -> Iterator[str]:
    if not rule.bad:
        yield f"{rule.id} has no bad example"
    for number, bad in enumerate(rule.bad, 1):
        found = _findings(rule, folder, bad.yaml, bad.before or rule.before)
        places = [(finding.location.line, finding.location.column) for finding in found]
        if places != [(bad.line, bad.column)]:
            yield f"{rule.id}, bad example {number}: found at {places}, expected at {(bad.line, bad.column)}"
        for finding in found:
            if finding.rule_failed or not finding.fix:
                yield f"{rule.id}, bad example {number}: {finding.message}"


def _findings(rule: Rule, folder: Path, text: str, before: str | None) -> list[Finding]:
    topology = _loaded(folder / "topology.yaml", text)
    earlier = _loaded(folder / "before.yaml", before) if before is not None else None
    return [finding for finding in validate(topology, before=earlier, rules=[rule]) if finding.id == rule.id]


def _loaded(file: Path, text: str) -> Topology:
    file.write_text(text, encoding="utf-8")
    loaded = load(file)
    if loaded.topology is None:
        raise ValueError("; ".join(f"{problem.location}: {problem.message}" for problem in loaded.problems))
    return loaded.topology
