"""All changes between two versions of a topology, joined with the findings of the change rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..topology.model.declared import Topology
from ..topology.model.findings import Finding, Related, Severity
from ..topology.model.kinds import NAMED_KINDS
from ..topology.model.places import Place
from ..validators import installed_rules
from .changes import Change, Effect, Risk
from .grouping.renames import with_renames
from .live import Live
from .registry import subjects
from .sections import section_changes
from .versions import Versions

_SECTIONS = {kind.word: kind.section for kind in NAMED_KINDS} | {"access": "acls", "quota": "quotas"}
_AT_LEAST = {Severity.ERROR: Risk.BREAKING, Severity.WARNING: Risk.CARE, Severity.ADVICE: Risk.SAFE}


def compare(
    before: Topology, after: Topology, findings: Iterable[Finding] = (), live: Live | None = None
) -> tuple[Change, ...]:
    """Every change, sorted by team, risk and resource. `findings` come from rules that saw both versions."""
    return compare_versions(Versions(before, after, live), findings)


def compare_versions(versions: Versions, findings: Iterable[Finding] = ()) -> tuple[Change, ...]:
    live = versions.live
    changes = [
        *(change for subject in subjects() for change in subject.changes(versions)),
        *section_changes(versions),
    ]
    joined = _joined(with_renames(changes, versions), findings)
    placed = (_with_owners(_with_line(change, versions), versions) for change in joined)
    return tuple(sorted((_with_live(change, live) for change in placed), key=lambda change: change.sort_key))


def relocated(findings: Iterable[Finding], changes: Iterable[Change]) -> tuple[Finding, ...]:
    """The findings about changes at the lines that changed, where a rule knows only who set the value."""
    lines = {
        (change.name, rule, change.after_place): change
        for change in changes
        if change.location is not None and change.after_place is not None
        for rule in change.rules
    }
    return tuple(_moved(finding, lines.get((finding.resource, finding.id, finding.location))) for finding in findings)


def _moved(finding: Finding, change: Change | None) -> Finding:
    if change is None or change.location is None or change.location == finding.location:
        return finding
    set_here = Related(finding.location, "the value is set here")
    return replace(finding, location=change.location, related=(set_here, *finding.related))


def _with_owners(change: Change, versions: Versions) -> Change:
    """Adds the owners that it concerns: its own, and those of the clients of a topic that changes with a risk."""
    if change.risk is Risk.SAFE:
        return change
    found: dict[tuple[str | None, str], None] = dict.fromkeys(
        [(change.team, change.name)] if change.team is not None else []
    )
    found |= dict.fromkeys(each for each in change.concerns if each[0] != change.team)
    if change.path == "owner" and change.before is not None:
        found[change.before, f"{change.name}, its owner so far"] = None
    if change.kind == "topic":
        for version in (versions.old, versions.new):
            clients = version.index.clients
            for name in change.names:
                uses = [(client.declared.owner, f"reads {name}") for client in clients.readers_of(name)]
                uses += [(client.declared.owner, f"writes {name}") for client in clients.writers_of(name)]
                uses += [(group.owner, f"reads {name}") for group in version.index.share_groups_of(name)]
                found |= dict.fromkeys((owner, why) for owner, why in uses if owner not in (None, change.team))
    return replace(change, concerns=tuple((owner, why) for owner, why in found if owner is not None))


def _with_line(change: Change, versions: Versions) -> Change:
    """Adds the nearest line that is left of something that is gone, to show it there."""
    section = _SECTIONS.get(change.kind)
    if change.location is not None or change.was_at is None or section is None:
        return change
    at = versions.compared.lost_at(section, change.was_at)
    return replace(change, lost_at=at.location if isinstance(at, Place) else at)


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
    resources = change.names if change.reached is None else (str(change.reached["name"]),)
    about_it = (finding for resource in resources for finding in findings.get(resource, ()))
    own = [finding for finding in about_it if _is_about(finding, change, about[finding.id])]
    if not own:
        return change
    risk = max((change.risk, *(_AT_LEAST[finding.severity] for finding in own)), key=lambda each: each.rank)
    found = tuple((finding.id, finding.resource, finding.message) for finding in own)
    return replace(change, risk=risk, rules=tuple(sorted({finding.id for finding in own})), found=found)


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
