"""Who gains and who loses access, wherever in the files it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from kafka_topology.topology.kafka.authorizer import IMPLIED_BY, Allowed
from kafka_topology.topology.model.words import named

from ...topology.kafka.access import Grant
from ...topology.model.declared import Topology
from ...validators.facts.access import reached
from ...validators.facts.access import shown as resource_shown
from ..changes import Change, Effect, Verdict, breaking, care, safe
from ..subject import Subject
from ..versions import Versions

Key = tuple[str, str, str, str, str]
_VERBS = {
    "Read": "read",
    "Write": "write",
    "Create": "create",
    "Delete": "delete",
    "Alter": "alter",
    "AlterConfigs": "configure",
    "Describe": "describe",
    "DescribeConfigs": "read the settings of",
    "ClusterAction": "act as a broker of",
    "IdempotentWrite": "write idempotently to",
    "All": "do everything with",
}
_OTHER_VERBS = {"group": {"Read": "join"}, "transactional-id": {"Write": "use"}}
_ORDER = tuple(_VERBS)


def access_changes(versions: Versions) -> Iterator[Change]:
    old, new = versions.old.grants, versions.new.grants
    was, now = Allowed(old), Allowed(new)
    known, kept = set(old), set(new)
    allowed = ("allow",)
    gained = [g for g in new if g.permission in allowed and g not in known and not was.covers(g)]
    lost = [g for g in old if g.permission in allowed and g not in kept and not now.covers(g)]
    yield from _sentences(versions, gained, _GAINED)
    yield from _sentences(versions, lost, _LOST)
    denied = [g for g in new if g.permission == "deny" and g not in known]
    permitted = [g for g in old if g.permission == "deny" and g not in kept]
    yield from _sentences(versions, denied, _DENIED)
    yield from _sentences(versions, permitted, _PERMITTED)


def _judge_gained(versions: Versions, grant: Grant) -> Verdict:
    if grant.resource == "topic" and grant.pattern == "literal":
        topic = versions.new.topology.topics.get(grant.name)
        if topic is not None and grant.name not in versions.old.topology.topics:
            return safe("the topic is new in this change")
        owners = versions.new.owners.get(grant.principal, frozenset())
        if topic is not None and topic.visibility == "private" and topic.owner not in owners and topic.owner:
            return care(f"the topic is private to {topic.owner}; ask the owner to approve it")
        return care("the topic exists already; ask its owner to approve it")
    if grant.is_derived:
        return safe("an application's access to its own resources")
    return care("ask the owner of the resource to approve it")


def _judge_lost(versions: Versions, grant: Grant) -> Verdict:
    gone = grant.name in versions.old.topology.topics and grant.name not in versions.new.topology.topics
    if grant.resource == "topic" and grant.pattern == "literal" and gone:
        return safe("this change removes the topic")
    if grant.resource in ("group", "transactional-id") and grant.is_derived:
        return care("the role that needed it was removed")
    return breaking("clients that still use it are refused as soon as this is applied")


@dataclass(frozen=True, slots=True)
class _Direction:
    """Whether entries are new or gone, and whether that adds access or takes it away."""

    words: str
    adds: bool
    is_new: bool
    judge: Callable[[Versions, Grant], Verdict]


_GAINED = _Direction("may now {}", adds=True, is_new=True, judge=_judge_gained)
_LOST = _Direction("may no longer {}", adds=False, is_new=False, judge=_judge_lost)
_DENIED = _Direction(
    "is now denied to {}", adds=False, is_new=True, judge=lambda *_: breaking("a deny overrides every allow")
)
_PERMITTED = _Direction(
    "is no longer denied to {}",
    adds=True,
    is_new=False,
    judge=lambda *_: care("other entries that allow it take effect again"),
)


def _sentences(versions: Versions, grants: Iterable[Grant], direction: _Direction) -> Iterator[Change]:
    """One change for each principal and resource, with all its operations."""
    gathered: dict[Key, list[Grant]] = {}
    for grant in grants:
        key = (grant.principal, grant.resource, grant.name, grant.pattern, grant.host)
        gathered.setdefault(key, []).append(grant)
    for held in gathered.values():
        yield _change(versions, held, direction)


def _change(versions: Versions, held: list[Grant], direction: _Direction) -> Change:
    grant = held[0]
    operations = tuple(sorted({each.operation for each in held}, key=_rank))
    verdict = direction.judge(versions, grant)
    what = resource_shown(grant.resource, grant.name, grant.pattern)
    sentence = f"{grant.principal} {direction.words.format(verbs(grant.resource, operations))} {what}"
    if grant.host != "*":
        sentence += f" from {grant.host}"
    if direction.adds and direction.is_new:
        sentence += f" ({_why(held)})"
    at = grant.place.location
    return Change(
        kind="access",
        name=grant.principal,
        action="add" if direction.is_new else "remove",
        path=what,
        before=None if direction.is_new else ", ".join(operations),
        after=", ".join(operations) if direction.is_new else None,
        team=_team(versions, grant, direction.is_new),
        location=at if direction.is_new else None,
        was_at=None if direction.is_new else at,
        risk=verdict.risk,
        reason=verdict.reason,
        effects=(Effect("access", sentence),),
        reached=reached(grant, gains=direction.adds),
    )


def verbs(resource: str, operations: tuple[str, ...]) -> str:
    """The operations in words, without those that a stronger one includes."""
    words = {**_VERBS, **_OTHER_VERBS.get(resource, {})}
    return named(tuple(words.get(op, op) for op in _telling(operations)), most=20)


def _telling(operations: tuple[str, ...]) -> tuple[str, ...]:
    """The operations that no other one includes."""
    return tuple(op for op in operations if not set(IMPLIED_BY.get(op, ())).intersection(operations))


def _rank(operation: str) -> int:
    return _ORDER.index(operation) if operation in _ORDER else len(_ORDER)


def _why(held: list[Grant]) -> str:
    telling = _telling(tuple({grant.operation for grant in held}))
    reasons = dict.fromkeys(reason.text for grant in held if grant.operation in telling for reason in grant.reasons)
    return named(tuple(reasons), most=3)


def _team(versions: Versions, grant: Grant, is_new: bool) -> str | None:
    """The owner of the resource, or else of the role that connects as this principal."""
    version = versions.new if is_new else versions.old
    topology: Topology = version.topology
    if grant.resource == "topic" and grant.name in topology.topics:
        return topology.topics[grant.name].owner
    if grant.resource == "group" and grant.name in topology.consumer_groups:
        return topology.consumer_groups[grant.name].owner
    owners = version.owners.get(grant.principal, frozenset())
    return next(iter(owners)) if len(owners) == 1 else None


SUBJECT: Final = Subject(order=30, kinds=("access",), sections=("acls",), changes=access_changes)
