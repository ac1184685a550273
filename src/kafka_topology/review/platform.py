"""What is not a topic nor a role: users, quotas, the cluster, ownership, patterns and rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..topology.model import Cluster, Quota, Topology, User
from .changes import Change, Effect, Verdict, breaking, care, safe
from .fields import Path, changed_fields, dotted, shown
from .versions import Versions, counted, named

_LIMITS = {
    "producerByteRate": "producer_byte_rate",
    "consumerByteRate": "consumer_byte_rate",
    "requestPercentage": "request_percentage",
    "controllerMutationRate": "controller_mutation_rate",
}


def platform_changes(versions: Versions) -> Iterator[Change]:
    yield from _users(versions)
    yield from _quotas(versions)
    yield from _cluster(versions)
    yield from _ownership(versions)
    yield from _patterns(versions)
    yield from _rules(versions)


def _users(versions: Versions) -> Iterator[Change]:
    before, after = versions.old.topology.users, versions.new.topology.users
    for name, user in after.items():
        if name not in before:
            yield _made("user", name, "add", safe(f"a new login with {user.mechanism}"), user)
        elif user != before[name]:
            for path, was, now in changed_fields("users", before[name], user):
                yield _field(("user", name), path, (was, now), _user(path), (before[name], user))
    for name, user in before.items():
        if name not in after:
            effect = Effect("access", f"User:{name} can no longer log in with {user.mechanism}")
            yield _made("user", name, "remove", breaking("whoever still logs in as it is refused", effect), user)


def _user(path: Path) -> Verdict:
    if path[0] == "mechanism":
        return breaking("clients that still use the other mechanism are refused")
    if path[0] == "iterations":
        return safe("clients do not notice")
    return care("its password comes from another secret: clients need the new one at the same moment")


def _quota_name(quota: Quota) -> str:
    parts = [f"user {quota.user}" if quota.user else "", f"client {quota.client_id}" if quota.client_id else ""]
    return " and ".join(part for part in parts if part) or "default"


def _quotas(versions: Versions) -> Iterator[Change]:
    before = {_quota_name(quota): quota for quota in versions.old.topology.quotas}
    after = {_quota_name(quota): quota for quota in versions.new.topology.quotas}
    for name, quota in after.items():
        if name not in before:
            yield _made("quota", name, "add", care("clients above it are slowed down from now on"), quota)
        elif quota != before[name]:
            for path, was, now in changed_fields("quotas", before[name], quota):
                verdict = _limit(before[name], quota, path[-1])
                yield _field(("quota", name), path, (was, now), verdict, (before[name], quota))
    for name, quota in before.items():
        if name not in after:
            yield _made("quota", name, "remove", care("nothing bounds it any more: others may suffer"), quota)


def _limit(old: Quota, new: Quota, field: str) -> Verdict:
    was, now = (getattr(quota, _LIMITS.get(field, ""), None) for quota in (old, new))
    if now is None:
        return care("nothing bounds it any more: others may suffer")
    if was is None or now < was:
        return care("clients above it are slowed down from now on")
    return safe("clients may do more than before")


def _cluster(versions: Versions) -> Iterator[Change]:
    old, new = versions.old.topology.cluster, versions.new.topology.cluster
    if old == new:
        return
    name = new.name or "cluster"
    for path, was, now in changed_fields("cluster", old, new):
        verdict = _cluster_verdict(versions, old, new, path)
        yield _field(("cluster", name), path, (was, now), verdict, (old, new))


def _cluster_verdict(versions: Versions, old: Cluster, new: Cluster, path: Path) -> Verdict:
    field = path[0]
    if field == "brokers" and old.brokers and new.brokers and len(new.brokers) < len(old.brokers):
        return _fewer_brokers(versions.new.topology, len(new.brokers))
    if field in ("brokers", "racks", "controllers"):
        return care("rules and what-if judge by it; the brokers themselves are not applied from here")
    if field == "kafka":
        return care("settings, defaults and what clients may use follow the other version; upgrade the brokers first")
    if field == "defaults":
        return care("topics that do not set it themselves change with it; the brokers' own files must say the same")
    return safe("rules judge by it; nothing is applied")


def _fewer_brokers(topology: Topology, brokers: int) -> Verdict:
    short = tuple(topic.name for topic in topology.topics.values() if topic.replication > brokers)
    if not short:
        return care("replicas of the brokers that go must be moved first", Effect("bytes", _moves(brokers)))
    text = f"{named(short)} cannot have all replicas on {counted(brokers, 'broker')}"
    return breaking("some topics ask for more replicas than there are brokers", Effect("stall", text))


def _moves(brokers: int) -> str:
    return f"every replica on the brokers that go is copied to one of the {brokers} that stay"


def _ownership(versions: Versions) -> Iterator[Change]:
    old, new = versions.old.topology.ownership, versions.new.topology.ownership
    if old == new:
        return
    for path, was, now in changed_fields("ownership", old, new):
        verdict = care("it decides what `pulumi up` may touch at all")
        yield _field(("ownership", "ownership"), path, (was, now), verdict, (old, new))


def _patterns(versions: Versions) -> Iterator[Change]:
    before, after = versions.old.topology.patterns, versions.new.topology.patterns
    for name in (*before, *(name for name in after if name not in before)):
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        topics = versions.new.topology.topics.values()
        users = tuple(topic.name for topic in topics if topic.key and topic.key.pattern_name == name)
        if was is None or not users:
            verdict = safe("no key that was there before is judged by it")
        else:
            verdict = care(f"keys of {named(users)} that were right may be wrong now, and the other way round")
        place = versions.new.topology.place("patterns", name) if now is not None else versions.new.topology.place()
        yield Change(
            kind="pattern",
            name=name,
            action="add" if was is None else "remove" if now is None else "change",
            path="",
            before=shown(was),
            after=shown(now),
            location=place.location,
            risk=verdict.risk,
            reason=verdict.reason,
        )


def _rules(versions: Versions) -> Iterator[Change]:
    before, after = versions.old.topology.rules, versions.new.topology.rules
    for name in (*before, *(name for name in after if name not in before)):
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        if now is not None and now.severity == "off":
            verdict = care("the rule no longer says anything, on any resource")
        else:
            verdict = care("the rule judges otherwise than before")
        held = now if now is not None else was
        assert held is not None  # noqa: S101 - one of the two is there
        yield Change(
            kind="rule",
            name=name,
            action="add" if was is None else "remove" if now is None else "change",
            before=was.severity if was is not None else None,
            after=now.severity if now is not None else None,
            location=held.location if now is not None else None,
            was_at=held.location if now is None else None,
            risk=verdict.risk,
            reason=verdict.reason,
        )


def _made(kind: Any, name: str, action: Any, verdict: Verdict, declared: User | Quota) -> Change:
    gone = action == "remove"
    return Change(
        kind=kind,
        name=name,
        action=action,
        location=None if gone else declared.location,
        was_at=declared.location if gone else None,
        risk=verdict.risk,
        reason=verdict.reason,
        effects=verdict.effects,
    )


def _field(
    subject: tuple[Any, str], path: Path, values: tuple[Any, Any], verdict: Verdict, declared: tuple[Any, Any]
) -> Change:
    (kind, name), (was, now), (old, new) = subject, values, declared
    return Change(
        kind=kind,
        name=name,
        action="change",
        path=dotted(path),
        before=shown(was, path[-1]),
        after=shown(now, path[-1]),
        location=(new.place(*path) if now is not None else new.place()).location,
        was_at=old.location,
        risk=verdict.risk,
        reason=verdict.reason,
        effects=verdict.effects,
    )
