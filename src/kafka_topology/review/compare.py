"""All changes between two versions of a topology, joined with the findings of the change rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..topology.model.declared import Topology
from ..topology.model.findings import Finding, Severity
from ..validators import installed_rules
from .changes import Change, Effect, Risk
from .live import Live
from .registry import subjects
from .sections import section_changes
from .versions import Versions

_AT_LEAST = {Severity.ERROR: Risk.BREAKING, Severity.WARNING: Risk.CARE, Severity.ADVICE: Risk.SAFE}


def compare(
    before: Topology, after: Topology, findings: Iterable[Finding] = (), live: Live | None = None
) -> tuple[Change, ...]:
    """Every change, sorted by team, risk and resource. `findings` come from rules that saw both versions."""
    versions = Versions(before, after, live)
    changes = [
        *(change for subject in subjects() for change in subject.changes(versions)),
        *section_changes(versions),
    ]
    joined = _joined(changes, findings)
    return tuple(sorted((_with_live(change, live) for change in joined), key=lambda change: change.sort_key))


def _joined(changes: list[Change], findings: Iterable[Finding]) -> list[Change]:
    """Each change with the rules that have a finding about it, at least as risky as their severity."""
    about = {rule.id: rule.changed for rule in installed_rules().rules if rule.changed}
    by_resource: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.id in about:
            by_resource.setdefault(finding.resource, []).append(finding)
    return [_with_rules(change, by_resource, about) for change in changes]


def _with_rules(change: Change, findings: Mapping[str, list[Finding]], about: Mapping[str, tuple[str, ...]]) -> Change:
    # A finding about access names the resource, the change names the principal.
    resource = change.name if change.reached is None else str(change.reached["name"])
    own = [finding for finding in findings.get(resource, ()) if _is_about(finding, change, about[finding.id])]
    if not own:
        return change
    risk = max((change.risk, *(_AT_LEAST[finding.severity] for finding in own)), key=lambda each: each.rank)
    return replace(change, risk=risk, rules=tuple(sorted({finding.id for finding in own})))


def _is_about(finding: Finding, change: Change, changed: tuple[str, ...]) -> bool:
    if change.reached is not None:
        return change.kind in changed and finding.evidence == change.reached
    if not change.path:
        return change.kind in changed
    return any(f"{change.kind}.{change.path}".startswith(each) for each in changed if "." in each)


def _with_live(change: Change, live: Live | None) -> Change:
    """Adds who reads a topic right now, if the change is breaking or worse."""
    if live is None or change.risk is Risk.SAFE or any(effect.kind == "live" for effect in change.effects):
        return change
    if change.kind == "topic" and change.risk.rank >= Risk.BREAKING.rank:
        readers = live.readers_of(change.name)
        if readers:
            behind = ", ".join(f"{name} ({live.groups[name].lag[change.name]:,} behind)" for name in readers)
            return replace(change, effects=(*change.effects, Effect("live", f"being read by {behind}")))
    return change
