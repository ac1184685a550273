"""Applies the files' severities and suppressions to findings that were made outside the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from kafka_topology.topology.model.declared import Topology
from kafka_topology.topology.model.findings import Finding, in_reading_order

from .registry import retired_ids
from .rule import Rule
from .run import Outcome
from .settings import configured
from .suppressions import Suppressed, Suppressions


def options_of(topology: Topology, rules: Iterable[Rule]) -> Mapping[str, Mapping[str, object]]:
    """The options of each rule as this topology sets them."""
    return {rule.id: configured(rule, topology.rules.get(rule.id)).options for rule in rules}


def judged(topology: Topology, findings: Iterable[Finding], rules: tuple[Rule, ...]) -> Outcome:
    """The findings of these rules as a run would return them."""
    by_id = {rule.id: configured(rule, topology.rules.get(rule.id)) for rule in rules}
    ran = {rule_id for rule_id, rule in by_id.items() if rule.severity is not None}
    suppressions = Suppressions(topology, ran, set(by_id), retired_ids(rules))
    kept: list[Finding] = []
    suppressed: list[Suppressed] = []
    for finding in findings:
        wanted = by_id[finding.id]
        if wanted.severity is None:
            continue
        # Some rules have two severities; a severity in the file replaces both.
        is_set = wanted.severity is not wanted.rule.severity
        judged_finding = replace(finding, severity=wanted.severity) if is_set else finding
        by = suppressions.of(judged_finding)
        if by is None:
            kept.append(judged_finding)
        else:
            suppressed.append(Suppressed(judged_finding, by))
    return Outcome(in_reading_order(kept), tuple(suppressed), rules, frozenset(ran))
