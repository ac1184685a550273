"""Changes of users, quotas, the cluster, ownership, patterns and rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from kafka_topology.topology.model.words import counted, named

from ..topology.model.declared import Cluster, Quota, Topology, User
from .changes import Action, Change, Effect, Verdict, breaking, care, safe, unclassified
from .fields import Path, changed_fields, dotted, shown
from .versions import Versions

T = TypeVar("T")
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
            yield _made("user", name, "add", safe(f"a new user, with {user.mechanism}"), user)
        elif user != before[name]:
            for path, was, now in changed_fields("users", before[name], user):
                yield _field(("user", name), path, (was, now), _user(path), (before[name], user))
    for name, user in before.items():
        if name not in after:
            effect = Effect("access", f"User:{name} can no longer log in with {user.mechanism}")
            yield _made(
                "user", name, "remove", breaking("clients that still log in as this user are refused", effect), user
            )


def _user(path: Path) -> Verdict:
    if path[0] == "mechanism":
        return breaking("clients that still use the old mechanism are refused")
    if path[0] == "iterations":
        return safe("clients do not notice")
    if path[0] == "password":
        return care("its password comes from another secret; clients need the new one at the same time")
    return unclassified()


def _quota_name(quota: Quota) -> str:
    parts = [f"user {quota.user}" if quota.user else "", f"client {quota.client_id}" if quota.client_id else ""]
    return " and ".join(part for part in parts if part) or "default"


def _quotas(versions: Versions) -> Iterator[Change]:
    before = {_quota_name(quota): quota for quota in versions.old.topology.quotas}
    after = {_quota_name(quota): quota for quota in versions.new.topology.quotas}
    for name, quota in after.items():
        if name not in before:
            yield _made("quota", name, "add", care("Kafka throttles clients above the limit"), quota)
        elif quota != before[name]:
            for path, was, now in changed_fields("quotas", before[name], quota):
                verdict = _limit(before[name], quota, path[-1])
                yield _field(("quota", name), path, (was, now), verdict, (before[name], quota))
    for name, quota in before.items():
        if name not in after:
            yield _made("quota", name, "remove", care("no limit applies any more; other clients may suffer"), quota)


def _limit(old: Quota, new: Quota, field: str) -> Verdict:
    if field not in _LIMITS:
        return unclassified()
    was, now = (getattr(quota, _LIMITS[field]) for quota in (old, new))
    if now is None:
        return care("no limit applies any more; other clients may suffer")
    if was is None or now < was:
        return care("Kafka throttles clients above the limit")
    return safe("the limit is higher than before")


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
        return care("rules and what-if use it; nothing is applied to the brokers")
    if field == "kafka":
        return care("known settings, defaults and client features follow the new version; upgrade the brokers first")
    if field == "defaults":
        return care("topics that do not set it follow the new value; set the same in the brokers' own files")
    if field in ("name", "disk", "limits"):
        return safe("rules use it; nothing is applied")
    return unclassified()


def _fewer_brokers(topology: Topology, brokers: int) -> Verdict:
    short = tuple(topic.name for topic in topology.topics.values() if topic.replication > brokers)
    if not short:
        return care("move the replicas off the removed brokers first", Effect("bytes", _moves(brokers)))
    text = f"{named(short)} cannot place all replicas on {counted(brokers, 'broker')}"
    return breaking("some topics declare more replicas than there are brokers", Effect("stall", text))


def _moves(brokers: int) -> str:
    return f"every replica on the removed brokers is copied to one of the remaining {brokers}"


def _ownership(versions: Versions) -> Iterator[Change]:
    old, new = versions.old.topology.ownership, versions.new.topology.ownership
    if old == new:
        return
    for path, was, now in changed_fields("ownership", old, new):
        verdict = care("it limits what `pulumi up` may change")
        yield _field(("ownership", "ownership"), path, (was, now), verdict, (old, new))


def _patterns(versions: Versions) -> Iterator[Change]:
    for name, was, now in _differing(versions.old.topology.patterns, versions.new.topology.patterns):
        topics = versions.new.topology.topics.values()
        users = tuple(topic.name for topic in topics if topic.key and topic.key.pattern_name == name)
        if was is None or not users:
            verdict = safe("no existing key is checked against it")
        else:
            verdict = care(f"keys of {named(users)} that matched may no longer match, and vice versa")
        place = versions.new.topology.place("patterns", name) if now is not None else versions.new.topology.place()
        yield Change(
            kind="pattern",
            name=name,
            action=_action(was, now),
            before=shown(was),
            after=shown(now),
            location=place.location,
            risk=verdict.risk,
            reason=verdict.reason,
        )


def _rules(versions: Versions) -> Iterator[Change]:
    for name, was, now in _differing(versions.old.topology.rules, versions.new.topology.rules):
        if now is not None and now.severity == "off":
            verdict = care("the rule reports nothing any more, on any resource")
        else:
            verdict = care("the rule reports other findings or severities than before")
        held = now if now is not None else was
        assert held is not None  # noqa: S101 - one of the two is there
        yield Change(
            kind="rule",
            name=name,
            action=_action(was, now),
            before=was.severity if was is not None else None,
            after=now.severity if now is not None else None,
            location=held.location if now is not None else None,
            was_at=held.location if now is None else None,
            risk=verdict.risk,
            reason=verdict.reason,
        )


def _differing(before: Mapping[str, T], after: Mapping[str, T]) -> Iterator[tuple[str, T | None, T | None]]:
    """What two versions hold under a name, where they differ; None where a version has nothing."""
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was != now:
            yield name, was, now


def _action(was: object, now: object) -> Action:
    if was is None:
        return "add"
    return "remove" if now is None else "change"


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
