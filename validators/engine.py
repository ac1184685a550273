"""Runs rules over a topology and returns findings. No cluster, no disk, no clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ..topology.effective import EffectiveSettings
from ..topology.findings import Finding, Related, Severity, in_reading_order
from ..topology.model import Topology
from ..topology.places import Layer, Location, Place
from .indexes import Index
from .registry import builtin_rules
from .rule import Context, Problem, Rule

_INHERITED = (Layer.PROFILE, Layer.ENVIRONMENT, Layer.CLUSTER)


def validate(
    topology: Topology, *, before: Topology | None = None, rules: Iterable[Rule] | None = None
) -> tuple[Finding, ...]:
    """Every finding of every rule that is on. With `before`, the rules about changes run as well."""
    settings = EffectiveSettings(topology)
    context = Context(topology, settings, Index(topology, settings), before=before)
    findings: list[Finding] = []
    for rule in builtin_rules() if rules is None else rules:
        if rule.about_changes and before is None:
            continue
        severity = _severity(rule, topology)
        if severity is not None:
            findings.extend(_run(rule, severity, context))
    return in_reading_order(findings)


def _severity(rule: Rule, topology: Topology) -> Severity | None:
    """None when the rule is off."""
    setting = topology.rules.get(rule.id)
    if setting is None or setting.severity is None:
        return rule.severity if rule.enabled else None
    return None if setting.severity == "off" else Severity(setting.severity)


def _run(rule: Rule, severity: Severity, context: Context) -> Iterator[Finding]:
    setting = context.topology.rules.get(rule.id)
    options: Mapping[str, object] = {option.name: option.default for option in rule.options}
    if setting is not None:
        options = {**options, **setting.options}
    try:
        for problem in rule.check(replace(context, options=options)):
            if not _is_ignored(rule, problem, context.topology):
                yield _finding(rule, severity, problem, context.topology)
    except Exception as error:  # noqa: BLE001 - a crashing rule becomes a finding, and the run goes on
        yield Finding(
            rule.id,
            Severity.ERROR,
            f"the rule itself failed: {type(error).__name__}: {error}",
            context.topology.location,
            remediation="this is a fault of the rule: report it, or turn the rule off",
        )


def _finding(rule: Rule, severity: Severity, problem: Problem, topology: Topology) -> Finding:
    related = problem.related
    location = problem.at.location if isinstance(problem.at, Place) else problem.at
    message = problem.message
    if isinstance(problem.at, Place) and problem.at.layer in _INHERITED:
        message = f"{message} (set by {problem.at})"
        sufferer = _declaration(problem.resource, topology)
        if sufferer is not None:
            related = (*related, Related(sufferer, f"{problem.resource} inherits it"))
    return Finding(
        rule.id,
        problem.severity if problem.severity is not None and severity is rule.severity else severity,
        message,
        location,
        problem.resource,
        problem.remediation,
        related,
        problem.edits,
    )


def _declaration(resource: str, topology: Topology) -> Location | None:
    topic = topology.topics.get(resource)
    return topic.location if topic is not None else None


def _is_ignored(rule: Rule, problem: Problem, topology: Topology) -> bool:
    for section in (topology.topics, topology.producers, topology.consumer_groups, topology.streams):
        declared = section.get(problem.resource)
        if declared is not None and rule.id in declared.ignore:
            return True
    return False
