"""The pure core: compares a snapshot with the topology and returns findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..cluster.outcomes import Failure, FailureKind
from ..provider.resources.access.inputs import NO_AUTHORIZER
from ..topology.kafka.access import derived_acls
from ..topology.model.findings import in_reading_order
from . import access, cluster, groups, logins, replicas, topics

if TYPE_CHECKING:
    from ..topology.model.declared import Topology
    from ..topology.model.findings import Finding
    from .snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Audit:
    """`unread` says what could not be read, and why."""

    findings: tuple[Finding, ...]
    unread: tuple[str, ...] = ()


def audit(topology: Topology, live: Snapshot, options: Mapping[str, Mapping[str, object]] | None = None) -> Audit:
    """Compares only what the topology declares. `options` holds the options of the checks, by id."""
    ratio = (options or {}).get(replicas.LEADERS_SKEWED.id, {}).get("ratio", _default_ratio())
    findings = [
        *topics.topic_findings(topology, live),
        *replicas.replica_findings(topology, live, float(ratio) if isinstance(ratio, int | float) else 1.0),
        *groups.group_findings(topology, live),
        *access.access_findings(topology, live),
        *logins.user_findings(topology, live),
        *logins.quota_findings(topology, live),
        *cluster.cluster_findings(topology, live),
    ]
    return Audit(in_reading_order(findings), tuple(_unread(topology, live)))


def _default_ratio() -> object:
    return replicas.LEADERS_SKEWED.options[0][1]


def _unread(topology: Topology, live: Snapshot) -> Iterator[str]:
    """Each failure once: if several topics or groups fail the same way, the first one and the number of the others."""
    for whole in (live.brokers, live.topic_names, live.group_names, live.users, live.quotas, live.controllers):
        if isinstance(whole, Failure):
            yield whole.message
    if isinstance(live.acls, Failure) and (derived_acls(topology) or NO_AUTHORIZER not in live.acls.message):
        yield live.acls.message
    users = {} if live.users is None or isinstance(live.users, Failure) else live.users
    for noun, outcomes in (
        ("topics", live.topics),
        ("groups", live.groups),
        ("users", {name: users[name] for name in topology.users if name in users}),
        ("brokers", live.broker_configs),
    ):
        yield from _alike(noun, outcomes)


def _alike(noun: str, outcomes: Mapping[str, object] | Mapping[int, object]) -> Iterator[str]:
    by_kind: dict[FailureKind, list[str]] = {}
    for outcome in outcomes.values():
        # A missing topic is a finding. A missing group or user is not a failure.
        if isinstance(outcome, Failure) and outcome.kind is not FailureKind.MISSING:
            by_kind.setdefault(outcome.kind, []).append(outcome.message)
    for messages in by_kind.values():
        more = f", and {len(messages) - 1:,} more {noun}" if len(messages) > 1 else ""
        yield f"{messages[0]}{more}"
