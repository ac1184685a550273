"""Two versions of a topology to all changes between them, joined with what the rules about changes found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..topology.findings import Finding, Severity
from ..topology.model import Topology
from .access import access_changes
from .changes import Change, Effect, Risk
from .live import Live
from .platform import platform_changes
from .roles import role_changes
from .topics import topic_changes
from .versions import Versions

# What each rule about changes is about: the kind of resource, and the fields; nothing means the whole resource.
_ABOUT: dict[str, tuple[str, tuple[str, ...]]] = {
    "KT801": ("topic", ("partitions",)),
    "KT802": ("topic", ("partitions",)),
    "KT803": ("topic", ("replication",)),
    "KT804": ("topic", ("",)),
    "KT805": ("topic", ("config.retention.",)),
    "KT806": ("topic", ("config.cleanup.policy",)),
    "KT807": ("topic", ("key", "value")),
    "KT808": ("access", ("",)),
    "KT809": ("access", ("",)),
    "KT810": ("group streams", ("",)),
    "KT811": ("topic", ("config.min.insync.replicas",)),
    "KT812": ("topic group", ("",)),
    "KT813": ("topic", ("visibility",)),
    "KT814": ("topic", ("config.max.message.bytes",)),
    "KT815": ("group", ("assign",)),
}
_AT_LEAST = {Severity.ERROR: Risk.BREAKING, Severity.WARNING: Risk.CARE, Severity.ADVICE: Risk.SAFE}


def compare(
    before: Topology, after: Topology, findings: Iterable[Finding] = (), live: Live | None = None
) -> tuple[Change, ...]:
    """Every change, sorted by team, risk and resource. `findings` are those of the rules that saw both versions."""
    versions = Versions(before, after, live)
    changes = [
        *topic_changes(versions),
        *role_changes(versions),
        *access_changes(versions),
        *platform_changes(versions),
    ]
    joined = _joined(changes, [finding for finding in findings if finding.id in _ABOUT])
    return tuple(sorted((_with_live(change, live) for change in joined), key=lambda change: change.sort_key))


def _joined(changes: list[Change], findings: list[Finding]) -> list[Change]:
    """Each change with the rules that found fault with it, and at least as risky as they say."""
    by_resource: dict[str, list[Finding]] = {}
    for finding in findings:
        by_resource.setdefault(finding.resource, []).append(finding)
    return [_with_rules(change, by_resource) for change in changes]


def _with_rules(change: Change, findings: dict[str, list[Finding]]) -> Change:
    # A finding about access names what is reached, the change who reaches it.
    resource = change.path.rsplit(" ", 1)[-1] if change.kind == "access" else change.name
    own = [finding for finding in findings.get(resource, ()) if _is_about(finding, change)]
    if not own:
        return change
    risk = max((change.risk, *(_AT_LEAST[finding.severity] for finding in own)), key=lambda each: each.rank)
    return replace(change, risk=risk, rules=tuple(sorted({finding.id for finding in own})))


def _is_about(finding: Finding, change: Change) -> bool:
    kinds, fields = _ABOUT[finding.id]
    if change.kind not in kinds.split():
        return False
    if change.kind == "access":
        told = change.effects[0].text.removeprefix(change.name)
        gains = told.startswith((" may now", " is no longer denied"))
        return change.name in finding.message and (finding.id == "KT808") == gains
    if fields == ("",):
        return not change.path
    return any(change.path.startswith(field) for field in fields)


def _with_live(change: Change, live: Live | None) -> Change:
    """What the cluster knows of a topic or a group that changes for the worse."""
    if live is None or change.risk is Risk.SAFE or any(effect.kind == "live" for effect in change.effects):
        return change
    if change.kind == "topic" and change.risk.rank >= Risk.BREAKING.rank:
        readers = live.readers_of(change.name)
        if readers:
            behind = ", ".join(f"{name} ({live.groups[name].lag[change.name]:,} behind)" for name in readers)
            return replace(change, effects=(*change.effects, Effect("live", f"read right now by {behind}")))
    return change
